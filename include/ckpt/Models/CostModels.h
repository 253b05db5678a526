//===- CostModels.h - Cost and storage of upstream ops --------*- C++ -*-===//
//
// External models of CostOpInterface and RematerializableOpInterface, one
// function per upstream dialect.
//
//===----------------------------------------------------------------------===//

#ifndef CKPT_MODELS_COSTMODELS_H
#define CKPT_MODELS_COSTMODELS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace ckpt {

/// Constants take no buffer; elementwise ops on tensors take one.
void registerArithCostModels(mlir::DialectRegistry &registry);
/// All structured ops.
void registerLinalgCostModels(mlir::DialectRegistry &registry);
/// Elementwise ops on tensors.
void registerMathCostModels(mlir::DialectRegistry &registry);
/// Views (reshapes, slices, casts) and ops that move data.
void registerTensorCostModels(mlir::DialectRegistry &registry);

/// All of the above.
void registerCostModels(mlir::DialectRegistry &registry);

} // namespace ckpt

#endif // CKPT_MODELS_COSTMODELS_H
