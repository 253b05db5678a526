//===- MathDifferentiation.cpp - Derivatives of math ops ------------------===//
//
// Deliberately zero: `floor`, `ceil`, `round`, `roundeven` and `trunc`
// (constant between their jumps) and `copysign` in the sign's operand. `absf`
// has derivative zero at zero. Ops on integers and the classification ops have
// nothing to differentiate.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseModel.h"
#include "ckpt/Models/DifferentiationModels.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ckpt;
using namespace ckpt::models;
using arith::CmpFPredicate;

static Expression square(Expression x) { return x * x; }
static Expression sqrt(Expression x) { return x.apply<math::SqrtOp>(); }
static Expression exp(Expression x) { return x.apply<math::ExpOp>(); }
static Expression log(Expression x) { return x.apply<math::LogOp>(); }

/// 2 / sqrt(pi) * exp(-x^2), the derivative of erf.
static Expression gaussian(Expression x) {
  return exp(-square(x)) * (2.0 * llvm::numbers::inv_sqrtpi);
}

/// 1 or -1, with the sign bit of `x`.
static Expression signOf(Expression x) {
  return x.constant(1.0).apply<math::CopySignOp>(x);
}

/// `n`, integers, as floats of `type`.
static Expression toFloat(ImplicitLocOpBuilder &b, Value n, Type type) {
  return {b, arith::SIToFPOp::create(b, type, n)};
}

namespace ckpt::models {

/// A unary op's derivative, from what it reads.
template <unsigned reads,
          Contribution (*contribution)(Expression, const Primals &)>
struct UnaryDerivative {
  static constexpr Partial partials[] = {{0, reads, contribution}};
};

#define CKPT_UNARY(OP, READS, FORMULA)                                         \
  static Contribution adjointOf##OP(Expression g, const Primals &p) {          \
    FORMULA                                                                    \
  }                                                                            \
  template <>                                                                  \
  struct Derivative<math::OP> : UnaryDerivative<READS, adjointOf##OP> {};
/// The derivative by the operand x.
#define CKPT_FROM_X(OP, FORMULA)                                               \
  CKPT_UNARY(OP, operand(0), Expression x = p.operand(0); return FORMULA;)
/// The derivative by the result y.
#define CKPT_FROM_Y(OP, FORMULA)                                               \
  CKPT_UNARY(OP, result, Expression y = p.result(); return FORMULA;)

CKPT_FROM_X(AcosOp, -(g / sqrt((1.0 - x) * (x + 1.0))))
CKPT_FROM_X(AcoshOp, g / sqrt((x - 1.0) * (x + 1.0)))
CKPT_FROM_X(AsinOp, g / sqrt((1.0 - x) * (x + 1.0)))
CKPT_FROM_X(AsinhOp, g / sqrt(square(x) + 1.0))
CKPT_FROM_X(AtanOp, g / (square(x) + 1.0))
CKPT_FROM_X(AtanhOp, g / ((1.0 - x) * (x + 1.0)))
CKPT_FROM_Y(CbrtOp, g / (square(y) * 3.0))
CKPT_FROM_X(CosOp, -(g *x.apply<math::SinOp>()))
CKPT_FROM_X(CoshOp, g *x.apply<math::SinhOp>())
CKPT_FROM_X(ErfOp, g *gaussian(x))
CKPT_FROM_X(ErfcOp, -(g *gaussian(x)))
CKPT_FROM_Y(ExpOp, g *y)
CKPT_FROM_Y(Exp2Op, g *(y *llvm::numbers::ln2))
CKPT_FROM_Y(ExpM1Op, g *(y + 1.0))
CKPT_FROM_X(LogOp, g / x)
CKPT_FROM_X(Log10Op, g / (x * llvm::numbers::ln10))
CKPT_FROM_X(Log1pOp, g / (x + 1.0))
CKPT_FROM_X(Log2Op, g / (x * llvm::numbers::ln2))
CKPT_FROM_Y(RsqrtOp, g *(square(y) * y * -0.5))
CKPT_FROM_X(SinOp, g *x.apply<math::CosOp>())
CKPT_FROM_X(SinhOp, g *x.apply<math::CoshOp>())
CKPT_FROM_Y(SqrtOp, (g * 0.5) / y)
CKPT_FROM_Y(TanOp, g *(square(y) + 1.0))
CKPT_FROM_Y(TanhOp, g * (1.0 - square(y)))
CKPT_FROM_X(AbsFOp, Expression::select(x.compare(CmpFPredicate::OEQ, 0.0),
                                       g.constant(0.0), g *signOf(x)))

#undef CKPT_FROM_X
#undef CKPT_FROM_Y
#undef CKPT_UNARY

template <>
struct Derivative<math::CeilOp> : ZeroDerivative {};
template <>
struct Derivative<math::FloorOp> : ZeroDerivative {};
template <>
struct Derivative<math::RoundOp> : ZeroDerivative {};
template <>
struct Derivative<math::RoundEvenOp> : ZeroDerivative {};
template <>
struct Derivative<math::TruncOp> : ZeroDerivative {};

/// atan2(y, x).
template <>
struct Derivative<math::Atan2Op> {
  static constexpr Partial partials[] = {
      {0, operand(0) | operand(1),
       [](Expression g, const Primals &p) -> Contribution {
         Expression y = p.operand(0), x = p.operand(1);
         return g * (x / (square(x) + square(y)));
       }},
      {1, operand(0) | operand(1),
       [](Expression g, const Primals &p) -> Contribution {
         Expression y = p.operand(0), x = p.operand(1);
         return -(g * (y / (square(x) + square(y))));
       }}};
};

/// min(max(value, low), high), a selection: at a bound the value is chosen.
template <>
struct Derivative<math::ClampFOp> {
  static constexpr Partial partials[] = {
      {0, operand(0) | operand(1) | operand(2),
       [](Expression g, const Primals &p) -> Contribution {
         Expression x = p.operand(0);
         Value above = x.compare(CmpFPredicate::OGE, p.operand(1));
         Value below = x.compare(CmpFPredicate::OLE, p.operand(2));
         return {g, {arith::AndIOp::create(x.getBuilder(), above, below)}};
       }},
      {1, operand(0) | operand(1),
       [](Expression g, const Primals &p) -> Contribution {
         return {g, {p.operand(0).compare(CmpFPredicate::OLT, p.operand(1))}};
       }},
      {2, operand(0) | operand(2),
       [](Expression g, const Primals &p) -> Contribution {
         return {g, {p.operand(0).compare(CmpFPredicate::OGT, p.operand(2))}};
       }}};
};

template <>
struct Derivative<math::CopySignOp> {
  static constexpr Partial partials[] = {
      {0, operand(0) | operand(1),
       [](Expression g, const Primals &p) -> Contribution {
         return g * (signOf(p.operand(0)) * signOf(p.operand(1)));
       }}};
};

template <>
struct Derivative<math::FmaOp> {
  static constexpr Partial partials[] = {
      {0, operand(1),
       [](Expression g, const Primals &p) -> Contribution {
         return g * p.operand(1);
       }},
      {1, operand(0),
       [](Expression g, const Primals &p) -> Contribution {
         return g * p.operand(0);
       }},
      {2, nothing,
       [](Expression g, const Primals &) -> Contribution { return g; }}};
};

/// x^y. d/dx = y x^(y-1), and 0 where y = 0, also at x = 0. d/dy = x^y log(x),
/// and 0 at x = 0, where x^y is constant for y > 0.
template <>
struct Derivative<math::PowFOp> {
  static constexpr Partial partials[] = {
      {0, operand(0) | operand(1),
       [](Expression g, const Primals &p) -> Contribution {
         Expression x = p.operand(0), y = p.operand(1);
         return {g * (y * x.apply<math::PowFOp>(y - 1.0)),
                 {y.compare(CmpFPredicate::UNE, 0.0)}};
       }},
      {1, operand(0) | result,
       [](Expression g, const Primals &p) -> Contribution {
         Expression x = p.operand(0);
         return {g * (p.result() * log(x)),
                 {x.compare(CmpFPredicate::UNE, 0.0)}};
       }}};
};

/// x^n with an integer n: n x^(n-1), and 0 where n = 0.
template <>
struct Derivative<math::FPowIOp> {
  static constexpr Partial partials[] = {
      {0, operand(0) | operand(1),
       [](Expression g, const Primals &p) -> Contribution {
         Expression x = p.operand(0), n = p.operand(1);
         ImplicitLocOpBuilder &b = g.getBuilder();
         Value from = n, type = x;
         Value one = createConstant(b, from.getType(), 1);
         Value less = arith::SubIOp::create(b, from, one);
         Value isNot0 =
             arith::CmpIOp::create(b, arith::CmpIPredicate::ne, from,
                                   createConstant(b, from.getType(), 0));
         Expression power(b, math::FPowIOp::create(b, x, less));
         return {g * (toFloat(b, from, type.getType()) * power), {isNot0}};
       }}};
};

} // namespace ckpt::models

namespace {
/// sin and cos of one operand, each the derivative of the other but for a sign.
struct SincosModel
    : DifferentiableOpInterface::ExternalModel<SincosModel, math::SincosOp> {
  void getNeededPrimals(Operation *op, function_ref<bool(Value)>,
                        SmallVectorImpl<Value> &primals) const {
    llvm::append_range(primals, op->getResults());
  }
  LogicalResult emitAdjoint(Operation *op, ImplicitLocOpBuilder &builder,
                            ArrayRef<Value> cotangents,
                            function_ref<bool(Value)>,
                            function_ref<Value(Value)> primal,
                            AccumulateFn accumulate) const {
    Value x = op->getOperand(0);
    auto expression = [&](Value value) { return Expression(builder, value); };
    if (cotangents[0])
      accumulate(
          x, expression(cotangents[0]) * expression(primal(op->getResult(1))),
          {});
    if (cotangents[1])
      accumulate(
          x,
          -(expression(cotangents[1]) * expression(primal(op->getResult(0)))),
          {});
    return success();
  }
};
} // namespace

void ckpt::registerMathDifferentiation(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    context->loadDialect<arith::ArithDialect>();
    attachElementwiseModels<
        math::AbsFOp, math::AcosOp, math::AcoshOp, math::AsinOp, math::AsinhOp,
        math::Atan2Op, math::AtanOp, math::AtanhOp, math::CbrtOp, math::CeilOp,
        math::ClampFOp, math::CopySignOp, math::CosOp, math::CoshOp,
        math::ErfOp, math::ErfcOp, math::Exp2Op, math::ExpM1Op, math::ExpOp,
        math::FPowIOp, math::FloorOp, math::FmaOp, math::Log10Op, math::Log1pOp,
        math::Log2Op, math::LogOp, math::PowFOp, math::RoundEvenOp,
        math::RoundOp, math::RsqrtOp, math::SinOp, math::SinhOp, math::SqrtOp,
        math::TanOp, math::TanhOp, math::TruncOp>(context);
    math::SincosOp::attachInterface<SincosModel>(*context);
  });
}
