//===- Accumulation.cpp - How a linalg op forms its results ---------------===//

#include "Accumulation.h"

#include "ckpt/Interfaces/ReverseMode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ckpt;
using namespace ckpt::models;
using linalg::LinalgOp;

bool ckpt::models::isUnitLoop(LinalgOp op, unsigned loop) {
  return op.getStaticLoopRanges()[loop] == 1;
}

static AffineMap getResultMap(LinalgOp op, unsigned resultNumber) {
  return op.getMatchingIndexingMap(op.getDpsInitOperand(resultNumber));
}

bool ckpt::models::isCarried(LinalgOp op, unsigned resultNumber) {
  AffineMap map = getResultMap(op, resultNumber);
  for (unsigned loop = 0, e = op.getNumLoops(); loop != e; ++loop)
    if (!isUnitLoop(op, loop) && !map.isFunctionOfDim(loop))
      return true;
  return false;
}

/// The block argument of the init of result `resultNumber`; null where the body
/// has none, as that of `linalg.map`.
static BlockArgument getInitArgument(LinalgOp op, unsigned resultNumber) {
  unsigned index = op.getNumDpsInputs() + resultNumber;
  if (index >= op.getBlock()->getNumArguments())
    return nullptr;
  return op.getBlock()->getArgument(index);
}

DenseSet<Value> ckpt::models::findCarriedValues(LinalgOp op) {
  DenseSet<Value> carried;
  for (unsigned i = 0, e = op.getNumDpsInits(); i != e; ++i)
    if (BlockArgument argument = getInitArgument(op, i);
        argument && isCarried(op, i))
      carried.insert(argument);
  for (Operation &inner : op.getBlock()->without_terminator())
    if (llvm::any_of(getReadValues(&inner),
                     [&](Value value) { return carried.contains(value); }))
      carried.insert(inner.result_begin(), inner.result_end());
  return carried;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Whether the derivative of the yielded value by the carried `accumulator` is
/// 1: the accumulator is only added to, perhaps under a condition and with
/// changes of precision.
static bool isSum(LinalgOp op, Value yielded, Value accumulator,
                  const DenseSet<Value> &carried) {
  // Values with derivative 1. Carried ones that are not in here have another.
  DenseSet<Value> unit{accumulator};
  auto isUnit = [&](Value value) { return unit.contains(value); };
  auto isFree = [&](Value value) { return !carried.contains(value); };
  for (Operation &inner : op.getBlock()->without_terminator()) {
    bool derivativeIsOne =
        TypeSwitch<Operation *, bool>(&inner)
            .Case<arith::AddFOp>([&](auto add) {
              return (isUnit(add.getLhs()) && isFree(add.getRhs())) ||
                     (isFree(add.getLhs()) && isUnit(add.getRhs()));
            })
            .Case<arith::SubFOp>([&](auto sub) {
              return isUnit(sub.getLhs()) && isFree(sub.getRhs());
            })
            .Case<arith::ExtFOp, arith::TruncFOp>(
                [&](auto convert) { return isUnit(convert.getIn()); })
            .Case<arith::SelectOp>([&](auto select) {
              return isFree(select.getCondition()) &&
                     isUnit(select.getTrueValue()) &&
                     isUnit(select.getFalseValue());
            })
            .Default(false);
    if (derivativeIsOne)
      unit.insert(inner.getResult(0));
  }
  return isUnit(yielded);
}

//===----------------------------------------------------------------------===//
// Extrema
//===----------------------------------------------------------------------===//

namespace {
/// A choice between the accumulator and a term by their order.
struct Choice {
  Value term;
  bool isMaximum;
};
} // namespace

/// 1 if `predicate` orders its left operand above the right one, -1 if below, 0
/// if it does not order them.
static int getOrder(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::OGT:
  case P::OGE:
  case P::UGT:
  case P::UGE:
    return 1;
  case P::OLT:
  case P::OLE:
  case P::ULT:
  case P::ULE:
    return -1;
  default:
    return 0;
  }
}

/// If `condition` orders `accumulator` and another value: that value, and
/// whether the condition holds where that value is the greater.
static std::optional<Choice> matchComparison(Value condition,
                                             Value accumulator) {
  auto compare = condition.getDefiningOp<arith::CmpFOp>();
  int order = compare ? getOrder(compare.getPredicate()) : 0;
  if (order == 0 ||
      (compare.getLhs() == accumulator) == (compare.getRhs() == accumulator))
    return std::nullopt;
  if (compare.getRhs() == accumulator)
    return Choice{compare.getLhs(), order > 0};
  return Choice{compare.getRhs(), order < 0};
}

static std::optional<Choice> matchChoice(Value yielded, Value accumulator) {
  Operation *op = yielded.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MinimumFOp,
          arith::MinNumFOp>(op)) {
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    if ((lhs == accumulator) == (rhs == accumulator))
      return std::nullopt;
    return Choice{lhs == accumulator ? rhs : lhs,
                  isa<arith::MaximumFOp, arith::MaxNumFOp>(op)};
  }
  auto select = dyn_cast<arith::SelectOp>(op);
  if (!select)
    return std::nullopt;
  std::optional<Choice> compared =
      matchComparison(select.getCondition(), accumulator);
  if (!compared)
    return std::nullopt;
  if (select.getTrueValue() == compared->term &&
      select.getFalseValue() == accumulator)
    return compared;
  if (select.getTrueValue() == accumulator &&
      select.getFalseValue() == compared->term)
    return Choice{compared->term, !compared->isMaximum};
  return std::nullopt;
}

/// Whether `value` is the index of loop `loop`, perhaps as another integer
/// type.
static bool isLoopIndex(Value value, unsigned loop) {
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  auto index = value.getDefiningOp<linalg::IndexOp>();
  return index && index.getDim() == loop;
}

/// The result of `op` that keeps the index of the iteration that `choice` chose
/// for result `resultNumber`; null if there is none.
static OpResult findIndexResult(LinalgOp op, unsigned resultNumber,
                                const Choice &choice) {
  AffineMap map = getResultMap(op, resultNumber);
  std::optional<unsigned> reduced;
  for (unsigned loop = 0, e = op.getNumLoops(); loop != e; ++loop) {
    if (isUnitLoop(op, loop) || map.isFunctionOfDim(loop))
      continue;
    if (reduced)
      return nullptr;
    reduced = loop;
  }
  if (!reduced)
    return nullptr;

  Value accumulator = getInitArgument(op, resultNumber);
  Operation *yield = op.getBlock()->getTerminator();
  for (unsigned i = 0, e = op.getNumDpsInits(); i != e; ++i) {
    auto select = yield->getOperand(i).getDefiningOp<arith::SelectOp>();
    if (i == resultNumber || !select || getResultMap(op, i) != map)
      continue;
    std::optional<Choice> compared =
        matchComparison(select.getCondition(), accumulator);
    if (!compared || compared->term != choice.term)
      continue;
    Value chosen = select.getTrueValue(), kept = select.getFalseValue();
    if (compared->isMaximum != choice.isMaximum)
      std::swap(chosen, kept);
    if (isLoopIndex(chosen, *reduced) && kept == getInitArgument(op, i))
      return cast<OpResult>(op->getResult(i));
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// All kinds
//===----------------------------------------------------------------------===//

Accumulation ckpt::models::findAccumulation(LinalgOp op,
                                            unsigned resultNumber) {
  Accumulation accumulation;
  Value yielded = op.getBlock()->getTerminator()->getOperand(resultNumber);
  DenseSet<Value> carried = findCarriedValues(op);
  if (!isCarried(op, resultNumber)) {
    if (!carried.contains(yielded))
      accumulation.kind = Accumulation::Kind::Write;
    return accumulation;
  }
  Value accumulator = getInitArgument(op, resultNumber);
  if (!accumulator)
    return accumulation;

  if (isSum(op, yielded, accumulator, carried)) {
    accumulation.kind = Accumulation::Kind::Sum;
    return accumulation;
  }
  if (std::optional<Choice> choice = matchChoice(yielded, accumulator)) {
    if (carried.contains(choice->term))
      return accumulation;
    accumulation.kind = Accumulation::Kind::Extremum;
    accumulation.term = choice->term;
    accumulation.index = findIndexResult(op, resultNumber, *choice);
    return accumulation;
  }
  if (auto product = yielded.getDefiningOp<arith::MulFOp>()) {
    Value term =
        product.getLhs() == accumulator ? product.getRhs() : product.getLhs();
    bool multiplies =
        product.getLhs() == accumulator || product.getRhs() == accumulator;
    if (!multiplies || carried.contains(term))
      return accumulation;
    accumulation.kind = Accumulation::Kind::Product;
    accumulation.term = term;
  }
  return accumulation;
}
