//===- Gradients.cpp - Reverse mode over the ops of a block ---------------===//

#include "ckpt/Differentiation/Differentiation.h"
#include "ckpt/IR/Locations.h"
#include "ckpt/Interfaces/DifferentiableTypeInterface.h"
#include "ckpt/Interfaces/ReverseMode.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace ckpt;

/// Values that were written to memory would come back as others, unseen: an
/// error where an op that is not differentiable writes something that depends
/// on `wrt`.
static LogicalResult verifyEffects(ArrayRef<Operation *> ops, ValueRange wrt) {
  DenseSet<Value> varied = findVariedValues(ops, wrt);
  for (Operation *op : ops) {
    if (llvm::none_of(getReadValues(op),
                      [&](Value value) { return varied.contains(value); }))
      continue;
    if (!isa<DifferentiableOpInterface>(op) && !isMemoryEffectFree(op))
      return op->emitOpError(
          "cannot be differentiated: it may write a value that depends on the "
          "arguments to memory, and does not implement "
          "DifferentiableOpInterface");
  }
  return success();
}

FailureOr<SmallVector<Value>> ckpt::emitGradients(RewriterBase &rewriter,
                                                  ArrayRef<Operation *> ops,
                                                  Value loss, Value seed,
                                                  ValueRange wrt) {
  if (failed(verifyEffects(ops, wrt)))
    return failure();
  Block *block = rewriter.getInsertionBlock();
  Block::iterator end = rewriter.getInsertionPoint();
  bool isFirst = end == block->begin();
  Block::iterator last = isFirst ? end : std::prev(end);

  DenseSet<Value> active = findActiveValues(ops, wrt, loss);
  CotangentMap cotangents(/*deferGuards=*/false);
  ImplicitLocOpBuilder builder(markGradient(loss.getLoc()), rewriter);
  cotangents.accumulate(builder, loss, seed);
  if (failed(emitAdjoints(
          rewriter, ops, active, [](Value value) { return value; },
          [](Operation *op) { return markGradient(op->getLoc()); },
          cotangents)))
    return failure();

  SmallVector<Value> gradients;
  for (Value value : wrt) {
    Value gradient = cotangents.lookup(builder, value);
    if (!gradient)
      gradient = cast<DifferentiableTypeInterface>(value.getType())
                     .createSplat(builder, builder.getLoc(), 0.0);
    gradients.push_back(gradient);
  }

  // What was emitted and is not used, but for the gradients themselves.
  SmallVector<Operation *> emitted;
  for (Block::iterator it = isFirst ? block->begin() : std::next(last);
       it != end; ++it)
    emitted.push_back(&*it);
  DenseSet<Value> kept(gradients.begin(), gradients.end());
  for (Operation *op : llvm::reverse(emitted))
    if (isOpTriviallyDead(op) &&
        llvm::none_of(op->getResults(),
                      [&](Value result) { return kept.contains(result); }))
      rewriter.eraseOp(op);
  return gradients;
}
