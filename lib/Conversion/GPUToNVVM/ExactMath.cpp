//===- ExactMath.cpp - Math ops that are instructions ---------------------===//

#include "ckpt/Conversion/GPUToNVVM/LowerKernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace {

static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

/// bf16 and f16 are computed in f32: not every chip has their instructions.
static Type computationType(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (isa<BFloat16Type, Float16Type>(element))
    return withElement(type, Float32Type::get(type.getContext()));
  return type;
}

/// An op that has an LLVM intrinsic with the same operands.
template <typename MathOp, typename IntrinsicOp>
struct ToIntrinsic : OpRewritePattern<MathOp> {
  using OpRewritePattern<MathOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(MathOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType(), wide = computationType(type);
    SmallVector<Value> operands(op->getOperands());
    if (wide != type)
      for (Value &operand : operands)
        operand = arith::ExtFOp::create(rewriter, op.getLoc(), wide, operand);
    Value result =
        IntrinsicOp::create(rewriter, op.getLoc(), TypeRange(wide), operands);
    if (wide != type)
      result = arith::TruncFOp::create(rewriter, op.getLoc(), type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

static Value floatConstant(OpBuilder &b, Location loc, Type type,
                           double value) {
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  TypedAttr attribute = b.getFloatAttr(element, value);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, Attribute(attribute));
  return arith::ConstantOp::create(b, loc, attribute);
}

struct ExpandRsqrt : OpRewritePattern<math::RsqrtOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::RsqrtOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getType(), wide = computationType(type);
    Value operand = op.getOperand();
    if (wide != type)
      operand = arith::ExtFOp::create(rewriter, loc, wide, operand);
    Value root = LLVM::SqrtOp::create(rewriter, loc, TypeRange(wide), operand);
    Value result = arith::DivFOp::create(
        rewriter, loc, floatConstant(rewriter, loc, wide, 1.0), root);
    if (wide != type)
      result = arith::TruncFOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ExpandIsNaN : OpRewritePattern<math::IsNaNOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IsNaNOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::CmpFOp>(
        op, arith::CmpFPredicate::UNO, op.getOperand(), op.getOperand());
    return success();
  }
};

/// isinf and isfinite compare the absolute value with infinity.
template <typename MathOp, arith::CmpFPredicate predicate>
struct CompareWithInfinity : OpRewritePattern<MathOp> {
  using OpRewritePattern<MathOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(MathOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getOperand().getType();
    Value magnitude = LLVM::FAbsOp::create(rewriter, loc, TypeRange(type),
                                           ValueRange(op.getOperand()));
    Value infinity = floatConstant(rewriter, loc, type,
                                   std::numeric_limits<double>::infinity());
    rewriter.replaceOpWithNewOp<arith::CmpFOp>(op, predicate, magnitude,
                                               infinity);
    return success();
  }
};

} // namespace

void ckpt::lowerExactMath(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  patterns.add<ToIntrinsic<math::AbsFOp, LLVM::FAbsOp>,
               ToIntrinsic<math::CeilOp, LLVM::FCeilOp>,
               ToIntrinsic<math::CopySignOp, LLVM::CopySignOp>,
               ToIntrinsic<math::FloorOp, LLVM::FFloorOp>,
               ToIntrinsic<math::FmaOp, LLVM::FMAOp>,
               ToIntrinsic<math::RoundOp, LLVM::RoundOp>,
               ToIntrinsic<math::RoundEvenOp, LLVM::RoundEvenOp>,
               ToIntrinsic<math::SqrtOp, LLVM::SqrtOp>,
               ToIntrinsic<math::TruncOp, LLVM::FTruncOp>,
               CompareWithInfinity<math::IsInfOp, arith::CmpFPredicate::OEQ>,
               CompareWithInfinity<math::IsFiniteOp, arith::CmpFPredicate::OLT>,
               ExpandIsNaN, ExpandRsqrt>(root->getContext());
  walkAndApplyPatterns(root, std::move(patterns));
}
