//===- CudaTools.cpp - The toolkit's programs -----------------------------===//

#include "CudaTools.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace ckpt {

std::string joinPath(StringRef folder, StringRef file) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, file);
  return std::string(path);
}

std::string findToolkit(const SerializeOptions &options, StringRef file) {
  SmallVector<std::string> folders;
  if (!options.toolkit.empty()) {
    folders.push_back(options.toolkit);
  } else {
    for (const char *name : {"CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"})
      if (std::optional<std::string> value = llvm::sys::Process::GetEnv(name))
        folders.push_back(*value);
    folders.push_back("/usr/local/cuda");
    if (llvm::ErrorOr<std::string> ptxas =
            llvm::sys::findProgramByName("ptxas")) {
      StringRef bin = llvm::sys::path::parent_path(*ptxas);
      folders.push_back(llvm::sys::path::parent_path(bin).str());
    }
  }
  for (const std::string &folder : folders)
    if (llvm::sys::fs::exists(joinPath(folder, file)))
      return folder;
  return {};
}

namespace {

/// A file of the system's temporary folder, removed in the end.
class TemporaryFile {
public:
  /// Empty; `path()` is empty where it could not be made.
  explicit TemporaryFile(StringRef suffix) {
    if (llvm::sys::fs::createTemporaryFile("ckpt-kernels", suffix, name))
      name.clear();
  }
  ~TemporaryFile() {
    if (!name.empty())
      llvm::sys::fs::remove(name);
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  StringRef path() const { return name; }
  bool write(ArrayRef<char> bytes) const {
    std::error_code error;
    llvm::raw_fd_ostream stream(name, error);
    if (error)
      return false;
    stream.write(bytes.data(), bytes.size());
    stream.close();
    bool failed = stream.has_error();
    stream.clear_error();
    return !failed;
  }
  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(name);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }

private:
  SmallString<128> name;
};

} // namespace

/// Runs a tool of the toolkit; its output goes to `log`.
static LogicalResult runTool(gpu::GPUModuleOp module,
                             const SerializeOptions &options, StringRef tool,
                             ArrayRef<StringRef> arguments,
                             const TemporaryFile &log) {
  std::string file = ("bin/" + tool).str();
  std::string toolkit = findToolkit(options, file);
  if (toolkit.empty())
    return module.emitError("cannot be assembled: '")
           << tool << "' of the CUDA toolkit was not found";
  std::string program = joinPath(toolkit, file);
  SmallVector<StringRef> command{program};
  llvm::append_range(command, arguments);
  std::optional<StringRef> redirects[] = {std::nullopt, log.path(), log.path()};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(program, command,
                                         /*Env=*/std::nullopt, redirects,
                                         /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &message);
  if (status == 0)
    return success();
  return module.emitError("'")
         << tool << "' failed: "
         << (message.empty() ? StringRef(log.read()).rtrim().str() : message);
}

std::vector<KernelResources> parseResources(StringRef log) {
  std::vector<KernelResources> all;
  // "N what" in a line, zero where it is absent.
  auto numberBefore = [](StringRef line, StringRef what) {
    int64_t value = 0;
    size_t end = line.find(what);
    if (end == StringRef::npos)
      return value;
    StringRef text = line.take_front(end).rtrim();
    size_t start = text.find_last_not_of("0123456789") + 1;
    text.drop_front(start).getAsInteger(10, value);
    return value;
  };
  SmallVector<StringRef> lines;
  log.split(lines, '\n');
  for (StringRef line : lines) {
    constexpr StringLiteral start = "Compiling entry function '";
    if (size_t position = line.find(start); position != StringRef::npos) {
      KernelResources next;
      next.kernel =
          line.drop_front(position + start.size()).split('\'').first.str();
      all.push_back(std::move(next));
      continue;
    }
    if (all.empty())
      continue;
    KernelResources &last = all.back();
    if (line.contains("bytes stack frame")) {
      last.stackBytes = numberBefore(line, "bytes stack frame");
      last.spillStores = numberBefore(line, "bytes spill stores");
      last.spillLoads = numberBefore(line, "bytes spill loads");
    } else if (line.contains("registers")) {
      last.registers = numberBefore(line, "registers");
      last.sharedBytes = numberBefore(line, "bytes smem");
    }
  }
  return all;
}

FailureOr<KernelImage> assembleKernels(gpu::GPUModuleOp module,
                                       const SerializeOptions &options,
                                       std::vector<char> ptx) {
  TemporaryFile source("ptx"), object("cubin"), bundle("fatbin"), log("log");
  for (const TemporaryFile *file : {&source, &object, &bundle, &log})
    if (file->path().empty())
      return module.emitError("cannot be assembled: no temporary file could "
                              "be made");
  if (!ptx.empty() && ptx.back() == '\0')
    ptx.pop_back();
  if (!source.write(ptx))
    return module.emitError("cannot be assembled: '")
           << source.path() << "' could not be written";
  std::string arch = "-arch=" + options.chip;
  std::string level = "-O" + std::to_string(options.optLevel);
  if (failed(runTool(module, options, "ptxas",
                     {"-v", arch, level, source.path(), "-o", object.path()},
                     log)))
    return failure();
  KernelImage image;
  image.resources = parseResources(log.read());
  if (options.format == KernelFormat::fatbin) {
    std::string number = StringRef(options.chip).drop_front(3).str();
    std::string create = ("--create=" + bundle.path()).str();
    std::string code =
        "--image3=kind=elf,sm=" + number + ",file=" + object.path().str();
    std::string text =
        "--image3=kind=ptx,sm=" + number + ",file=" + source.path().str();
    if (failed(runTool(module, options, "fatbinary",
                       {"-64", create, code, text}, log)))
      return failure();
  }
  std::string bytes =
      options.format == KernelFormat::fatbin ? bundle.read() : object.read();
  image.bytes.assign(bytes.begin(), bytes.end());
  return image;
}

} // namespace ckpt
