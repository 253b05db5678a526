//===- LoopNest.cpp - The neutral form of a structured op -----------------===//

#include "LoopNest.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace ckpt {

SmallVector<unsigned> LoopNest::parallelLoops() const {
  SmallVector<unsigned> result;
  for (auto [number, loop] : llvm::enumerate(loops))
    if (!loop.isReduction)
      result.push_back(number);
  return result;
}

SmallVector<unsigned> LoopNest::reductionLoops() const {
  SmallVector<unsigned> result;
  for (auto [number, loop] : llvm::enumerate(loops))
    if (loop.isReduction)
      result.push_back(number);
  return result;
}

int64_t LoopNest::sizeOf(ArrayRef<unsigned> numbers) const {
  int64_t product = 1;
  for (unsigned number : numbers)
    product *= loops[number].size;
  return product;
}

bool LoopNest::isEmpty() const {
  return llvm::any_of(loops, [](const Loop &loop) { return loop.size == 0; });
}

/// Writes `expr` as `constant + sum_d coefficients[d] * d`; false if it is not
/// of that form.
static bool linearize(AffineExpr expr, unsigned numDims, int64_t &constant,
                      SmallVectorImpl<int64_t> &coefficients) {
  coefficients.assign(numDims, 0);
  constant = 0;
  // Terms still to be added, each with its factor.
  SmallVector<std::pair<AffineExpr, int64_t>> terms{{expr, 1}};
  while (!terms.empty()) {
    auto [term, factor] = terms.pop_back_val();
    if (auto dim = dyn_cast<AffineDimExpr>(term)) {
      coefficients[dim.getPosition()] += factor;
    } else if (auto number = dyn_cast<AffineConstantExpr>(term)) {
      constant += factor * number.getValue();
    } else if (auto binary = dyn_cast<AffineBinaryOpExpr>(term)) {
      if (term.getKind() == AffineExprKind::Add) {
        terms.push_back({binary.getLHS(), factor});
        terms.push_back({binary.getRHS(), factor});
        continue;
      }
      auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
      if (term.getKind() != AffineExprKind::Mul || !scale)
        return false;
      terms.push_back({binary.getLHS(), factor * scale.getValue()});
    } else {
      return false;
    }
  }
  return true;
}

static FailureOr<Access> buildAccess(linalg::GenericOp op, OpOperand &operand,
                                     BufferViews &views) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  Access access;
  access.strides.assign(map.getNumDims(), 0);
  if (!isa<MemRefType>(operand.get().getType())) {
    access.scalar = operand.get();
    return access;
  }
  FailureOr<BufferView> view = views.resolve(operand.get(), op);
  if (failed(view))
    return failure();
  access.view = *view;
  SmallVector<int64_t> coefficients;
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), view->strides)) {
    int64_t constant;
    if (!linearize(expr, map.getNumDims(), constant, coefficients))
      return op.emitOpError("has an indexing map that is not linear: ")
             << AffineMapAttr::get(map);
    access.constant += constant * stride;
    for (auto [total, coefficient] :
         llvm::zip_equal(access.strides, coefficients))
      total += coefficient * stride;
  }
  return access;
}

static void forEachAccess(LoopNest &nest, function_ref<void(Access &)> visit) {
  for (Access &access : nest.inputs)
    visit(access);
  for (Access &access : nest.outputs)
    visit(access);
}

/// Removes loop `number`; indices of the original loops follow.
static void dropLoop(LoopNest &nest, unsigned number, int64_t replacement) {
  nest.loops.erase(nest.loops.begin() + number);
  forEachAccess(nest, [&](Access &access) {
    access.strides.erase(access.strides.begin() + number);
  });
  for (int64_t &loop : nest.loopOfOriginal) {
    if (loop == number)
      loop = replacement;
    else if (loop > number)
      --loop;
  }
}

void permuteLoops(LoopNest &nest, ArrayRef<unsigned> order) {
  SmallVector<Loop> loops;
  SmallVector<int64_t> newNumber(order.size());
  for (auto [position, number] : llvm::enumerate(order)) {
    loops.push_back(nest.loops[number]);
    newNumber[number] = position;
  }
  nest.loops = std::move(loops);
  forEachAccess(nest, [&](Access &access) {
    SmallVector<int64_t> strides;
    for (unsigned number : order)
      strides.push_back(access.strides[number]);
    access.strides = std::move(strides);
  });
  for (int64_t &loop : nest.loopOfOriginal)
    if (loop >= 0)
      loop = newNumber[loop];
}

void coalesceLoops(LoopNest &nest) {
  for (unsigned outer = nest.loops.size(); outer-- > 0;) {
    unsigned inner = outer + 1;
    if (inner >= nest.loops.size())
      continue;
    Loop &outerLoop = nest.loops[outer], &innerLoop = nest.loops[inner];
    if (outerLoop.isReduction != innerLoop.isReduction || outerLoop.isIndexed ||
        innerLoop.isIndexed)
      continue;
    bool walksAsOne = true;
    forEachAccess(nest, [&](Access &access) {
      walksAsOne &=
          access.strides[outer] == access.strides[inner] * innerLoop.size;
    });
    if (!walksAsOne)
      continue;
    innerLoop.size *= outerLoop.size;
    dropLoop(nest, outer, /*replacement=*/-1);
  }
}

/// Parallel loops by falling stride in the first output, then the reductions.
static void sortLoops(LoopNest &nest) {
  SmallVector<unsigned> order = nest.parallelLoops();
  const Access &output = nest.outputs.front();
  llvm::sort(order, [&](unsigned lhs, unsigned rhs) {
    int64_t left = std::abs(output.strides[lhs]);
    int64_t right = std::abs(output.strides[rhs]);
    return left != right ? left > right : lhs < rhs;
  });
  llvm::append_range(order, nest.reductionLoops());
  permuteLoops(nest, order);
}

FailureOr<LoopNest> buildLoopNest(linalg::GenericOp op, BufferViews &views) {
  LoopNest nest;
  nest.op = op;
  if (op.getOutputs().empty())
    return op.emitOpError("writes nothing");
  for (OpOperand *operand : op.getDpsInputOperands()) {
    FailureOr<Access> access = buildAccess(op, *operand, views);
    if (failed(access))
      return failure();
    nest.inputs.push_back(std::move(*access));
  }
  for (OpOperand &operand : op.getDpsInitsMutable()) {
    FailureOr<Access> access = buildAccess(op, operand, views);
    if (failed(access))
      return failure();
    nest.outputs.push_back(std::move(*access));
  }
  nest.initialValues.resize(nest.outputs.size());
  for (auto [number, size, kind] :
       llvm::enumerate(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    nest.loops.push_back(
        {size, kind != utils::IteratorType::parallel, /*isIndexed=*/false});
    nest.loopOfOriginal.push_back(number);
  }
  std::optional<int64_t> iterations = 1;
  for (const Loop &loop : nest.loops)
    if (iterations)
      iterations = llvm::checkedMul(*iterations, loop.size);
  if (!iterations)
    return op.emitOpError("has more iterations than can be counted");
  op.getBody()->walk([&](linalg::IndexOp index) {
    nest.loops[index.getDim()].isIndexed = true;
  });
  for (unsigned loop = nest.loops.size(); loop-- > 0;)
    if (nest.loops[loop].size == 1)
      dropLoop(nest, loop, /*replacement=*/-1);
  sortLoops(nest);
  coalesceLoops(nest);
  return nest;
}

} // namespace ckpt
