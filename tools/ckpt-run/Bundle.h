//===- Bundle.h - A compiled step that runs without LLVM ------*- C++ -*-===//

#ifndef CKPT_TOOLS_CKPTRUN_BUNDLE_H
#define CKPT_TOOLS_CKPTRUN_BUNDLE_H

#include "Execution.h"
#include "ckpt/Pipelines/Compiler.h"

namespace ckpt {

/// Writes the step as a folder that ckpt-bundle-runner runs: `step.so` (host
/// code), the kernels (`kernels.fatbin`, `kernels.cubin`, `kernels.ptx` or
/// `kernels.bc`, by their format), `args/argK.npy`, and the runner itself,
/// taken from beside this program. Consumes nothing of `step` but reads its
/// host code. Needs a C compiler (`cc`, or what CC names) to link. A file that
/// cannot be written is an error; files that were there before are replaced
/// whole.
llvm::Error writeBundle(const std::string &directory, const CompiledStep &step,
                        KernelFormat format, const CkptStepInfo &info,
                        llvm::ArrayRef<HostBuffer> arguments,
                        llvm::StringRef program);

} // namespace ckpt

#endif // CKPT_TOOLS_CKPTRUN_BUNDLE_H
