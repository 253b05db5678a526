//===- Bundle.cpp - A compiled step that runs without LLVM ----------------===//

#include "Bundle.h"

#include "ckpt/Support/Npy.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace ckpt;
using namespace llvm;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

static std::string inFolder(StringRef directory, StringRef name) {
  SmallString<128> path(directory);
  sys::path::append(path, name);
  return std::string(path);
}

static StringRef imageName(KernelFormat format) {
  switch (format) {
  case KernelFormat::bitcode:
    return "kernels.bc";
  case KernelFormat::ptx:
    return "kernels.ptx";
  case KernelFormat::cubin:
    return "kernels.cubin";
  case KernelFormat::fatbin:
    return "kernels.fatbin";
  }
  llvm_unreachable("unknown format");
}

/// An object file of `module` for any processor of this machine's architecture.
static Expected<SmallVector<char, 0>> emitObject(const Module &module) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  Triple triple(sys::getDefaultTargetTriple());
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return makeError(message);
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, /*CPU=*/"", /*Features=*/"", TargetOptions(), Reloc::PIC_));
  std::unique_ptr<Module> copy = CloneModule(module);
  copy->setTargetTriple(triple);
  copy->setDataLayout(machine->createDataLayout());
  SmallVector<char, 0> object;
  raw_svector_ostream stream(object);
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   CodeGenFileType::ObjectFile))
    return makeError("this machine's target emits no object files");
  passes.run(*copy);
  return object;
}

/// Links one object file into a shared object.
static Error linkShared(const std::string &object, const std::string &output) {
  std::optional<std::string> named = sys::Process::GetEnv("CC");
  std::string compiler = named ? *named : "cc";
  ErrorOr<std::string> path = sys::findProgramByName(compiler);
  if (!path)
    return makeError("linking needs a C compiler: '" + compiler +
                     "' not found (CC names another)");
  std::string message;
  StringRef arguments[] = {*path, "-shared", "-o", output, object};
  int status =
      sys::ExecuteAndWait(*path, arguments, std::nullopt, {}, 0, 0, &message);
  if (status != 0)
    return makeError("linking failed: " + *path + " exited with " +
                     Twine(status) + (message.empty() ? "" : ": " + message));
  return Error::success();
}

static Error writeHost(const std::string &directory, const Module &module) {
  Expected<SmallVector<char, 0>> object = emitObject(module);
  if (!object)
    return object.takeError();
  std::string objectPath = inFolder(directory, "step.o"), error;
  if (!writeFileWhole(objectPath, object->data(), object->size(), error))
    return makeError(error);
  std::string linked = inFolder(directory, "step.so.part");
  Error failure = linkShared(objectPath, linked);
  sys::fs::remove(objectPath);
  if (failure) {
    sys::fs::remove(linked);
    return failure;
  }
  if (std::error_code code =
          sys::fs::rename(linked, inFolder(directory, "step.so")))
    return makeError(inFolder(directory, "step.so") + ": " + code.message());
  return Error::success();
}

static Error copyRunner(const std::string &directory, StringRef program) {
  std::string runner =
      inFolder(sys::path::parent_path(program), "ckpt-bundle-runner");
  std::string copy = inFolder(directory, "ckpt-bundle-runner");
  if (std::error_code code = sys::fs::copy_file(runner, copy))
    return makeError(runner + ": " + code.message());
  if (std::error_code code = sys::fs::setPermissions(
          copy, sys::fs::owner_all | sys::fs::group_read | sys::fs::group_exe |
                    sys::fs::others_read | sys::fs::others_exe))
    return makeError(copy + ": " + code.message());
  return Error::success();
}

Error ckpt::writeBundle(const std::string &directory, const CompiledStep &step,
                        KernelFormat format, const CkptStepInfo &info,
                        ArrayRef<HostBuffer> arguments, StringRef program) {
  std::string args = inFolder(directory, "args");
  if (std::error_code code = sys::fs::create_directories(args))
    return makeError(args + ": " + code.message());
  if (Error error = writeHost(directory, *step.host))
    return error;
  std::string message;
  if (!writeFileWhole(inFolder(directory, imageName(format)),
                      step.image.bytes.data(), step.image.bytes.size(),
                      message))
    return makeError(message);
  if (Error error = saveBuffers(
          ArrayRef(info.arguments, static_cast<size_t>(info.numArguments)),
          arguments, args, "arg"))
    return error;
  return copyRunner(directory, program);
}
