//===- FuseElementwise.cpp - Fuse elementwise ops -------------------------===//

#include "ckpt/Conversion/Passes.h"
#include "ckpt/IR/Policy.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace ckpt {
#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "ckpt/Conversion/Passes.h.inc"
} // namespace ckpt

using namespace mlir;
using namespace ckpt;

/// A payload that only passes a value on.
static bool onlyMovesData(linalg::LinalgOp op) {
  return op.getBlock()->without_terminator().empty();
}

/// Whether repeating `producer` in each of its readers costs less than storing
/// its result: it reads less than it writes, like a broadcast or a mask.
static bool isExpansion(linalg::LinalgOp producer) {
  auto elements = [](Type type) -> int64_t {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && shaped.hasStaticShape() ? shaped.getNumElements() : 0;
  };
  int64_t read = 0;
  for (Value input : producer.getDpsInputs())
    read += elements(input.getType());
  return read < elements(producer->getResult(0).getType());
}

static bool shouldFuse(OpOperand *operand, unsigned maxPayload,
                       unsigned maxOperands) {
  auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
  auto consumer = cast<linalg::LinalgOp>(operand->getOwner());
  if (!producer)
    return false;
  if (linalg::isaContractionOpInterface(consumer) && !onlyMovesData(producer))
    return false;
  if (!producer->hasOneUse() && !isExpansion(producer))
    return false;
  size_t payload = producer.getBlock()->getOperations().size() +
                   consumer.getBlock()->getOperations().size();
  size_t operands = producer->getNumOperands() + consumer->getNumOperands();
  if (payload > maxPayload || operands > maxOperands)
    return false;
  auto function = producer->getParentOfType<FunctionOpInterface>();
  auto policy =
      function ? function->getAttrOfType<PolicyAttr>(policyAttrName) : nullptr;
  return lookupPolicy(producer, policy).decision != Decision::Save;
}

namespace {
struct FuseElementwise : ckpt::impl::FuseElementwiseBase<FuseElementwise> {
  using FuseElementwiseBase::FuseElementwiseBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [&](OpOperand *operand) {
          return shouldFuse(operand, maxPayload, maxOperands);
        });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
