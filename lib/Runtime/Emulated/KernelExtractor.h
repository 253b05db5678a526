//===- KernelExtractor.h - One kernel in a module of its own ----*- C++ -*-===//
#ifndef CKPT_LIB_RUNTIME_EMULATED_KERNELEXTRACTOR_H
#define CKPT_LIB_RUNTIME_EMULATED_KERNELEXTRACTOR_H

#include "llvm/Support/Error.h"

#include <memory>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace ckpt::emulated {

/// Checks that the emulator can run `kernel`: everything it reaches is defined,
/// is no recursion, and is an intrinsic or inline assembly that is known. The
/// error names the kernel and what is wrong.
llvm::Error checkKernel(llvm::Function &kernel);

/// Copies `kernel` and all it reaches into a new module and inlines every call.
/// Presumes checkKernel(). Time is linear in what the kernel reaches.
std::unique_ptr<llvm::Module> extractKernel(llvm::Function &kernel);

/// Whether the threads of an extracted kernel wait for each other.
bool synchronises(const llvm::Function &kernel);

} // namespace ckpt::emulated

#endif // CKPT_LIB_RUNTIME_EMULATED_KERNELEXTRACTOR_H
