//===- KernelRewriter.h - From an NVPTX kernel to a host function -*- C++
//-*-===//
#ifndef CKPT_LIB_RUNTIME_EMULATED_KERNELREWRITER_H
#define CKPT_LIB_RUNTIME_EMULATED_KERNELREWRITER_H

#include "KernelInfo.h"

#include <memory>
#include <string>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace ckpt::emulated {

/// A kernel as a host function, not yet compiled.
struct HostKernel {
  std::unique_ptr<llvm::Module> module;
  /// Of type ThreadFunction if `fibers`, else ThreadLoop.
  std::string entry;
  bool fibers = false;
  /// Instructions that one launch executes, roughly.
  uint64_t work = 0;
  /// All but the entry points.
  CompiledKernel info;
};

/// Which accesses get a check.
enum class Checks {
  /// Those of which nothing is known, even if the launch meets the kernel's
  /// requirements.
  UnderRequirements,
  All
};

/// Rewrites `kernel`, which passed checkKernel(), for launches of exactly these
/// block and grid sizes. `entry` is the symbol to give the result.
HostKernel rewriteKernel(llvm::Function &kernel, const runtime::Dim3 &grid,
                         const runtime::Dim3 &block, std::string entry,
                         Checks checks);

} // namespace ckpt::emulated

#endif // CKPT_LIB_RUNTIME_EMULATED_KERNELREWRITER_H
