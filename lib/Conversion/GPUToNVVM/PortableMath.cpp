//===- PortableMath.cpp - Math functions without libdevice ----------------===//

#include "PortableMath.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

/// Emits expressions of one floating-point type.
class MathBuilder {
public:
  MathBuilder(IRBuilder<> &b, Type *type) : b(b), type(type) {}

  Value *constant(double value) const { return ConstantFP::get(type, value); }
  Value *call(Intrinsic::ID id, Value *x) const {
    return b.CreateUnaryIntrinsic(id, x);
  }
  Value *log1p(Value *x) const;
  Value *expm1(Value *x) const;
  Value *asinh(Value *x) const;
  Value *acosh(Value *x) const;
  Value *atanh(Value *x) const;
  Value *cbrt(Value *x) const;
  /// erf, or its complement.
  Value *errorFunction(Value *x, bool complement) const;

private:
  Value *polynomialRatio(Value *x, ArrayRef<double> numerator,
                         ArrayRef<double> denominator) const;
  Value *withSignOf(Value *magnitude, Value *x) const {
    return b.CreateBinaryIntrinsic(Intrinsic::copysign, magnitude, x);
  }

  IRBuilder<> &b;
  Type *type;
};

} // namespace

/// log(u) * x / (u - 1) with u = 1 + x: the rounding errors of u cancel
/// (W. Kahan; see Goldberg 1991, theorem 4).
Value *MathBuilder::log1p(Value *x) const {
  Value *one = constant(1.0);
  Value *u = b.CreateFAdd(one, x);
  Value *ratio = b.CreateFDiv(x, b.CreateFSub(u, one));
  Value *result = b.CreateFMul(call(Intrinsic::log, u), ratio);
  Value *isTiny = b.CreateFCmpOEQ(u, one);
  Value *isInfinite = b.CreateFCmpOEQ(u, ConstantFP::getInfinity(type));
  result = b.CreateSelect(isInfinite, u, result);
  return b.CreateSelect(isTiny, x, result);
}

/// (u - 1) * x / log(u) with u = exp(x), for the same reason.
Value *MathBuilder::expm1(Value *x) const {
  Value *one = constant(1.0);
  Value *u = call(Intrinsic::exp, x);
  Value *difference = b.CreateFSub(u, one);
  Value *ratio = b.CreateFDiv(x, call(Intrinsic::log, u));
  Value *result = b.CreateFMul(difference, ratio);
  // Far from zero nothing cancels, and the logarithm may be infinite.
  Value *isFar = b.CreateFCmpOGT(call(Intrinsic::fabs, x), constant(2.0));
  result = b.CreateSelect(isFar, difference, result);
  return b.CreateSelect(b.CreateFCmpOEQ(u, one), x, result);
}

/// log1p(|x| + x^2 / (1 + sqrt(1 + x^2))), with the sign of x.
Value *MathBuilder::asinh(Value *x) const {
  Value *one = constant(1.0);
  Value *magnitude = call(Intrinsic::fabs, x);
  Value *square = b.CreateFMul(x, x);
  Value *root = call(Intrinsic::sqrt, b.CreateFAdd(one, square));
  Value *rest = b.CreateFDiv(square, b.CreateFAdd(one, root));
  Value *result = log1p(b.CreateFAdd(magnitude, rest));
  // Where the square overflows: log(2 |x|).
  Value *isHuge = b.CreateFCmpOEQ(square, ConstantFP::getInfinity(type));
  Value *logarithm = b.CreateFAdd(call(Intrinsic::log, magnitude),
                                  constant(0.69314718055994530942));
  return withSignOf(b.CreateSelect(isHuge, logarithm, result), x);
}

/// log1p(t + sqrt(2 t + t^2)) with t = x - 1.
Value *MathBuilder::acosh(Value *x) const {
  Value *t = b.CreateFSub(x, constant(1.0));
  Value *square = b.CreateFMul(t, b.CreateFAdd(t, constant(2.0)));
  Value *result = log1p(b.CreateFAdd(t, call(Intrinsic::sqrt, square)));
  Value *isHuge = b.CreateFCmpOEQ(square, ConstantFP::getInfinity(type));
  Value *logarithm =
      b.CreateFAdd(call(Intrinsic::log, x), constant(0.69314718055994530942));
  return b.CreateSelect(isHuge, logarithm, result);
}

/// log1p(2 |x| / (1 - |x|)) / 2, with the sign of x.
Value *MathBuilder::atanh(Value *x) const {
  Value *magnitude = call(Intrinsic::fabs, x);
  Value *ratio = b.CreateFDiv(b.CreateFMul(constant(2.0), magnitude),
                              b.CreateFSub(constant(1.0), magnitude));
  return withSignOf(b.CreateFMul(constant(0.5), log1p(ratio)), x);
}

/// |x|^(1/3) and a step of Newton's method, with the sign of x.
Value *MathBuilder::cbrt(Value *x) const {
  Value *magnitude = call(Intrinsic::fabs, x);
  Value *root =
      b.CreateBinaryIntrinsic(Intrinsic::pow, magnitude, constant(1.0 / 3.0));
  Value *quotient = b.CreateFDiv(magnitude, b.CreateFMul(root, root));
  Value *step = b.CreateFMul(b.CreateFSub(root, quotient), constant(1.0 / 3.0));
  Value *isOrdinary =
      b.CreateAnd(b.CreateFCmpOGT(magnitude, constant(0.0)),
                  b.CreateFCmpOLT(magnitude, ConstantFP::getInfinity(type)));
  Value *refined = b.CreateFSub(root, step);
  return withSignOf(b.CreateSelect(isOrdinary, refined, root), x);
}

/// Both polynomials by Horner's rule, highest coefficient first.
Value *MathBuilder::polynomialRatio(Value *x, ArrayRef<double> numerator,
                                    ArrayRef<double> denominator) const {
  auto evaluate = [&](ArrayRef<double> coefficients) {
    Value *sum = constant(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = b.CreateFAdd(b.CreateFMul(sum, x), constant(coefficient));
    return sum;
  };
  return b.CreateFDiv(evaluate(numerator), evaluate(denominator));
}

/// erf(x) or 1 - erf(x) by W. J. Cody's rational approximations ("Rational
/// Chebyshev approximations for the error function", Math. Comp. 23, 1969), in
/// double precision. All three ranges are evaluated and one is selected.
Value *MathBuilder::errorFunction(Value *x, bool complement) const {
  Value *one = constant(1.0);
  Value *y = call(Intrinsic::fabs, x);
  Value *square = b.CreateFMul(y, y);
  Value *inverse = b.CreateFDiv(one, square);
  // |x| <= 0.46875: erf.
  Value *nearZero = b.CreateFMul(
      x, polynomialRatio(square,
                         {1.85777706184603153e-1, 3.16112374387056560e0,
                          1.13864154151050156e2, 3.77485237685302021e2,
                          3.20937758913846947e3},
                         {1.0, 2.36012909523441209e1, 2.44024637934444173e2,
                          1.28261652607737228e3, 2.84423683343917062e3}));
  // Up to 4: erfc * exp(x^2).
  Value *middle = polynomialRatio(
      y,
      {2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0,
       6.61191906371416295e1, 2.98635138197400131e2, 8.81952221241769090e2,
       1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3},
      {1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2,
       1.62138957456669019e3, 3.29079923573345963e3, 4.36261909014324716e3,
       3.43936767414372164e3, 1.23033935480374942e3});
  // Beyond: erfc * exp(x^2) * x.
  Value *tail = b.CreateFMul(
      inverse,
      polynomialRatio(inverse,
                      {1.63153871373020978e-2, 3.05326634961232344e-1,
                       3.60344899949804439e-1, 1.25781726111229246e-1,
                       1.60837851487422766e-2, 6.58749161529837803e-4},
                      {1.0, 2.56852019228982242e0, 1.87295284992346725e0,
                       5.27905102951428412e-1, 6.05183413124413191e-2,
                       2.33520497626869185e-3}));
  Value *far =
      b.CreateFDiv(b.CreateFSub(constant(5.6418958354775628695e-1), tail), y);
  Value *scaled =
      b.CreateSelect(b.CreateFCmpOLE(y, constant(4.0)), middle, far);
  // exp(-x^2) without the error of the square: x is split at 1/16.
  Value *head =
      b.CreateFMul(call(Intrinsic::trunc, b.CreateFMul(y, constant(16.0))),
                   constant(1.0 / 16.0));
  Value *rest = b.CreateFMul(b.CreateFSub(y, head), b.CreateFAdd(y, head));
  Value *decay =
      b.CreateFMul(call(Intrinsic::exp, b.CreateFNeg(b.CreateFMul(head, head))),
                   call(Intrinsic::exp, b.CreateFNeg(rest)));
  Value *erfc = b.CreateSelect(b.CreateFCmpOGE(y, constant(27.0)),
                               constant(0.0), b.CreateFMul(decay, scaled));
  Value *isNear = b.CreateFCmpOLE(y, constant(0.46875));
  if (complement) {
    Value *isNegative = b.CreateFCmpOLT(x, constant(0.0));
    erfc = b.CreateSelect(isNegative, b.CreateFSub(constant(2.0), erfc), erfc);
    return b.CreateSelect(isNear, b.CreateFSub(one, nearZero), erfc);
  }
  return b.CreateSelect(isNear, nearZero,
                        withSignOf(b.CreateFSub(one, erfc), x));
}

/// The intrinsic with the name and meaning of a C function, if there is one.
static Intrinsic::ID intrinsicFor(StringRef name) {
  return StringSwitch<Intrinsic::ID>(name)
      .Case("acos", Intrinsic::acos)
      .Case("asin", Intrinsic::asin)
      .Case("atan", Intrinsic::atan)
      .Case("atan2", Intrinsic::atan2)
      .Case("cos", Intrinsic::cos)
      .Case("cosh", Intrinsic::cosh)
      .Case("exp", Intrinsic::exp)
      .Case("exp10", Intrinsic::exp10)
      .Case("exp2", Intrinsic::exp2)
      .Case("fabs", Intrinsic::fabs)
      .Case("log", Intrinsic::log)
      .Case("log10", Intrinsic::log10)
      .Case("log2", Intrinsic::log2)
      .Case("pow", Intrinsic::pow)
      .Case("powi", Intrinsic::powi)
      .Case("sin", Intrinsic::sin)
      .Case("sinh", Intrinsic::sinh)
      .Case("tan", Intrinsic::tan)
      .Case("tanh", Intrinsic::tanh)
      .Default(Intrinsic::not_intrinsic);
}

/// The value of libdevice's function `name` (without prefix and the f of float
/// variants), null if it is not known.
static Value *emitFunction(StringRef name, Function &function, IRBuilder<> &b) {
  Type *type = function.getReturnType();
  Value *x = function.getArg(0);
  if (Intrinsic::ID id = intrinsicFor(name)) {
    if (id == Intrinsic::powi)
      return b.CreateIntrinsic(id, {type, b.getInt32Ty()},
                               {x, function.getArg(1)});
    SmallVector<Value *> arguments;
    for (Argument &argument : function.args())
      arguments.push_back(&argument);
    return b.CreateIntrinsic(id, {type}, arguments);
  }
  if (name == "fmod")
    return b.CreateFRem(x, function.getArg(1));
  if (name == "abs" || name == "llabs")
    return b.CreateBinaryIntrinsic(Intrinsic::abs, x, b.getFalse());
  if (name == "erf" || name == "erfc") {
    MathBuilder wide(b, b.getDoubleTy());
    Value *result = wide.errorFunction(b.CreateFPExt(x, b.getDoubleTy()),
                                       /*complement=*/name == "erfc");
    return b.CreateFPTrunc(result, type);
  }
  MathBuilder math(b, type);
  using Emitter = Value *(MathBuilder::*)(Value *) const;
  auto emitter = StringSwitch<Emitter>(name)
                     .Case("acosh", &MathBuilder::acosh)
                     .Case("asinh", &MathBuilder::asinh)
                     .Case("atanh", &MathBuilder::atanh)
                     .Case("cbrt", &MathBuilder::cbrt)
                     .Case("expm1", &MathBuilder::expm1)
                     .Case("log1p", &MathBuilder::log1p)
                     .Default(nullptr);
  return emitter ? (math.*emitter)(x) : nullptr;
}

void ckpt::definePortableMath(Module &module) {
  for (Function &function : module) {
    StringRef name = function.getName();
    if (!function.isDeclaration() || !name.consume_front("__nv_") ||
        function.arg_empty())
      continue;
    if (function.getReturnType()->isFloatTy())
      name.consume_back("f");
    IRBuilder<> b(BasicBlock::Create(module.getContext(), "", &function));
    Value *result = emitFunction(name, function, b);
    if (!result) {
      function.deleteBody();
      continue;
    }
    b.CreateRet(result);
    function.setLinkage(GlobalValue::InternalLinkage);
  }
}
