//===- Accumulator.cpp - What a reduction carries along -------------------===//

#include "Accumulator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace ckpt {

namespace {

/// One output: `acc = op(acc, value)`.
class CombinedValue : public Accumulator {
public:
  CombinedValue(Combiner combiner, unsigned output)
      : combiner(combiner), output(output) {}

  SmallVector<Type> stateTypes() const override { return {combiner.type}; }
  bool mayBeVector() const override { return true; }
  SmallVector<Value> wanted() const override { return {combiner.value}; }

  SmallVector<Value> identity(KernelBuilder &kernel,
                              const Point &point) const override {
    return {combiner.identity(kernel, point.typeOf(combiner.type))};
  }
  SmallVector<Value> start(KernelBuilder &kernel, ValueRange values,
                           Value iteration) const override {
    return {combiner.widen(kernel, values.front())};
  }
  SmallVector<Value> combine(KernelBuilder &kernel, ValueRange lhs,
                             ValueRange rhs) const override {
    return {combiner.combine(kernel, lhs.front(), rhs.front())};
  }
  void finish(KernelBuilder &kernel, LoopNest &nest, const Point &point,
              ValueRange state) const override {
    Value initial = loadInitial(kernel, nest, output, point);
    Value total = combiner.combine(kernel, combiner.widen(kernel, initial),
                                   state.front());
    storeOperand(kernel, combiner.narrow(kernel, total, initial.getType()),
                 nest.outputs[output], point);
  }

private:
  Combiner combiner;
  unsigned output;
};

/// What the payload of a maximum or minimum with its index says.
struct Selection {
  /// Compares a new value with the accumulated one: strictly, so that the first
  /// of equal values stays.
  Operation *compare = nullptr;
  bool prefersGreater = false;
  /// The new value and what is kept of its iteration.
  Value value, payload;
  unsigned valueOutput = 0, payloadOutput = 0;
};

/// Two outputs: the extreme value, and what belongs to the iteration where it
/// was found first. The state is both and that iteration's number.
class SelectedValue : public Accumulator {
public:
  SelectedValue(Selection selection, Type valueType)
      : selection(selection), valueType(valueType) {}

  SmallVector<Type> stateTypes() const override {
    return {valueType, selection.payload.getType(),
            IndexType::get(valueType.getContext())};
  }
  bool mayBeVector() const override { return false; }
  SmallVector<Value> wanted() const override {
    return {selection.value, selection.payload};
  }

  SmallVector<Value> identity(KernelBuilder &kernel,
                              const Point &point) const override;
  SmallVector<Value> start(KernelBuilder &kernel, ValueRange values,
                           Value iteration) const override {
    return {widen(kernel, values[0]), values[1], iteration};
  }
  SmallVector<Value> combine(KernelBuilder &kernel, ValueRange lhs,
                             ValueRange rhs) const override;
  void finish(KernelBuilder &kernel, LoopNest &nest, const Point &point,
              ValueRange state) const override;

private:
  Value widen(KernelBuilder &kernel, Value value) const {
    return convertNumber(kernel, value, valueType, isSigned());
  }
  bool isSigned() const;
  Value compareValues(KernelBuilder &kernel, Value lhs, Value rhs,
                      bool equal) const;

  Selection selection;
  Type valueType;
};

} // namespace

bool SelectedValue::isSigned() const {
  auto compare = dyn_cast<arith::CmpIOp>(selection.compare);
  return compare && (compare.getPredicate() == arith::CmpIPredicate::sgt ||
                     compare.getPredicate() == arith::CmpIPredicate::slt);
}

/// A value that loses against any other, found after all iterations.
SmallVector<Value> SelectedValue::identity(KernelBuilder &kernel,
                                           const Point &point) const {
  OpBuilder &b = kernel.builder();
  TypedAttr worst;
  if (auto type = dyn_cast<FloatType>(valueType)) {
    worst = b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(),
                                                 selection.prefersGreater));
  } else {
    unsigned width = valueType.getIntOrFloatBitWidth();
    APInt number = selection.prefersGreater
                       ? (isSigned() ? APInt::getSignedMinValue(width)
                                     : APInt::getMinValue(width))
                       : (isSigned() ? APInt::getSignedMaxValue(width)
                                     : APInt::getMaxValue(width));
    worst = b.getIntegerAttr(valueType, number);
  }
  return {arith::ConstantOp::create(b, kernel.loc(), worst),
          kernel.zero(selection.payload.getType()),
          kernel.index(std::numeric_limits<int64_t>::max())};
}

/// Whether lhs beats rhs strictly, or both are equal.
Value SelectedValue::compareValues(KernelBuilder &kernel, Value lhs, Value rhs,
                                   bool equal) const {
  OpBuilder &b = kernel.builder();
  if (isa<FloatType>(valueType)) {
    auto predicate = equal                      ? arith::CmpFPredicate::OEQ
                     : selection.prefersGreater ? arith::CmpFPredicate::OGT
                                                : arith::CmpFPredicate::OLT;
    return arith::CmpFOp::create(b, kernel.loc(), predicate, lhs, rhs);
  }
  auto greater =
      isSigned() ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::ugt;
  auto less =
      isSigned() ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult;
  auto predicate = equal                      ? arith::CmpIPredicate::eq
                   : selection.prefersGreater ? greater
                                              : less;
  return arith::CmpIOp::create(b, kernel.loc(), predicate, lhs, rhs);
}

SmallVector<Value> SelectedValue::combine(KernelBuilder &kernel, ValueRange lhs,
                                          ValueRange rhs) const {
  OpBuilder &b = kernel.builder();
  Location loc = kernel.loc();
  Value isBetter = compareValues(kernel, rhs[0], lhs[0], /*equal=*/false);
  Value isEqual = compareValues(kernel, rhs[0], lhs[0], /*equal=*/true);
  // Signed: the initial value counts as iteration -1.
  Value isEarlier =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, rhs[2], lhs[2]);
  Value isFirst = arith::AndIOp::create(b, loc, isEqual, isEarlier);
  Value take = arith::OrIOp::create(b, loc, isBetter, isFirst);
  SmallVector<Value> state;
  for (auto [left, right] : llvm::zip_equal(lhs, rhs))
    state.push_back(arith::SelectOp::create(b, loc, take, right, left));
  if (isa<FloatType>(valueType)) {
    // A value that is not a number stays one, as in the payload's order.
    Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO,
                                        lhs[0], rhs[0]);
    Value sum = arith::AddFOp::create(b, loc, lhs[0], rhs[0]);
    state[0] = arith::SelectOp::create(b, loc, isNaN, sum, state[0]);
  }
  return state;
}

void SelectedValue::finish(KernelBuilder &kernel, LoopNest &nest,
                           const Point &point, ValueRange state) const {
  Value value = loadInitial(kernel, nest, selection.valueOutput, point);
  Value payload = loadInitial(kernel, nest, selection.payloadOutput, point);
  Type stored = value.getType();
  SmallVector<Value> initial{widen(kernel, value), payload, kernel.index(-1)};
  SmallVector<Value> total = combine(kernel, initial, state);
  Value best = convertNumber(kernel, total[0], stored, isSigned());
  storeOperand(kernel, best, nest.outputs[selection.valueOutput], point);
  storeOperand(kernel, total[1], nest.outputs[selection.payloadOutput], point);
}

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

/// Whether `compare` is true where its left operand is strictly greater (less).
static bool isStrict(Operation *compare, bool &isGreater) {
  if (auto op = dyn_cast<arith::CmpFOp>(compare)) {
    isGreater = op.getPredicate() == arith::CmpFPredicate::OGT;
    return isGreater || op.getPredicate() == arith::CmpFPredicate::OLT;
  }
  if (auto op = dyn_cast<arith::CmpIOp>(compare)) {
    isGreater = op.getPredicate() == arith::CmpIPredicate::sgt ||
                op.getPredicate() == arith::CmpIPredicate::ugt;
    return isGreater || op.getPredicate() == arith::CmpIPredicate::slt ||
           op.getPredicate() == arith::CmpIPredicate::ult;
  }
  return false;
}

/// Whether `op` gives the greater (less) one of its operands, NaN if there is
/// one.
static bool isExtreme(Operation *op, bool greater) {
  return greater ? isa<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>(op)
                 : isa<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>(op);
}

/// Matches, for outputs `value` and `kept`:
///   %better = cmp gt|lt %new, %acc
///   yield (max|min %new, %acc), (select %better, %what, %accKept)
static std::optional<Selection> matchSelection(LoopNest &nest, unsigned value,
                                               unsigned kept) {
  Block &payload = nest.payload();
  auto accumulator = [&](unsigned output) -> Value {
    return payload.getArgument(nest.numInputs() + output);
  };
  Operation *yield = payload.getTerminator();
  auto select = yield->getOperand(kept).getDefiningOp<arith::SelectOp>();
  Operation *extreme = yield->getOperand(value).getDefiningOp();
  if (!select || !extreme || extreme->getNumOperands() != 2 ||
      select.getFalseValue() != accumulator(kept) ||
      !accumulator(kept).hasOneUse() || !accumulator(value).hasNUses(2))
    return std::nullopt;
  Operation *compare = select.getCondition().getDefiningOp();
  Selection selection;
  if (!compare || !isStrict(compare, selection.prefersGreater))
    return std::nullopt;
  Value left = compare->getOperand(0), right = compare->getOperand(1);
  // acc < new says the same as new > acc.
  if (left == accumulator(value)) {
    std::swap(left, right);
    selection.prefersGreater = !selection.prefersGreater;
  }
  bool takesBoth =
      llvm::is_contained(extreme->getOperands(), left) &&
      llvm::is_contained(extreme->getOperands(), accumulator(value));
  if (right != accumulator(value) || !takesBoth ||
      !isExtreme(extreme, selection.prefersGreater) ||
      isa<IndexType>(left.getType()))
    return std::nullopt;
  selection.compare = compare;
  selection.value = left;
  selection.payload = select.getTrueValue();
  selection.valueOutput = value;
  selection.payloadOutput = kept;
  return selection;
}

Accumulators matchAccumulators(LoopNest &nest, ArrayRef<unsigned> carried) {
  Accumulators accumulators;
  SmallVector<unsigned> rest;
  for (unsigned output : carried) {
    if (std::optional<Combiner> combiner = matchCombiner(nest, output))
      accumulators.push_back(
          std::make_unique<CombinedValue>(*combiner, output));
    else
      rest.push_back(output);
  }
  if (rest.empty())
    return accumulators;
  if (rest.size() != 2)
    return {};
  for (auto [value, kept] :
       {std::pair(rest[0], rest[1]), std::pair(rest[1], rest[0])}) {
    std::optional<Selection> selection = matchSelection(nest, value, kept);
    if (!selection)
      continue;
    accumulators.push_back(std::make_unique<SelectedValue>(
        *selection, accumulatorType(selection->value.getType())));
    return accumulators;
  }
  return {};
}

} // namespace ckpt
