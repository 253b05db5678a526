//===- LowerKernels.h - Kernels in the NVVM dialect -------------*- C++ -*-===//

#ifndef CKPT_CONVERSION_GPUTONVVM_LOWERKERNELS_H
#define CKPT_CONVERSION_GPUTONVVM_LOWERKERNELS_H

#include "mlir/Pass/PassManager.h"

namespace ckpt {

/// Adds to a pass manager on gpu.module the passes that lower its kernels to
/// the LLVM and NVVM dialects (see the pass `ckpt-lower-kernels`).
void buildKernelLoweringPipeline(mlir::OpPassManager &pm);

/// Replaces math ops that every processor has instructions for, exactly
/// rounded, by LLVM's intrinsics. Upstream's conversion would call libdevice,
/// whose square root is an approximation.
void lowerExactMath(mlir::Operation *root);

} // namespace ckpt

#endif // CKPT_CONVERSION_GPUTONVVM_LOWERKERNELS_H
