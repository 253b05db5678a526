//===- Expression.h - Formulas over scalars and tensors -------*- C++ -*-===//
//
// Lets rules be written as they stand in a table of derivatives. An expression
// is a value of floats (a scalar or a tensor) and the builder that appends the
// ops of whatever is computed from it.
//
//===----------------------------------------------------------------------===//

#ifndef CKPT_LIB_MODELS_EXPRESSION_H
#define CKPT_LIB_MODELS_EXPRESSION_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

namespace ckpt::models {

/// A constant of `type`, a float or a tensor of floats, rounded from `value`.
inline mlir::Value createConstant(mlir::ImplicitLocOpBuilder &b,
                                  mlir::Type type, double value) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  mlir::TypedAttr attr = mlir::isa<mlir::FloatType>(element)
                             ? mlir::TypedAttr(b.getFloatAttr(element, value))
                             : b.getIntegerAttr(element, value);
  if (auto shaped = mlir::dyn_cast<mlir::ShapedType>(type))
    attr = mlir::DenseElementsAttr::get(shaped, mlir::Attribute(attr));
  return mlir::arith::ConstantOp::create(b, type, attr);
}

class Expression {
public:
  Expression(mlir::ImplicitLocOpBuilder &builder, mlir::Value value)
      : builder(&builder), value(value) {}

  operator mlir::Value() const { return value; }
  mlir::ImplicitLocOpBuilder &getBuilder() const { return *builder; }

  /// The result of `OpTy` on this and `others`.
  template <typename OpTy, typename... Others>
  Expression apply(Others... others) const {
    return {*builder, OpTy::create(*builder, value, mlir::Value(others)...)};
  }
  /// A constant of this expression's type.
  Expression constant(double number) const {
    return {*builder, createConstant(*builder, value.getType(), number)};
  }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate,
                      Expression other) const {
    return mlir::arith::CmpFOp::create(*builder, predicate, value, other.value);
  }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate,
                      double number) const {
    return compare(predicate, constant(number));
  }
  /// `condition` ? `ifTrue` : `ifFalse`.
  static Expression select(mlir::Value condition, Expression ifTrue,
                           Expression ifFalse) {
    mlir::ImplicitLocOpBuilder &b = ifTrue.getBuilder();
    return {b, mlir::arith::SelectOp::create(b, condition, ifTrue, ifFalse)};
  }

private:
  mlir::ImplicitLocOpBuilder *builder;
  mlir::Value value;
};

inline Expression operator+(Expression a, Expression b) {
  return a.apply<mlir::arith::AddFOp>(b);
}
inline Expression operator-(Expression a, Expression b) {
  return a.apply<mlir::arith::SubFOp>(b);
}
inline Expression operator*(Expression a, Expression b) {
  return a.apply<mlir::arith::MulFOp>(b);
}
inline Expression operator/(Expression a, Expression b) {
  return a.apply<mlir::arith::DivFOp>(b);
}
inline Expression operator-(Expression a) {
  return a.apply<mlir::arith::NegFOp>();
}
inline Expression operator+(Expression a, double b) {
  return a + a.constant(b);
}
inline Expression operator-(Expression a, double b) {
  return a - a.constant(b);
}
inline Expression operator-(double a, Expression b) {
  return b.constant(a) - b;
}
inline Expression operator*(Expression a, double b) {
  return a * a.constant(b);
}
inline Expression operator/(Expression a, double b) {
  return a / a.constant(b);
}

} // namespace ckpt::models

#endif // CKPT_LIB_MODELS_EXPRESSION_H
