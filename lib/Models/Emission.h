//===- Emission.h - IR that several rules emit ----------------*- C++ -*-===//

#ifndef CKPT_LIB_MODELS_EMISSION_H
#define CKPT_LIB_MODELS_EMISSION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace ckpt::models {

/// The float type in which sums of `element` are formed: f32 for narrower ones.
mlir::FloatType getAccumulatorElement(mlir::FloatType element);

/// `scalar`, of floats, converted to `type`; itself if it has that type.
mlir::Value convertFloat(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value scalar, mlir::Type type);

/// A tensor of `type`, without contents.
mlir::Value createEmpty(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::RankedTensorType type);
/// A tensor of `type` filled with `value`.
mlir::Value createFilled(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::RankedTensorType type, double value);

/// A `linalg.generic` over all elements of a tensor of `type`. `inputs` are
/// tensors of that shape, or scalars. `body` gets the elements and the location
/// and returns the element to yield.
mlir::Value createElementwise(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type,
    mlir::ValueRange inputs,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                   mlir::ValueRange)>
        body);

} // namespace ckpt::models

#endif // CKPT_LIB_MODELS_EMISSION_H
