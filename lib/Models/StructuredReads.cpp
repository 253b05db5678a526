//===- StructuredReads.cpp - What a linalg op reads -----------------------===//

#include "StructuredAdjoint.h"
#include "ckpt/Interfaces/ReverseMode.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ckpt;
using namespace ckpt::models;
using linalg::LinalgOp;

//===----------------------------------------------------------------------===//
// What is differentiated
//===----------------------------------------------------------------------===//

AffineMap ckpt::models::getResultMap(LinalgOp op, OpResult result) {
  return op.getMatchingIndexingMap(
      op.getDpsInitOperand(result.getResultNumber()));
}

Value ckpt::models::getEntry(LinalgOp op, OpResult result,
                             const Accumulation &accumulation) {
  return accumulation.term ? accumulation.term
                           : op.getBlock()->getTerminator()->getOperand(
                                 result.getResultNumber());
}

std::vector<ElementRead>
ckpt::models::findReads(LinalgOp op, function_ref<bool(Value)> isActive) {
  std::vector<ElementRead> reads;
  // Operands; those of the same tensor at the same place in one.
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (!isActive(operand->get()))
      continue;
    Value scalar = op.getMatchingBlockArgument(operand);
    ArrayRef<AffineExpr> place =
        op.getMatchingIndexingMap(operand).getResults();
    auto same = llvm::find_if(reads, [&](const ElementRead &read) {
      return read.source == operand->get() && llvm::equal(read.place, place);
    });
    if (same == reads.end())
      reads.push_back(
          {{scalar}, operand->get(), llvm::to_vector(place), {}, {}});
    else
      same->scalars.push_back(scalar);
  }
  // Captured scalars, then elements of captured tensors.
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    if (isActive(value) && !isa<ShapedType>(value.getType()))
      reads.push_back({{value}, value, {}, {}, {}});
  llvm::append_range(reads, findGathers(op, isActive));
  return reads;
}

BlockArgument ckpt::models::getReadInit(LinalgOp op, OpResult result) {
  unsigned index = op.getNumDpsInputs() + result.getResultNumber();
  if (index >= op.getBlock()->getNumArguments() ||
      isCarried(op, result.getResultNumber()))
    return nullptr;
  return op.getBlock()->getArgument(index);
}

OpResult ckpt::models::findResultOf(LinalgOp op, Value scalar) {
  if (scalar.getParentBlock() != op.getBlock() || !scalar.getDefiningOp())
    return nullptr;
  Operation *yield = op.getBlock()->getTerminator();
  for (OpResult result : op->getOpResults()) {
    unsigned number = result.getResultNumber();
    if (yield->getOperand(number) == scalar && !isCarried(op, number))
      return result;
  }
  return nullptr;
}

SmallVector<Operation *> ckpt::models::getBodyOps(LinalgOp op,
                                                  ValueRange scalars) {
  SmallVector<Operation *> ops;
  for (Operation &inner : op.getBlock()->without_terminator())
    if (llvm::none_of(scalars, [&](Value scalar) {
          return scalar.getDefiningOp() == &inner;
        }))
      ops.push_back(&inner);
  return ops;
}

//===----------------------------------------------------------------------===//
// Needed primals
//===----------------------------------------------------------------------===//

void ckpt::models::getStructuredPrimals(LinalgOp op,
                                        function_ref<bool(Value)> isActive,
                                        SmallVectorImpl<Value> &primals) {
  std::vector<ElementRead> reads = findReads(op, isActive);
  llvm::SetVector<Value> needed;
  SmallVector<Value> scalars, entries, stack;
  for (const ElementRead &read : reads) {
    llvm::append_range(scalars, read.scalars);
    llvm::append_range(stack, read.indices);
  }
  for (OpResult result : op->getResults()) {
    if (!isActive(result))
      continue;
    if (BlockArgument init = getReadInit(op, result))
      scalars.push_back(init);
    Accumulation accumulation = findAccumulation(op, result.getResultNumber());
    entries.push_back(getEntry(op, result, accumulation));
    // A known index is all that is read, but for the gradient by the init.
    bool readsTerm =
        accumulation.term &&
        (!accumulation.index ||
         isActive(op.getDpsInitOperand(result.getResultNumber())->get()));
    if (readsTerm)
      stack.push_back(accumulation.term);
    if (readsTerm && accumulation.kind == Accumulation::Kind::Extremum)
      needed.insert(result);
    if (accumulation.index)
      needed.insert(accumulation.index);
    if (accumulation.kind == Accumulation::Kind::Product)
      needed.insert(op.getDpsInitOperand(result.getResultNumber())->get());
  }

  SmallVector<Operation *> ops = getBodyOps(op, scalars);
  DenseSet<Value> active = findActiveValues(ops, scalars, entries);
  SmallVector<Value> read;
  for (Operation *inner : ops)
    if (auto rule = dyn_cast<DifferentiableOpInterface>(inner);
        rule && llvm::any_of(inner->getResults(), [&](Value result) {
          return active.contains(result);
        }))
      rule.getNeededPrimals([&](Value value) { return active.contains(value); },
                            read);
  for (Value scalar : read) {
    if (OpResult result = findResultOf(op, scalar))
      needed.insert(result);
    else
      stack.push_back(scalar);
  }

  // What those scalars are computed from.
  DenseSet<Value> visited;
  while (!stack.empty()) {
    Value value = stack.pop_back_val();
    if (!visited.insert(value).second)
      continue;
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == op.getBlock())
      needed.insert(op.getMatchingOpOperand(argument)->get());
    else if (value.getParentBlock() == op.getBlock())
      llvm::append_range(stack, getReadValues(value.getDefiningOp()));
    else
      needed.insert(value);
  }
  llvm::append_range(primals, needed);
}
