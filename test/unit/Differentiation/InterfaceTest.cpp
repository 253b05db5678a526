//===- InterfaceTest.cpp - Differentiation as an embedder uses it ---------===//

#include "ckpt/Differentiation/Differentiation.h"
#include "ckpt/Interfaces/ReverseMode.h"
#include "ckpt/Pipelines/Registration.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <algorithm>

using namespace mlir;
using namespace ckpt;

namespace {

/// A rule that is not the one of math.sin: the cotangent doubled.
struct DoubledSin
    : DifferentiableOpInterface::ExternalModel<DoubledSin, math::SinOp> {
  void getNeededPrimals(Operation *, function_ref<bool(Value)>,
                        SmallVectorImpl<Value> &) const {}
  LogicalResult emitAdjoint(Operation *op, ImplicitLocOpBuilder &builder,
                            ArrayRef<Value> cotangents,
                            function_ref<bool(Value)>,
                            function_ref<Value(Value)>,
                            AccumulateFn accumulate) const {
    Value g = cotangents.front();
    accumulate(op->getOperand(0), arith::AddFOp::create(builder, g, g), {});
    return success();
  }
};

class InterfaceTest : public testing::Test {
protected:
  InterfaceTest() {
    DialectRegistry registry;
    registry
        .insert<arith::ArithDialect, func::FuncDialect, math::MathDialect>();
    // Ours come second and do not replace the user's.
    registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
      math::SinOp::attachInterface<DoubledSin>(*context);
    });
    registerCkptDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The function `@f` of a module.
  func::FuncOp parse(const char *text) {
    module = parseSourceString<ModuleOp>(text, &context);
    return module->lookupSymbol<func::FuncOp>("f");
  }

  /// The gradients of the first result of `function` by all its arguments,
  /// emitted at its end.
  FailureOr<SmallVector<Value>> emit(func::FuncOp function) {
    Block &body = function.getBody().front();
    SmallVector<Operation *> ops;
    for (Operation &op : body.without_terminator())
      ops.push_back(&op);
    IRRewriter rewriter(body.getTerminator());
    Value loss = body.getTerminator()->getOperand(0);
    Value seed = arith::ConstantOp::create(rewriter, loss.getLoc(),
                                           rewriter.getF32FloatAttr(1.0));
    return emitGradients(rewriter, ops, loss, seed, body.getArguments());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(InterfaceTest, TheModelThatWasAttachedFirstIsAsked) {
  func::FuncOp function = parse(R"(
    func.func @f(%a: f32) -> f32 {
      %y = math.sin %a : f32
      return %y : f32
    })");
  FailureOr<SmallVector<Value>> gradients = emit(function);
  ASSERT_TRUE(succeeded(gradients));
  EXPECT_TRUE(gradients->front().getDefiningOp<arith::AddFOp>());
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(InterfaceTest, ZeroCotangentsEmitNothing) {
  func::FuncOp function = parse(R"(
    func.func @f(%a: f32, %b: f32) -> f32 {
      %unused = arith.mulf %a, %b : f32
      %zero = math.floor %b : f32
      %y = arith.addf %a, %zero : f32
      return %y : f32
    })");
  size_t before = function.getBody().front().getOperations().size();
  FailureOr<SmallVector<Value>> gradients = emit(function);
  ASSERT_TRUE(succeeded(gradients));
  // The seed, which is the gradient by %a, and the zero for %b.
  EXPECT_EQ(function.getBody().front().getOperations().size(), before + 2);
}

TEST_F(InterfaceTest, RulesSayWhatTheyRead) {
  func::FuncOp function = parse(R"(
    func.func @f(%a: f32, %b: f32) -> f32 {
      %y = arith.mulf %a, %b : f32
      return %y : f32
    })");
  auto op = cast<DifferentiableOpInterface>(function.getBody().front().front());
  Value a = function.getArgument(0), b = function.getArgument(1);
  SmallVector<Value> primals;
  op.getNeededPrimals([&](Value value) { return value != b; }, primals);
  EXPECT_EQ(primals, SmallVector<Value>({b})); // for the gradient by %a
  primals.clear();
  op.getNeededPrimals([&](Value value) { return value != a; }, primals);
  EXPECT_EQ(primals, SmallVector<Value>({a}));
}

/// The ops of `dialect` without a rule.
std::vector<std::string> findOpsWithoutRule(MLIRContext &context,
                                            StringRef dialect) {
  std::vector<std::string> names;
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == dialect &&
        !name.hasInterface<DifferentiableOpInterface>())
      names.push_back(name.stripDialect().str());
  std::sort(names.begin(), names.end());
  return names;
}

TEST_F(InterfaceTest, ArithOpsWithoutRuleAreThoseOnIntegers) {
  EXPECT_EQ(findOpsWithoutRule(context, "arith"),
            (std::vector<std::string>{
                "addi",           "addui_extended",
                "andi",
                "bitcast", // between floats: an error; else nothing is active
                "ceildivsi",      "ceildivui",
                "cmpf",           "cmpi",
                "constant",       "divsi",
                "divui",          "extsi",
                "extui",          "floordivsi",
                "fptosi",         "fptoui",
                "index_cast",     "index_castui",
                "maxsi",          "maxui",
                "minsi",          "minui",
                "muli",           "mulsi_extended",
                "mului_extended", "ori",
                "remsi",          "remui",
                "shli",           "shrsi",
                "shrui",          "sitofp",
                "subi",           "trunci",
                "uitofp",         "xori"}));
}

TEST_F(InterfaceTest, MathOpsWithoutRuleAreThoseOnIntegers) {
  EXPECT_EQ(
      findOpsWithoutRule(context, "math"),
      (std::vector<std::string>{"absi", "ctlz", "ctpop", "cttz", "ipowi",
                                "isfinite", "isinf", "isnan", "isnormal"}));
}

TEST_F(InterfaceTest, ActiveValuesLieBetweenSourcesAndSinks) {
  func::FuncOp function = parse(R"(
    func.func @f(%a: f32, %b: f32) -> f32 {
      %0 = math.exp %a : f32
      %1 = math.exp %b : f32
      %2 = arith.addf %0, %1 : f32
      %3 = arith.fptosi %0 : f32 to i32
      %4 = arith.sitofp %3 : i32 to f32
      %5 = arith.mulf %2, %4 : f32
      %6 = arith.negf %0 : f32
      return %5 : f32
    })");
  Block &body = function.getBody().front();
  SmallVector<Operation *> ops;
  SmallVector<Value> values;
  for (Operation &op : body.without_terminator()) {
    ops.push_back(&op);
    values.push_back(op.getResult(0));
  }
  DenseSet<Value> active =
      findActiveValues(ops, body.getArgument(0), values[5]);
  SmallVector<bool> expected{true, false, true, false, false, true, false};
  for (auto [value, isActive] : llvm::zip_equal(values, expected))
    EXPECT_EQ(active.contains(value), isActive);
  EXPECT_TRUE(active.contains(body.getArgument(0)));
  EXPECT_FALSE(active.contains(body.getArgument(1)));
}

} // namespace
