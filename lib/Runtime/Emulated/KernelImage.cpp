//===- KernelImage.cpp - A loaded module of kernels -----------------------===//

#include "KernelImage.h"

#include "KernelExtractor.h"
#include "KernelRewriter.h"

#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <optional>

using namespace llvm;
using namespace ckpt;
using namespace ckpt::emulated;
using runtime::Status;

/// Launches of more instructions than this are worth full optimisation, which
/// takes some 25 ms a kernel. The choice hangs on the launch's sizes alone: a
/// kernel that a plan launches again runs the same code again.
static constexpr uint64_t quickWork = 4'000'000;

/// A thread has 512 KiB of local memory on a GPU (CUDA C++ Programming Guide,
/// table "Technical Specifications per Compute Capability"); code for the host
/// keeps more in memory.
static constexpr uint64_t maxStackBytes = 1 << 20;

static Status statusOf(Error error) {
  return Status::error(toString(std::move(error)));
}

static bool isKernel(const Function &function) {
  return !function.isDeclaration() &&
         function.getCallingConv() == CallingConv::PTX_Kernel;
}

/// What a file that is no LLVM IR may be.
static const char *foreignFormat(StringRef data) {
  if (data.starts_with("\x7f"
                       "ELF"))
    return "a cubin";
  if (data.starts_with("\x50\xed\x55\xba"))
    return "a fatbin";
  if (data.ltrim().starts_with("//") || data.ltrim().starts_with(".version"))
    return "PTX";
  return nullptr;
}

Status KernelImage::load(const void *data, int64_t size,
                         std::unique_ptr<KernelImage> &image) {
  StringRef bytes(static_cast<const char *>(data), size_t(size));
  if (const char *format = foreignFormat(bytes))
    return Status::error(
        "the emulated device takes LLVM bitcode; the kernel image is " +
        std::string(format));
  std::unique_ptr<KernelImage> loaded(new KernelImage);
  SMDiagnostic diagnostic;
  // The parser of textual IR wants a terminated buffer: a copy has one.
  std::unique_ptr<MemoryBuffer> buffer =
      MemoryBuffer::getMemBufferCopy(bytes, "kernel image");
  loaded->module =
      parseIR(buffer->getMemBufferRef(), diagnostic, loaded->context);
  if (!loaded->module)
    return Status::error("the kernel image is no LLVM bitcode: " +
                         diagnostic.getMessage().str());
  if (!loaded->module->getTargetTriple().isNVPTX())
    return Status::error("the kernel image is for '" +
                         loaded->module->getTargetTriple().str() +
                         "', not for nvptx64");
  std::string problems;
  raw_string_ostream stream(problems);
  if (verifyModule(*loaded->module, &stream))
    return Status::error("the kernel image is invalid: " + problems);
  for (Function &function : *loaded->module)
    if (isKernel(function))
      if (Error error = checkKernel(function))
        return statusOf(std::move(error));
  Expected<std::unique_ptr<Jit>> jit = Jit::create();
  if (!jit)
    return statusOf(jit.takeError());
  loaded->jit = std::move(*jit);
  image = std::move(loaded);
  return Status();
}

Status KernelImage::find(const std::string &name, const Function *&kernel) {
  const Function *function = module->getFunction(name);
  if (!function || !isKernel(*function))
    return Status::error("the kernel image has no kernel '" + name + "'");
  kernel = function;
  return Status();
}

/// The numbers in a function attribute such as "nvvm.reqntid"="256,1,1".
static std::optional<runtime::Dim3> sizesAttribute(const Function &kernel,
                                                   StringRef name) {
  if (!kernel.hasFnAttribute(name))
    return std::nullopt;
  SmallVector<StringRef, 3> texts;
  kernel.getFnAttribute(name).getValueAsString().split(texts, ',');
  runtime::Dim3 sizes;
  uint32_t *const fields[] = {&sizes.x, &sizes.y, &sizes.z};
  for (auto [text, field] : zip(texts, fields))
    if (text.trim().getAsInteger(10, *field))
      return std::nullopt;
  return sizes;
}

static std::string text(const runtime::Dim3 &sizes) {
  return std::to_string(sizes.x) + " x " + std::to_string(sizes.y) + " x " +
         std::to_string(sizes.z);
}

/// The program may say which block sizes a kernel can be launched with.
static Status checkBlockSize(const Function &kernel,
                             const runtime::Dim3 &block) {
  const std::string prefix = "kernel '" + kernel.getName().str() + "': ";
  if (auto required = sizesAttribute(kernel, "nvvm.reqntid"))
    if (required->x != block.x || required->y != block.y ||
        required->z != block.z)
      return Status::error(prefix + "launched with blocks of " + text(block) +
                           " threads, compiled for " + text(*required));
  if (auto most = sizesAttribute(kernel, "nvvm.maxntid"))
    if (block.count() > most->count())
      return Status::error(prefix + "launched with blocks of " + text(block) +
                           " threads, compiled for at most " +
                           std::to_string(most->count()));
  return Status();
}

/// Whether an argument is what the kernel's unchecked accesses count on.
static bool isMet(const LaunchRequirement &requirement,
                  const KernelArgument &argument) {
  if (argument.address % requirement.alignment != 0)
    return false;
  if (requirement.low == requirement.high)
    return true;
  const int64_t before = int64_t(argument.address - argument.range.begin);
  const int64_t after = int64_t(argument.range.bytes) - before;
  return argument.range.bytes > 0 && requirement.low >= -before &&
         requirement.high <= after;
}

Status KernelImage::prepare(const Function &kernel,
                            const runtime::LaunchConfig &config,
                            ArrayRef<KernelArgument> arguments,
                            const CompiledKernel *&compiled) {
  Status status = compile(kernel, config, /*allChecks=*/false, compiled);
  if (!status.ok())
    return status;
  const bool met = llvm::all_of(
      compiled->requirements, [&](const LaunchRequirement &requirement) {
        return isMet(requirement, arguments[requirement.param]);
      });
  return met ? status : compile(kernel, config, /*allChecks=*/true, compiled);
}

Status KernelImage::compile(const Function &kernel,
                            const runtime::LaunchConfig &config, bool allChecks,
                            const CompiledKernel *&compiled) {
  const Key key{&kernel,        config.grid.x,  config.grid.y,  config.grid.z,
                config.block.x, config.block.y, config.block.z, allChecks};
  auto it = kernels.find(key);
  if (it != kernels.end()) {
    compiled = &it->second;
    return Status();
  }
  if (Status status = checkBlockSize(kernel, config.block); !status.ok())
    return status;
  HostKernel host =
      rewriteKernel(const_cast<Function &>(kernel), config.grid, config.block,
                    "kernel." + std::to_string(kernels.size()),
                    allChecks ? Checks::All : Checks::UnderRequirements);
  const Effort effort = host.work > quickWork ? Effort::Full : Effort::Quick;
  Expected<CompiledFunction> function =
      jit->compile(*host.module, host.entry, effort);
  if (!function)
    return Status::error("kernel '" + kernel.getName().str() +
                         "': " + toString(function.takeError()));
  if (function->stackBytes > maxStackBytes)
    return Status::error("kernel '" + kernel.getName().str() + "': needs " +
                         std::to_string(function->stackBytes) +
                         " bytes of local memory per thread, must be at most " +
                         std::to_string(maxStackBytes));
  host.info.stackBytes = function->stackBytes;
  if (host.fibers)
    host.info.thread = reinterpret_cast<ThreadFunction>(function->address);
  else
    host.info.loop = reinterpret_cast<ThreadLoop>(function->address);
  compiled = &kernels.emplace(key, std::move(host.info)).first->second;
  return Status();
}
