//===- LowerKernels.h - Kernels in the NVVM dialect -------------*- C++ -*-===//

#ifndef CKPT_CONVERSION_GPUTONVVM_LOWERKERNELS_H
#define CKPT_CONVERSION_GPUTONVVM_LOWERKERNELS_H

#include "mlir/Pass/PassManager.h"

namespace ckpt {

/// Adds to a pass manager on gpu.module the passes that lower its kernels to
/// the LLVM and NVVM dialects (see the pass `ckpt-lower-kernels`).
void buildKernelLoweringPipeline(mlir::OpPassManager &pm);

} // namespace ckpt

#endif // CKPT_CONVERSION_GPUTONVVM_LOWERKERNELS_H
