//===- ElementwiseModel.h - Tables of derivatives -------------*- C++ -*-===//
//
// An elementwise op's rule is a list of partial derivatives. The same rule
// serves ops on scalars, in bodies of linalg ops, and on whole tensors.
//
//===----------------------------------------------------------------------===//

#ifndef CKPT_LIB_MODELS_ELEMENTWISEMODEL_H
#define CKPT_LIB_MODELS_ELEMENTWISEMODEL_H

#include "Expression.h"
#include "ckpt/Interfaces/DifferentiableOpInterface.h"

namespace ckpt::models {

/// The forward values of an op, as a rule sees them.
class Primals {
public:
  Primals(mlir::ImplicitLocOpBuilder &builder, mlir::Operation *op,
          llvm::function_ref<mlir::Value(mlir::Value)> lookup)
      : builder(builder), op(op), lookup(lookup) {}

  Expression operand(unsigned index) const {
    return {builder, lookup(op->getOperand(index))};
  }
  Expression result() const { return {builder, lookup(op->getResult(0))}; }
  mlir::Type operandType(unsigned index) const {
    return op->getOperand(index).getType();
  }

private:
  mlir::ImplicitLocOpBuilder &builder;
  mlir::Operation *op;
  llvm::function_ref<mlir::Value(mlir::Value)> lookup;
};

/// What a partial derivative adds to the cotangent of its operand.
struct Contribution {
  Contribution(Expression value, Guard guard = {})
      : value(value), guard(guard) {}

  Expression value;
  Guard guard;
};

/// Bits of `Partial::reads`.
inline constexpr unsigned nothing = 0;
inline constexpr unsigned result = 1u << 31;
inline constexpr unsigned operand(unsigned index) { return 1u << index; }

/// The derivative with respect to one operand.
struct Partial {
  /// Of which operand.
  unsigned of;
  /// The forward values that it reads.
  unsigned reads;
  /// What the cotangent `g` of the result adds to the operand's.
  Contribution (*contribution)(Expression g, const Primals &p);
};

/// The list of partials of `OpTy`; operands without one have derivative zero.
/// Specialisations define `static constexpr Partial partials[]`, or an empty
/// `static constexpr llvm::ArrayRef<Partial> partials`.
template <typename OpTy>
struct Derivative;

/// The rule of an op whose derivative is zero wherever it exists.
struct ZeroDerivative {
  static constexpr llvm::ArrayRef<Partial> partials = {};
};

void getNeededPrimals(mlir::Operation *op, llvm::ArrayRef<Partial> partials,
                      llvm::function_ref<bool(mlir::Value)> isActive,
                      llvm::SmallVectorImpl<mlir::Value> &primals);
void emitPartials(mlir::Operation *op, llvm::ArrayRef<Partial> partials,
                  mlir::ImplicitLocOpBuilder &builder, mlir::Value cotangent,
                  llvm::function_ref<bool(mlir::Value)> isActive,
                  llvm::function_ref<mlir::Value(mlir::Value)> primal,
                  AccumulateFn accumulate);

/// The model of an op with one result that `Derivative<OpTy>` describes.
template <typename OpTy>
struct ElementwiseModel
    : DifferentiableOpInterface::ExternalModel<ElementwiseModel<OpTy>, OpTy> {
  void getNeededPrimals(mlir::Operation *op,
                        llvm::function_ref<bool(mlir::Value)> isActive,
                        llvm::SmallVectorImpl<mlir::Value> &primals) const {
    models::getNeededPrimals(op, Derivative<OpTy>::partials, isActive, primals);
  }
  llvm::LogicalResult
  emitAdjoint(mlir::Operation *op, mlir::ImplicitLocOpBuilder &builder,
              llvm::ArrayRef<mlir::Value> cotangents,
              llvm::function_ref<bool(mlir::Value)> isActive,
              llvm::function_ref<mlir::Value(mlir::Value)> primal,
              AccumulateFn accumulate) const {
    emitPartials(op, Derivative<OpTy>::partials, builder, cotangents.front(),
                 isActive, primal, accumulate);
    return mlir::success();
  }
};

/// Attaches `ElementwiseModel` to each of `Ops`.
template <typename... Ops>
void attachElementwiseModels(mlir::MLIRContext *context) {
  (Ops::template attachInterface<ElementwiseModel<Ops>>(*context), ...);
}

} // namespace ckpt::models

#endif // CKPT_LIB_MODELS_ELEMENTWISEMODEL_H
