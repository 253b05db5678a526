//===- Bundle.cpp - Runs a compiled step without the compiler -------------===//

#include "Bundle.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <sys/stat.h>

using namespace ckpt;
using namespace ckpt::bundle;

double Report::medianSeconds() const {
  const size_t count = seconds.size();
  if (count == 0)
    return 0;
  return count % 2 ? seconds[count / 2]
                   : (seconds[count / 2 - 1] + seconds[count / 2]) / 2;
}

bool Report::passed() const {
  for (const Comparison &comparison : comparisons)
    if (!comparison.passed())
      return false;
  return repeatable;
}

namespace {

struct ContextCloser {
  void operator()(CkptContext *context) const { ckptClose(context); }
};

/// The work of runBundle(), stage by stage. Every stage returns false after an
/// error, with its message in `error`.
class Runner {
public:
  Runner(const Options &options, Report &report, std::string &error)
      : options(options), report(report), error(error) {}
  ~Runner() {
    context.reset();
    if (library)
      dlclose(library);
  }

  bool run() {
    return loadStep() && openDevice() && loadImage() && upload() && execute() &&
           writeResults() && compareResults();
  }

private:
  bool loadStep();
  bool openDevice();
  bool loadImage();
  bool uploadArgument(int index);
  bool upload();
  bool execute();
  bool runOnce(double &seconds);
  bool download(std::vector<std::vector<char>> &results);
  bool writeResults();
  bool compareResults();
  bool fail(const std::string &message) {
    error = message;
    return false;
  }
  /// The device's error, if a call failed.
  bool check(int32_t code) {
    return code == 0 || fail(ckptLastError(context.get()));
  }
  const CkptBufferInfo &resultInfo(int index) const {
    return step->results[index];
  }
  bool typeOf(const CkptBufferInfo &info, NpyType &type);
  std::string path(const std::string &name) const {
    return options.folder + "/" + name;
  }

  const Options &options;
  Report &report;
  std::string &error;
  void *library = nullptr;
  const CkptStepInfo *step = nullptr;
  std::unique_ptr<CkptContext, ContextCloser> context;
  /// Arguments, then results.
  std::vector<void *> buffers;
  std::vector<std::vector<char>> results;
};

} // namespace

static bool exists(const std::string &path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

static std::vector<int64_t> shapeOf(const CkptBufferInfo &info) {
  return std::vector<int64_t>(info.shape, info.shape + info.rank);
}

static std::string numbered(const char *prefix, int index) {
  return prefix + std::to_string(index) + ".npy";
}

bool Runner::typeOf(const CkptBufferInfo &info, NpyType &type) {
  return npyTypeOf(info.type, type) ||
         fail(std::string("no NumPy type holds elements of type ") + info.type);
}

bool Runner::loadStep() {
  // dlopen searches the system's folders for a name without a slash.
  std::string file = path("step.so");
  if (file[0] != '/')
    file = "./" + file;
  library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return fail(dlerror());
  step = static_cast<const CkptStepInfo *>(dlsym(library, "ckpt_step_info"));
  if (!step)
    return fail(file + " does not export ckpt_step_info");
  if (step->abiVersion != CKPT_ABI_VERSION)
    return fail(file + " was compiled for version " +
                std::to_string(step->abiVersion) +
                " of the runtime's ABI, this program has version " +
                std::to_string(CKPT_ABI_VERSION));
  report.arenaBytes = step->arenaBytes;
  return true;
}

bool Runner::openDevice() {
  char message[1024];
  context.reset(
      ckptOpen(options.device.c_str(), /*seed=*/0, message, sizeof(message)));
  if (!context)
    return fail(message);
  report.device = ckptDeviceName(context.get());
  report.emulated = ckptIsEmulated(context.get());
  return true;
}

bool Runner::loadImage() {
  const std::vector<std::string> names =
      report.emulated ? std::vector<std::string>{"kernels.bc"}
                      : std::vector<std::string>{
                            "kernels.fatbin", "kernels.cubin", "kernels.ptx"};
  for (const std::string &name : names) {
    std::ifstream file(path(name), std::ios::binary);
    if (!file)
      continue;
    const std::vector<char> image{std::istreambuf_iterator<char>(file), {}};
    return check(
        ckptLoadImage(context.get(), image.data(), int64_t(image.size())));
  }
  return fail(options.folder + " has no kernels for this device (" +
              names.front() + ")");
}

bool Runner::uploadArgument(int index) {
  const CkptBufferInfo &info = step->arguments[index];
  const std::string file = path("args/" + numbered("arg", index));
  NpyArray array;
  NpyType type;
  if (!readNpy(file, array, error) || !typeOf(info, type))
    return false;
  if (array.shape != shapeOf(info) || int64_t(array.data.size()) != info.bytes)
    return fail(file + ": its shape or type is not that of the argument");
  if (array.type != type &&
      npyElementBytes(array.type) != npyElementBytes(type))
    return fail(file + ": elements of type " + npyTypeName(array.type) +
                ", expected " + npyTypeName(type));
  return check(ckptUpload(context.get(), buffers[size_t(index)],
                          array.data.data(), info.bytes));
}

bool Runner::upload() {
  const int total = step->numArguments + step->numResults;
  for (int i = 0; i < total; ++i) {
    const bool isArgument = i < step->numArguments;
    const CkptBufferInfo &info =
        isArgument ? step->arguments[i] : resultInfo(i - step->numArguments);
    (isArgument ? report.argumentBytes : report.resultBytes) += info.bytes;
    void *buffer = ckptAllocate(context.get(), info.bytes);
    if (!buffer)
      return fail(ckptLastError(context.get()));
    buffers.push_back(buffer);
    if (isArgument && !uploadArgument(i))
      return false;
  }
  return true;
}

bool Runner::runOnce(double &seconds) {
  const auto start = std::chrono::steady_clock::now();
  const int32_t code = ckptRun(context.get(), step, buffers.data());
  seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return check(code);
}

bool Runner::download(std::vector<std::vector<char>> &to) {
  to.resize(size_t(step->numResults));
  for (int i = 0; i < step->numResults; ++i) {
    const int64_t bytes = resultInfo(i).bytes;
    to[size_t(i)].resize(size_t(bytes));
    if (!check(ckptDownload(context.get(), to[size_t(i)].data(),
                            buffers[size_t(step->numArguments + i)], bytes)))
      return false;
  }
  return true;
}

/// FNV-1a.
static uint64_t hashOf(const std::vector<std::vector<char>> &results) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (const std::vector<char> &result : results)
    for (char byte : result)
      hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3u;
  return hash;
}

bool Runner::execute() {
  double seconds = 0;
  ckptResetCounters(context.get());
  if (!runOnce(seconds) || !download(results))
    return false;
  const CkptCounters counters = ckptCounters(context.get());
  report.peakBytes = counters.stepPeakBytes;
  report.launches = counters.launches;
  report.resultsHash = hashOf(results);
  for (int i = 0; i < options.runs; ++i) {
    if (!runOnce(seconds))
      return false;
    report.seconds.push_back(seconds);
  }
  std::sort(report.seconds.begin(), report.seconds.end());
  std::vector<std::vector<char>> last;
  if (!download(last))
    return false;
  report.repeatable = last == results;
  return true;
}

bool Runner::writeResults() {
  const std::string folder = path("results");
  if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST)
    return fail(folder + ": " + std::strerror(errno));
  for (int i = 0; i < step->numResults; ++i) {
    NpyType type;
    if (!typeOf(resultInfo(i), type) ||
        !writeNpy(folder + "/" + numbered("result", i), type,
                  shapeOf(resultInfo(i)), results[size_t(i)].data(), error))
      return false;
  }
  return true;
}

bool Runner::compareResults() {
  std::map<int, Tolerance> tolerances;
  if (!readTolerances(path("expected/tolerances.txt"), tolerances, error))
    return false;
  for (int i = 0; i < step->numResults; ++i) {
    const std::string file = path("expected/" + numbered("result", i));
    if (!exists(file))
      continue;
    NpyArray expected;
    NpyArray actual;
    if (!readNpy(file, expected, error) || !typeOf(resultInfo(i), actual.type))
      return false;
    actual.shape = shapeOf(resultInfo(i));
    actual.data = results[size_t(i)];
    Comparison comparison;
    comparison.result = i;
    auto own = tolerances.find(i);
    comparison.tolerance = own != tolerances.end()
                               ? own->second
                               : Tolerance{true, options.tolerance};
    const bool bfloat = std::strcmp(resultInfo(i).type, "bf16") == 0;
    if (!compare(actual, bfloat, expected, comparison, error))
      return false;
    report.comparisons.push_back(comparison);
  }
  return true;
}

bool bundle::runBundle(const Options &options, Report &report,
                       std::string &error) {
  return Runner(options, report, error).run();
}
