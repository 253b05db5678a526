//===- ExactMath.cpp - Math that processors have instructions for ---------===//

#include "ExactMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

//===----------------------------------------------------------------------===//
// Classification
//===----------------------------------------------------------------------===//

namespace {

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
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    TypedAttr infinity = rewriter.getFloatAttr(
        element, APFloat::getInf(element.getFloatSemantics()));
    if (auto vector = dyn_cast<VectorType>(type))
      infinity = DenseElementsAttr::get(vector, Attribute(infinity));
    Value magnitude = math::AbsFOp::create(rewriter, loc, op.getOperand());
    rewriter.replaceOpWithNewOp<arith::CmpFOp>(
        op, predicate, magnitude,
        arith::ConstantOp::create(rewriter, loc, infinity));
    return success();
  }
};

} // namespace

void ckpt::expandClassification(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  patterns.add<CompareWithInfinity<math::IsInfOp, arith::CmpFPredicate::OEQ>,
               CompareWithInfinity<math::IsFiniteOp, arith::CmpFPredicate::OLT>,
               ExpandIsNaN>(module.getContext());
  walkAndApplyPatterns(module, std::move(patterns));
}

//===----------------------------------------------------------------------===//
// Intrinsics
//===----------------------------------------------------------------------===//

template <typename IntrinsicOp>
static Value emitIntrinsic(OpBuilder &b, LLVM::CallOp call) {
  return IntrinsicOp::create(b, call.getLoc(), call->getResultTypes(),
                             call.getOperands());
}

/// 1 / sqrt(x), both exactly rounded.
static Value emitReciprocalRoot(OpBuilder &b, LLVM::CallOp call) {
  Type type = call.getResult().getType();
  Value one = LLVM::ConstantOp::create(b, call.getLoc(), type,
                                       b.getFloatAttr(type, 1.0));
  return LLVM::FDivOp::create(b, call.getLoc(), one,
                              emitIntrinsic<LLVM::SqrtOp>(b, call));
}

using IntrinsicEmitter = Value (*)(OpBuilder &, LLVM::CallOp);

static IntrinsicEmitter findEmitter(StringRef callee) {
  if (!callee.consume_front("__nv_"))
    return nullptr;
  callee.consume_back("f");
  return StringSwitch<IntrinsicEmitter>(callee)
      .Case("fabs", emitIntrinsic<LLVM::FAbsOp>)
      .Case("ceil", emitIntrinsic<LLVM::FCeilOp>)
      .Case("copysign", emitIntrinsic<LLVM::CopySignOp>)
      .Case("floor", emitIntrinsic<LLVM::FFloorOp>)
      .Case("fma", emitIntrinsic<LLVM::FMAOp>)
      .Case("fmax", emitIntrinsic<LLVM::MaxNumOp>)
      .Case("fmin", emitIntrinsic<LLVM::MinNumOp>)
      .Case("rint", emitIntrinsic<LLVM::RoundEvenOp>)
      .Case("round", emitIntrinsic<LLVM::RoundOp>)
      .Case("rsqrt", emitReciprocalRoot)
      .Case("sqrt", emitIntrinsic<LLVM::SqrtOp>)
      .Case("trunc", emitIntrinsic<LLVM::FTruncOp>)
      .Default(nullptr);
}

void ckpt::useExactIntrinsics(gpu::GPUModuleOp module) {
  SmallVector<std::pair<LLVM::CallOp, IntrinsicEmitter>> calls;
  module.walk([&](LLVM::CallOp call) {
    if (std::optional<StringRef> callee = call.getCallee())
      if (IntrinsicEmitter emitter = findEmitter(*callee))
        calls.push_back({call, emitter});
  });
  for (auto [call, emitter] : calls) {
    OpBuilder b(call);
    call.getResult().replaceAllUsesWith(emitter(b, call));
    call.erase();
  }
  for (auto function :
       llvm::make_early_inc_range(module.getOps<LLVM::LLVMFuncOp>()))
    if (function.isExternal() && findEmitter(function.getName()))
      function.erase();
}
