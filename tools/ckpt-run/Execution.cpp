//===- Execution.cpp - Running a compiled step ----------------------------===//

#include "Execution.h"

#include "ckpt/Support/Npy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <cstring>
#include <random>
#include <unistd.h>

using namespace ckpt;
using namespace llvm;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

Expected<DeviceContext> ckpt::openDevice(const std::string &name,
                                         uint64_t seed) {
  char message[512] = {};
  DeviceContext context(ckptOpen(name.c_str(), seed, message, sizeof(message)));
  if (!context)
    return makeError("device '" + name + "': " + message);
  return context;
}

static std::string filePath(const std::string &directory, StringRef stem,
                            size_t index) {
  SmallString<128> path(directory);
  sys::path::append(path, stem + Twine(index) + ".npy");
  return std::string(path);
}

static ArrayRef<int64_t> getShape(const CkptBufferInfo &info) {
  return ArrayRef(info.shape, static_cast<size_t>(info.rank));
}

//===----------------------------------------------------------------------===//
// Arguments and results
//===----------------------------------------------------------------------===//

static Expected<HostBuffer> readArgument(const CkptBufferInfo &info,
                                         const std::string &path) {
  NpyArray array;
  std::string error;
  if (!readNpy(path, array, error))
    return makeError(error);
  NpyType expected;
  if (!npyTypeOf(info.type, expected))
    return makeError(path + ": an argument of type " + info.type +
                     " cannot be read from a file");
  // Signs and bools are the program's affair: only the width counts.
  bool isFloat = expected == NpyType::F16 || expected == NpyType::F32 ||
                 expected == NpyType::F64;
  bool fits = isFloat
                  ? array.type == expected
                  : npyElementBytes(array.type) == npyElementBytes(expected);
  if (!fits)
    return makeError(path + ": has elements of type " +
                     npyTypeName(array.type) + ", the argument's are " +
                     info.type);
  if (ArrayRef<int64_t>(array.shape) != getShape(info)) {
    std::string shapes = path + ": has shape (";
    interleave(
        array.shape, [&](int64_t n) { shapes += std::to_string(n); },
        [&] { shapes += ", "; });
    shapes += "), the argument's is (";
    interleave(
        getShape(info), [&](int64_t n) { shapes += std::to_string(n); },
        [&] { shapes += ", "; });
    return makeError(shapes + ")");
  }
  return std::move(array.data);
}

/// Bits of `value` as a float of `width` bits, rounded towards zero for the
/// narrow ones: any value will do.
static uint64_t encodeFloat(double value, StringRef type) {
  uint64_t bits = 0;
  if (type == "f64") {
    std::memcpy(&bits, &value, sizeof(double));
    return bits;
  }
  float single = static_cast<float>(value);
  uint32_t word = 0;
  std::memcpy(&word, &single, sizeof(float));
  if (type == "bf16")
    return word >> 16;
  if (type == "f16") {
    _Float16 half = static_cast<_Float16>(single);
    uint16_t narrow = 0;
    std::memcpy(&narrow, &half, sizeof(narrow));
    return narrow;
  }
  return word;
}

static Expected<HostBuffer> drawArgument(const CkptBufferInfo &info,
                                         uint64_t seed) {
  NpyType known;
  if (!npyTypeOf(info.type, known))
    return makeError(Twine("an argument of type ") + info.type +
                     " cannot be drawn at random");
  int64_t width = npyElementBytes(known);
  HostBuffer data(static_cast<size_t>(info.bytes));
  // The engine's output is the same everywhere; the library's distributions are
  // not.
  std::mt19937_64 engine(seed);
  StringRef type = info.type;
  for (int64_t offset = 0; offset + width <= info.bytes; offset += width) {
    uint64_t bits = engine();
    uint64_t element =
        type.starts_with("f") || type.starts_with("bf")
            ? encodeFloat(static_cast<double>(bits >> 11) * 0x1p-53 - 0.5, type)
            : bits >> 63;
    std::memcpy(data.data() + offset, &element, static_cast<size_t>(width));
  }
  return data;
}

/// An error if the step's arguments and results do not fit into this machine's
/// memory: they are allocated here, whatever the device is.
static Error checkMemory(const CkptStepInfo &info) {
  int64_t needed = 0;
  bool overflows = false;
  for (int32_t i = 0; i < info.numArguments; ++i)
    overflows |= AddOverflow(needed, info.arguments[i].bytes, needed);
  for (int32_t i = 0; i < info.numResults; ++i)
    overflows |= AddOverflow(needed, info.results[i].bytes, needed);
  int64_t available = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  if (!overflows && needed <= available)
    return Error::success();
  return makeError("the arguments and results do not fit into this machine's " +
                   Twine(available) + " bytes of memory");
}

Expected<std::vector<HostBuffer>>
ckpt::loadArguments(const CkptStepInfo &info, const std::string &directory,
                    uint64_t seed) {
  if (!directory.empty() && !sys::fs::is_directory(directory))
    return makeError(directory + ": is no folder");
  if (Error error = checkMemory(info))
    return std::move(error);
  std::vector<HostBuffer> arguments;
  for (int32_t i = 0; i < info.numArguments; ++i) {
    std::string path = filePath(directory, "arg", static_cast<size_t>(i));
    bool hasFile = !directory.empty() && sys::fs::exists(path);
    Expected<HostBuffer> argument =
        hasFile
            ? readArgument(info.arguments[i], path)
            : drawArgument(info.arguments[i], seed + static_cast<uint64_t>(i));
    if (!argument)
      return argument.takeError();
    arguments.push_back(std::move(*argument));
  }
  return arguments;
}

Error ckpt::saveBuffers(ArrayRef<CkptBufferInfo> infos,
                        ArrayRef<HostBuffer> buffers,
                        const std::string &directory, StringRef stem) {
  if (std::error_code code = sys::fs::create_directories(directory))
    return makeError(directory + ": " + code.message());
  for (auto [index, info, buffer] : enumerate(infos, buffers)) {
    NpyType type;
    if (!npyTypeOf(info.type, type))
      return makeError(Twine("a buffer of type ") + info.type +
                       " cannot be written to a file");
    std::string error;
    if (!writeNpy(filePath(directory, stem, index), type, getShape(info).vec(),
                  buffer.data(), error))
      return makeError(error);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

namespace {
/// The caller's buffers on the device, freed with it.
class CallerBuffers {
public:
  explicit CallerBuffers(CkptContext *context) : context(context) {}
  ~CallerBuffers() {
    for (void *buffer : buffers)
      ckptFree(context, buffer);
  }
  CallerBuffers(const CallerBuffers &) = delete;
  CallerBuffers &operator=(const CallerBuffers &) = delete;

  void *allocate(int64_t bytes) {
    buffers.push_back(ckptAllocate(context, bytes));
    return buffers.back();
  }
  void *const *data() const { return buffers.data(); }

private:
  CkptContext *context;
  std::vector<void *> buffers;
};
} // namespace

Expected<Execution> ckpt::execute(CkptContext *context,
                                  const CkptStepInfo &info,
                                  ArrayRef<char> image,
                                  ArrayRef<HostBuffer> arguments) {
  auto fail = [&] { return makeError(ckptLastError(context)); };
  if (!image.empty() &&
      ckptLoadImage(context, image.data(), static_cast<int64_t>(image.size())))
    return fail();
  CallerBuffers buffers(context);
  for (const HostBuffer &argument : arguments) {
    int64_t bytes = static_cast<int64_t>(argument.size());
    void *device = buffers.allocate(bytes);
    if (ckptUpload(context, device, argument.data(), bytes))
      return fail();
  }
  std::vector<void *> results;
  for (int32_t i = 0; i < info.numResults; ++i)
    results.push_back(buffers.allocate(info.results[i].bytes));

  ckptResetCounters(context);
  auto start = std::chrono::steady_clock::now();
  if (ckptRun(context, &info, buffers.data()))
    return fail();
  Execution execution;
  execution.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  execution.counters = ckptCounters(context);
  for (int32_t i = 0; i < info.numResults; ++i) {
    int64_t bytes = info.results[i].bytes;
    HostBuffer &result = execution.results.emplace_back(bytes);
    if (ckptDownload(context, result.data(), results[static_cast<size_t>(i)],
                     bytes))
      return fail();
  }
  return execution;
}

int64_t ckpt::findDifference(ArrayRef<HostBuffer> a, ArrayRef<HostBuffer> b) {
  if (a.size() != b.size())
    return static_cast<int64_t>(std::min(a.size(), b.size()));
  for (auto [index, pair] : enumerate(zip_equal(a, b)))
    if (std::get<0>(pair) != std::get<1>(pair))
      return static_cast<int64_t>(index);
  return -1;
}
