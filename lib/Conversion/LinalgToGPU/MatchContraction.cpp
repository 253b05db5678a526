//===- MatchContraction.cpp - Products found by their structure -----------===//

#include "Kernels.h"
#include "Payload.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace ckpt {

/// Which loops the payload's `value` depends on, through operands that it reads
/// and indices that it asks for. False if it reads memory in other ways or an
/// output.
static bool findLoops(LoopNest &nest, Value value, llvm::BitVector &loops) {
  for (Operation *op : payloadSlice(nest.payload(), value)) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      if (int64_t loop = nest.loopOfOriginal[index.getDim()]; loop >= 0)
        loops.set(loop);
    } else if (!isPure(op) || op->getNumRegions() != 0) {
      return false;
    }
  }
  if (readsOutputs(nest, value))
    return false;
  for (unsigned input : usedInputs(nest, value).set_bits())
    for (auto [loop, stride] : llvm::enumerate(nest.inputs[input].strides))
      if (stride != 0)
        loops.set(loop);
  return true;
}

static bool isContiguous(const Access &access, ArrayRef<unsigned> loops) {
  return !loops.empty() && access.strides[loops.back()] == 1;
}

std::optional<Contraction> matchContraction(LoopNest &nest) {
  if (nest.outputs.size() != 1)
    return std::nullopt;
  std::optional<Combiner> combiner = matchCombiner(nest, 0);
  if (!combiner || !isa<arith::AddFOp, arith::AddIOp>(combiner->op))
    return std::nullopt;
  Operation *product = combiner->value.getDefiningOp();
  if (!product || product->getBlock() != &nest.payload() ||
      !isa<arith::MulFOp, arith::MulIOp>(product))
    return std::nullopt;
  Contraction result{
      *combiner, product->getOperand(0), product->getOperand(1), {}, {}, {},
      {}};
  llvm::BitVector left(nest.loops.size()), right(nest.loops.size());
  if (!findLoops(nest, result.left, left) ||
      !findLoops(nest, result.right, right))
    return std::nullopt;
  for (auto [number, loop] : llvm::enumerate(nest.loops)) {
    bool isStored = nest.outputs.front().strides[number] != 0;
    if (isStored == loop.isReduction)
      return std::nullopt;
    if (loop.isReduction) {
      // A sum over one factor alone is a reduction of it.
      if (!left.test(number) || !right.test(number))
        return std::nullopt;
      result.depth.push_back(number);
    } else if (left.test(number) == right.test(number)) {
      result.batch.push_back(number);
    } else {
      (left.test(number) ? result.rows : result.columns).push_back(number);
    }
  }
  if (result.rows.empty() || result.columns.empty())
    return std::nullopt;
  // The loop along which an operand is contiguous is the innermost one.
  for (const Access &input : nest.inputs) {
    auto *contiguous = llvm::find_if(result.depth, [&](unsigned loop) {
      return !input.scalar && input.strides[loop] == 1;
    });
    if (contiguous != result.depth.end()) {
      std::rotate(contiguous, std::next(contiguous), result.depth.end());
      break;
    }
  }
  // Neighbouring threads write neighbouring columns.
  if (isContiguous(nest.outputs.front(), result.rows)) {
    std::swap(result.left, result.right);
    std::swap(result.rows, result.columns);
  }
  return result;
}

} // namespace ckpt
