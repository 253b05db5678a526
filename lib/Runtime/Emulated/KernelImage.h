//===- KernelImage.h - A loaded module of kernels ---------------*- C++ -*-===//
#ifndef CKPT_LIB_RUNTIME_EMULATED_KERNELIMAGE_H
#define CKPT_LIB_RUNTIME_EMULATED_KERNELIMAGE_H

#include "Jit.h"
#include "KernelInfo.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <map>
#include <tuple>

namespace ckpt::emulated {

/// The kernels of one LLVM module for NVPTX, compiled when first launched: one
/// host function per kernel, grid and block size, since those are constants in
/// it.
class KernelImage {
public:
  /// Parses bitcode (or textual LLVM IR) and checks every kernel in it.
  static runtime::Status load(const void *data, int64_t size,
                              std::unique_ptr<KernelImage> &image);

  /// The parameters of a kernel, or an error that lists what there is.
  runtime::Status find(const std::string &name, const llvm::Function *&kernel);
  /// The kernel, compiled for these sizes and fit for these arguments.
  runtime::Status prepare(const llvm::Function &kernel,
                          const runtime::LaunchConfig &config,
                          llvm::ArrayRef<KernelArgument> arguments,
                          const CompiledKernel *&compiled);

private:
  KernelImage() = default;

  /// Kernel, grid, block, whether all accesses are checked.
  using Key = std::tuple<const llvm::Function *, uint32_t, uint32_t, uint32_t,
                         uint32_t, uint32_t, uint32_t, bool>;

  runtime::Status compile(const llvm::Function &kernel,
                          const runtime::LaunchConfig &config, bool allChecks,
                          const CompiledKernel *&compiled);

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<Jit> jit;
  std::map<Key, CompiledKernel> kernels;
};

} // namespace ckpt::emulated

#endif // CKPT_LIB_RUNTIME_EMULATED_KERNELIMAGE_H
