//===- SliceSums.h - Sums of tensors that are mostly zero -----*- C++ -*-===//

#ifndef CKPT_LIB_MODELS_SLICESUMS_H
#define CKPT_LIB_MODELS_SLICESUMS_H

#include "mlir/IR/Builders.h"

namespace ckpt::models {

/// `sum` + `term` where both are slices inserted into zeros and no two slices
/// overlap, as the adjoints of slices of one tensor are: the slices side by
/// side, without an addition. They become a concatenation if they make up a
/// tensor along one dimension. Null if the tensors are not of this kind; then
/// nothing was emitted.
mlir::Value createSumOfSlices(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value sum, mlir::Value term);

} // namespace ckpt::models

#endif // CKPT_LIB_MODELS_SLICESUMS_H
