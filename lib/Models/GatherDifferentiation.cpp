//===- GatherDifferentiation.cpp - Reads at computed places ---------------===//
//
// A gather is a structured op whose body reads a captured tensor by
// `tensor.extract`. Its adjoint adds each cotangent at the place that was read.
// Written as a scatter that would depend on the order of additions wherever two
// iterations read one element. It is written as a sum instead: a loop runs over
// each dimension with a computed index, and an iteration counts where its index
// is that loop's. Dimensions that are indexed by a loop of the op, from end to
// end, need no further loop.
//
//===----------------------------------------------------------------------===//

#include "StructuredAdjoint.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ckpt;
using namespace ckpt::models;
using linalg::LinalgOp;

/// The place that `extract`, in the body of `op`, reads.
static ElementRead findPlace(LinalgOp op, tensor::ExtractOp extract) {
  MLIRContext *context = op.getContext();
  ElementRead read;
  read.scalars.push_back(extract.getResult());
  read.source = extract.getTensor();
  SmallVector<int64_t> loops = op.getStaticLoopRanges();
  llvm::SmallBitVector taken(loops.size());
  for (auto [size, index] : llvm::zip_equal(
           extract.getTensor().getType().getShape(), extract.getIndices())) {
    auto loop = index.getDefiningOp<linalg::IndexOp>();
    if (loop && !taken.test(loop.getDim()) && loops[loop.getDim()] == size) {
      taken.set(loop.getDim());
      read.place.push_back(getAffineDimExpr(loop.getDim(), context));
    } else if (size == 1) {
      read.place.push_back(getAffineConstantExpr(0, context));
    } else {
      read.place.push_back(
          getAffineDimExpr(loops.size() + read.extraLoops.size(), context));
      read.extraLoops.push_back(size);
      read.indices.push_back(index);
    }
  }
  return read;
}

std::vector<ElementRead>
ckpt::models::findGathers(LinalgOp op, function_ref<bool(Value)> isActive) {
  std::vector<ElementRead> reads;
  for (auto extract : op.getBlock()->getOps<tensor::ExtractOp>())
    if (extract.getTensor().getParentBlock() != op.getBlock() &&
        isActive(extract.getTensor()))
      reads.push_back(findPlace(op, extract));
  return reads;
}

LogicalResult ckpt::models::verifyGathers(LinalgOp op,
                                          function_ref<bool(Value)> isActive) {
  LogicalResult verified = success();
  visitUsedValuesDefinedAbove(op->getRegions(), [&](OpOperand *use) {
    if (failed(verified) || !isActive(use->get()) ||
        !isa<ShapedType>(use->get().getType()))
      return;
    Operation *user = use->getOwner();
    if (isa<tensor::ExtractOp>(user) && user->getBlock() == op.getBlock())
      return;
    verified = user->emitOpError(
        "cannot be differentiated here: the body of a structured op may read a "
        "captured tensor only by 'tensor.extract' directly in its block; "
        "attach a DifferentiableOpInterface model to the structured op");
  });
  return verified;
}
