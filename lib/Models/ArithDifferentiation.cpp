//===- ArithDifferentiation.cpp - Derivatives of arith ops ----------------===//
//
// Ties. `maximumf`, `maxnumf`, `minimumf` and `minnumf` are selections: the
// cotangent goes to the left operand where that is strictly the greater (less),
// else to the right one. So max(x, 0), a relu, has derivative 0 at 0.
//
// Ops whose result is not of floats (comparisons, conversions to integers) need
// no rule: nothing differentiable depends on them. Nor do those without
// operands of floats.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseModel.h"
#include "ckpt/Models/DifferentiationModels.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace ckpt;
using namespace ckpt::models;
using arith::CmpFPredicate;

/// `value` converted to `type`, a float type or tensors of one.
static Expression convert(Expression value, Type type) {
  Value from = value;
  if (from.getType() == type)
    return value;
  auto width = [](Type t) {
    return cast<FloatType>(getElementTypeOrSelf(t)).getWidth();
  };
  ImplicitLocOpBuilder &b = value.getBuilder();
  if (width(type) > width(from.getType()))
    return {b, arith::ExtFOp::create(b, type, from)};
  return {b, arith::TruncFOp::create(b, type, from)};
}

/// A scale as the scaling conversions read it: its exponent alone.
static Expression convertScale(Expression scale, Type type) {
  Type exponents = Float8E8M0FNUType::get(type.getContext());
  Value from = scale;
  if (auto shaped = dyn_cast<ShapedType>(from.getType()))
    exponents = shaped.clone(exponents);
  return convert(convert(scale, exponents), type);
}

/// Where the left operand is chosen by a maximum (`greater`) or a minimum that
/// lets NaNs through.
static Guard choosesLeft(const Primals &p, CmpFPredicate predicate) {
  return {p.operand(0).compare(predicate, p.operand(1))};
}

/// The same for maxnumf and minnumf, which prefer a number to a NaN: the left
/// operand is also chosen where the right one is a NaN.
static Guard choosesLeftNumber(const Primals &p, CmpFPredicate predicate) {
  Expression left = p.operand(0), right = p.operand(1);
  ImplicitLocOpBuilder &b = left.getBuilder();
  Value wins = left.compare(predicate, right);
  Value isNaN = right.compare(CmpFPredicate::UNO, right);
  return {arith::OrIOp::create(b, wins, isNaN)};
}

static Guard negate(Guard guard) { return {guard.condition, !guard.negated}; }

namespace ckpt::models {

template <>
struct Derivative<arith::AddFOp> {
  static constexpr Partial partials[] = {
      {0, nothing,
       [](Expression g, const Primals &) -> Contribution { return g; }},
      {1, nothing,
       [](Expression g, const Primals &) -> Contribution { return g; }}};
};

template <>
struct Derivative<arith::SubFOp> {
  static constexpr Partial partials[] = {
      {0, nothing,
       [](Expression g, const Primals &) -> Contribution { return g; }},
      {1, nothing,
       [](Expression g, const Primals &) -> Contribution { return -g; }}};
};

template <>
struct Derivative<arith::MulFOp> {
  static constexpr Partial partials[] = {
      {0, operand(1),
       [](Expression g, const Primals &p) -> Contribution {
         return g * p.operand(1);
       }},
      {1, operand(0), [](Expression g, const Primals &p) -> Contribution {
         return g * p.operand(0);
       }}};
};

template <>
struct Derivative<arith::DivFOp> {
  static constexpr Partial partials[] = {
      {0, operand(1),
       [](Expression g, const Primals &p) -> Contribution {
         return g / p.operand(1);
       }},
      {1, operand(1) | result,
       [](Expression g, const Primals &p) -> Contribution {
         return -((g / p.operand(1)) * p.result());
       }}};
};

/// x - trunc(x / y) * y: piecewise linear.
template <>
struct Derivative<arith::RemFOp> {
  static constexpr Partial partials[] = {
      {0, nothing,
       [](Expression g, const Primals &) -> Contribution { return g; }},
      {1, operand(0) | operand(1),
       [](Expression g, const Primals &p) -> Contribution {
         Expression quotient = p.operand(0) / p.operand(1);
         return -(g * quotient.apply<math::TruncOp>());
       }}};
};

template <>
struct Derivative<arith::NegFOp> {
  static constexpr Partial partials[] = {
      {0, nothing,
       [](Expression g, const Primals &) -> Contribution { return -g; }}};
};

/// A choice of one of two operands by `guard`.
template <Guard (*guard)(const Primals &)>
struct ChoiceDerivative {
  static constexpr Partial partials[] = {
      {0, operand(0) | operand(1),
       [](Expression g, const Primals &p) -> Contribution {
         return {g, guard(p)};
       }},
      {1, operand(0) | operand(1),
       [](Expression g, const Primals &p) -> Contribution {
         return {g, negate(guard(p))};
       }}};
};

static Guard maximumGuard(const Primals &p) {
  return choosesLeft(p, CmpFPredicate::OGT);
}
static Guard minimumGuard(const Primals &p) {
  return choosesLeft(p, CmpFPredicate::OLT);
}
static Guard maxNumGuard(const Primals &p) {
  return choosesLeftNumber(p, CmpFPredicate::OGT);
}
static Guard minNumGuard(const Primals &p) {
  return choosesLeftNumber(p, CmpFPredicate::OLT);
}

template <>
struct Derivative<arith::MaximumFOp> : ChoiceDerivative<maximumGuard> {};
template <>
struct Derivative<arith::MinimumFOp> : ChoiceDerivative<minimumGuard> {};
template <>
struct Derivative<arith::MaxNumFOp> : ChoiceDerivative<maxNumGuard> {};
template <>
struct Derivative<arith::MinNumFOp> : ChoiceDerivative<minNumGuard> {};

template <>
struct Derivative<arith::SelectOp> {
  static constexpr Partial partials[] = {
      {1, operand(0),
       [](Expression g, const Primals &p) -> Contribution {
         return {g, {p.operand(0)}};
       }},
      {2, operand(0), [](Expression g, const Primals &p) -> Contribution {
         return {g, {p.operand(0), /*negated=*/true}};
       }}};
};

/// A change of precision: the cotangent changes back.
struct ConversionDerivative {
  static constexpr Partial partials[] = {
      {0, nothing, [](Expression g, const Primals &p) -> Contribution {
         return convert(g, p.operandType(0));
       }}};
};
template <>
struct Derivative<arith::ExtFOp> : ConversionDerivative {};
template <>
struct Derivative<arith::TruncFOp> : ConversionDerivative {};

/// result = convert(operand) * scale. The scale is a power of two that was
/// chosen, not computed differentiably: it has derivative zero.
template <>
struct Derivative<arith::ScalingExtFOp> {
  static constexpr Partial partials[] = {
      {0, operand(1), [](Expression g, const Primals &p) -> Contribution {
         Value from = g;
         return convert(g * convertScale(p.operand(1), from.getType()),
                        p.operandType(0));
       }}};
};
/// result = convert(operand / scale).
template <>
struct Derivative<arith::ScalingTruncFOp> {
  static constexpr Partial partials[] = {
      {0, operand(1), [](Expression g, const Primals &p) -> Contribution {
         Type to = p.operandType(0);
         return convert(g, to) / convertScale(p.operand(1), to);
       }}};
};

} // namespace ckpt::models

void ckpt::registerArithDifferentiation(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    context->loadDialect<math::MathDialect>();
    attachElementwiseModels<arith::AddFOp, arith::DivFOp, arith::ExtFOp,
                            arith::MaxNumFOp, arith::MaximumFOp,
                            arith::MinNumFOp, arith::MinimumFOp, arith::MulFOp,
                            arith::NegFOp, arith::RemFOp, arith::ScalingExtFOp,
                            arith::ScalingTruncFOp, arith::SelectOp,
                            arith::SubFOp, arith::TruncFOp>(context);
  });
}
