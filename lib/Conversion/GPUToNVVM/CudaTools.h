//===- CudaTools.h - The toolkit's programs ---------------------*- C++ -*-===//
#ifndef CKPT_LIB_CONVERSION_GPUTONVVM_CUDATOOLS_H
#define CKPT_LIB_CONVERSION_GPUTONVVM_CUDATOOLS_H

#include "ckpt/Conversion/GPUToNVVM/SerializeKernels.h"

namespace ckpt {

std::string joinPath(llvm::StringRef folder, llvm::StringRef file);

/// Assembles PTX with ptxas, and bundles it with its result for the format
/// fatbin. Fails with an error at `module` where a tool is missing or fails.
llvm::FailureOr<KernelImage> assembleKernels(mlir::gpu::GPUModuleOp module,
                                             const SerializeOptions &options,
                                             std::vector<char> ptx);

/// Reads what `ptxas -v` prints.
std::vector<KernelResources> parseResources(llvm::StringRef log);

} // namespace ckpt

#endif // CKPT_LIB_CONVERSION_GPUTONVVM_CUDATOOLS_H
