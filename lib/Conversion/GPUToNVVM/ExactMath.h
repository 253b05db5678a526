//===- ExactMath.h - Math that processors have instructions for -*- C++ -*-===//
#ifndef CKPT_LIB_CONVERSION_GPUTONVVM_EXACTMATH_H
#define CKPT_LIB_CONVERSION_GPUTONVVM_EXACTMATH_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace ckpt {

/// Replaces math.isnan, isinf and isfinite by comparisons; upstream has no
/// lowering of them for kernels.
void expandClassification(mlir::gpu::GPUModuleOp module);

/// After the conversion to LLVM: replaces libdevice calls that are one
/// correctly rounded instruction (sqrt, fma, floor, ...) by LLVM's intrinsics.
/// libdevice's square root is an approximation unless its flags say otherwise.
void useExactIntrinsics(mlir::gpu::GPUModuleOp module);

} // namespace ckpt

#endif // CKPT_LIB_CONVERSION_GPUTONVVM_EXACTMATH_H
