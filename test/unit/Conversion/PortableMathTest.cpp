//===- PortableMathTest.cpp - Functions in libdevice's place --------------===//

#include "PortableMath.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/TargetSelect.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace llvm;

namespace {

/// Compiles `double call(double)` that calls libdevice's `name`, in the type of
/// `Number`.
template <typename Number>
class PortableFunction {
public:
  explicit PortableFunction(const std::string &name) {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    auto context = std::make_unique<LLVMContext>();
    auto module = std::make_unique<Module>("test", *context);
    IRBuilder<> b(*context);
    Type *type =
        std::is_same_v<Number, float> ? b.getFloatTy() : b.getDoubleTy();
    auto *functionType = FunctionType::get(type, {type}, false);
    auto *callee = llvm::Function::Create(
        functionType, GlobalValue::ExternalLinkage,
        "__nv_" + name + (type->isFloatTy() ? "f" : ""), *module);
    auto *caller = llvm::Function::Create(
        functionType, GlobalValue::ExternalLinkage, "call", *module);
    b.SetInsertPoint(BasicBlock::Create(*context, "", caller));
    b.CreateRet(b.CreateCall(callee, {caller->getArg(0)}));
    ckpt::definePortableMath(*module);
    EXPECT_FALSE(callee->isDeclaration()) << name;
    EXPECT_FALSE(verifyModule(*module, &errs()));
    jit = cantFail(orc::LLJITBuilder().create());
    cantFail(jit->addIRModule(
        orc::ThreadSafeModule(std::move(module), std::move(context))));
    call = cantFail(jit->lookup("call")).toPtr<Number (*)(Number)>();
  }

  Number operator()(Number x) const { return call(x); }

private:
  std::unique_ptr<orc::LLJIT> jit;
  Number (*call)(Number) = nullptr;
};

/// Error in units in the last place of the exact result.
template <typename Number>
double ulps(Number got, long double want) {
  if (std::isnan(want) && std::isnan(got))
    return 0;
  if (std::isinf(got) || std::isinf(want))
    return got == want ? 0 : std::numeric_limits<double>::infinity();
  Number rounded = static_cast<Number>(want);
  long double unit = std::nextafter(std::abs(rounded),
                                    std::numeric_limits<Number>::infinity()) -
                     std::abs(rounded);
  return static_cast<double>(std::abs(got - want) / unit);
}

struct Function1 {
  const char *name;
  long double (*exact)(long double);
  double from, to;
};

const Function1 functions[] = {
    {"acosh", acoshl, 1, 60},     {"asinh", asinhl, -60, 60},
    {"atan", atanl, -50, 50},     {"atanh", atanhl, -1, 1},
    {"cbrt", cbrtl, -1000, 1000}, {"cos", cosl, -30, 30},
    {"erf", erfl, -6, 6},         {"erfc", erfcl, -6, 9},
    {"exp", expl, -80, 80},       {"exp2", exp2l, -100, 100},
    {"expm1", expm1l, -20, 80},   {"log", logl, 1e-6, 1e6},
    {"log10", log10l, 1e-6, 1e6}, {"log1p", log1pl, -1, 50},
    {"log2", log2l, 1e-6, 1e6},   {"sin", sinl, -30, 30},
    {"tanh", tanhl, -12, 12},
};

template <typename Number>
void checkFunctions(double maxUlps) {
  for (const Function1 &function : functions) {
    PortableFunction<Number> portable(function.name);
    double worst = 0;
    Number worstAt = 0;
    auto check = [&](double x) {
      Number argument = static_cast<Number>(x);
      double error = ulps(portable(argument), function.exact(argument));
      if (error > worst) {
        worst = error;
        worstAt = argument;
      }
    };
    constexpr int points = 4001;
    for (int i = 0; i < points; ++i)
      check(function.from + (function.to - function.from) * i / (points - 1));
    // Around zero, where differences cancel.
    if (function.from < 0)
      for (int exponent = -60; exponent < -1; ++exponent)
        for (double sign : {-1.0, 1.0})
          check(sign * std::ldexp(1.37, exponent));
    EXPECT_LE(worst, maxUlps) << function.name << " at " << worstAt;
  }
}

TEST(PortableMath, FloatFunctionsAreWithinUnitsInTheLastPlace) {
  checkFunctions<float>(4);
}

TEST(PortableMath, DoubleFunctionsAreWithinUnitsInTheLastPlace) {
  checkFunctions<double>(16);
}

TEST(PortableMath, SpecialValues) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const char *name : {"erf", "expm1", "log1p", "asinh", "cbrt", "tanh"}) {
    PortableFunction<double> portable(name);
    EXPECT_EQ(portable(0.0), 0.0) << name;
    EXPECT_TRUE(std::isnan(portable(std::nan("")))) << name;
  }
  EXPECT_EQ(PortableFunction<double>("erf")(infinity), 1.0);
  EXPECT_EQ(PortableFunction<double>("erfc")(infinity), 0.0);
  EXPECT_EQ(PortableFunction<double>("erfc")(-infinity), 2.0);
  EXPECT_EQ(PortableFunction<double>("expm1")(-infinity), -1.0);
  EXPECT_EQ(PortableFunction<double>("expm1")(infinity), infinity);
  EXPECT_EQ(PortableFunction<double>("log1p")(infinity), infinity);
  EXPECT_EQ(PortableFunction<double>("log1p")(-1.0), -infinity);
  EXPECT_EQ(PortableFunction<double>("asinh")(-infinity), -infinity);
  EXPECT_EQ(PortableFunction<double>("cbrt")(infinity), infinity);
}

TEST(PortableMath, UnknownFunctionsStayDeclarations) {
  LLVMContext context;
  Module module("test", context);
  IRBuilder<> b(context);
  auto *type = FunctionType::get(b.getFloatTy(), {b.getFloatTy()}, false);
  auto *unknown = llvm::Function::Create(type, GlobalValue::ExternalLinkage,
                                         "__nv_nothingf", module);
  ckpt::definePortableMath(module);
  EXPECT_TRUE(unknown->isDeclaration());
}

} // namespace
