//===- DifferentiationModels.h - Adjoints of upstream ops -----*- C++ -*-===//
//
// External models of DifferentiableOpInterface and DifferentiableTypeInterface,
// one function per upstream dialect, attached when the dialect is loaded. An op
// keeps the model that was attached first, so users override ours by
// registering theirs before.
//
//===----------------------------------------------------------------------===//

#ifndef CKPT_MODELS_DIFFERENTIATIONMODELS_H
#define CKPT_MODELS_DIFFERENTIATIONMODELS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace ckpt {

/// `DifferentiableTypeInterface` for floats, integers and ranked tensors. Loads
/// the dialects that sums of cotangents are written in: arith, linalg, tensor.
void registerBuiltinDifferentiation(mlir::DialectRegistry &registry);

/// `DifferentiableOpInterface` for the ops of one upstream dialect each.
void registerArithDifferentiation(mlir::DialectRegistry &registry);
void registerFuncDifferentiation(mlir::DialectRegistry &registry);
void registerLinalgDifferentiation(mlir::DialectRegistry &registry);
void registerMathDifferentiation(mlir::DialectRegistry &registry);
void registerTensorDifferentiation(mlir::DialectRegistry &registry);

/// All of the above.
void registerDifferentiationModels(mlir::DialectRegistry &registry);

} // namespace ckpt

#endif // CKPT_MODELS_DIFFERENTIATIONMODELS_H
