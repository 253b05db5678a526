//===- ReverseMode.cpp - Reverse mode over a straight line of ops ---------===//

#include "ckpt/Interfaces/ReverseMode.h"

#include "ckpt/Interfaces/DifferentiableTypeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ckpt;

//===----------------------------------------------------------------------===//
// Activity
//===----------------------------------------------------------------------===//

SmallVector<Value> ckpt::getReadValues(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  if (op->getNumRegions() == 0)
    return values;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  values.append(captured.begin(), captured.end());
  return values;
}

DenseSet<Value> ckpt::findVariedValues(ArrayRef<Operation *> ops,
                                       ValueRange sources) {
  DenseSet<Value> varied(sources.begin(), sources.end());
  for (Operation *op : ops) {
    if (llvm::none_of(getReadValues(op),
                      [&](Value value) { return varied.contains(value); }))
      continue;
    for (Value result : op->getResults())
      if (carriesGradient(result.getType()))
        varied.insert(result);
  }
  return varied;
}

DenseSet<Value> ckpt::findActiveValues(ArrayRef<Operation *> ops,
                                       ValueRange sources, ValueRange sinks) {
  DenseSet<Value> varied = findVariedValues(ops, sources);
  // Of that, what can move a sink.
  DenseSet<Value> active;
  for (Value sink : sinks)
    if (varied.contains(sink))
      active.insert(sink);
  for (Operation *op : llvm::reverse(ops)) {
    if (llvm::none_of(op->getResults(),
                      [&](Value result) { return active.contains(result); }))
      continue;
    for (Value value : getReadValues(op))
      if (varied.contains(value))
        active.insert(value);
  }
  return active;
}

//===----------------------------------------------------------------------===//
// Sums of cotangents
//===----------------------------------------------------------------------===//

static DifferentiableTypeInterface getDifferentiable(Type type) {
  return cast<DifferentiableTypeInterface>(type);
}

/// `ifHolds` where `guard` holds, elsewhere `otherwise`.
static Value selectByGuard(ImplicitLocOpBuilder &builder, Guard guard,
                           Value ifHolds, Value otherwise) {
  if (guard.negated)
    std::swap(ifHolds, otherwise);
  return getDifferentiable(ifHolds.getType())
      .createSelect(builder, builder.getLoc(), guard.condition, ifHolds,
                    otherwise);
}

/// `value` where `guard` holds, elsewhere 0.
static Value applyGuard(ImplicitLocOpBuilder &builder, Value value,
                        Guard guard) {
  if (!guard)
    return value;
  Value zero = getDifferentiable(value.getType())
                   .createSplat(builder, builder.getLoc(), 0.0);
  return selectByGuard(builder, guard, value, zero);
}

/// The guard that holds where both do.
static Guard bothGuards(ImplicitLocOpBuilder &builder, Guard a, Guard b) {
  if (!a || a == b)
    return b;
  if (!b)
    return a;
  auto type = getDifferentiable(a.condition.getType());
  Value never = type.createSplat(builder, builder.getLoc(), 0.0);
  Value second = b.condition;
  if (b.negated)
    second = selectByGuard(
        builder, b, type.createSplat(builder, builder.getLoc(), 1.0), never);
  return {selectByGuard(builder, a, second, never)};
}

/// The guard that holds where one of the two does.
static Guard eitherGuard(ImplicitLocOpBuilder &builder, Guard a, Guard b) {
  if (!a || !b)
    return {};
  if (a == b)
    return a;
  Guard neither =
      bothGuards(builder, {a.condition, !a.negated}, {b.condition, !b.negated});
  return {neither.condition, !neither.negated};
}

void CotangentMap::accumulate(ImplicitLocOpBuilder &builder, Value primal,
                              Value cotangent, Guard guard) {
  assert(cotangent.getType() == primal.getType() &&
         "a contribution has the type of its value");
  if (!deferGuards) {
    cotangent = applyGuard(builder, cotangent, guard);
    guard = {};
  }
  auto [it, inserted] = sums.try_emplace(primal, Sum{cotangent, guard});
  if (inserted)
    return;
  Sum &sum = it->second;
  auto type = getDifferentiable(primal.getType());
  if (!(sum.guard == guard)) {
    sum.value = applyGuard(builder, sum.value, sum.guard);
    cotangent = applyGuard(builder, cotangent, guard);
    sum.guard = eitherGuard(builder, sum.guard, guard);
  }
  sum.value = type.createSum(builder, builder.getLoc(), sum.value, cotangent);
}

std::pair<Value, Guard>
CotangentMap::lookupGuarded(ImplicitLocOpBuilder &builder, Value primal) const {
  auto it = sums.find(primal);
  if (it == sums.end())
    return {};
  Value rounded = getDifferentiable(primal.getType())
                      .roundSum(builder, builder.getLoc(), it->second.value);
  return {rounded, it->second.guard};
}

Value CotangentMap::lookup(ImplicitLocOpBuilder &builder, Value primal) const {
  auto [value, guard] = lookupGuarded(builder, primal);
  return value ? applyGuard(builder, value, guard) : Value();
}

//===----------------------------------------------------------------------===//
// The backward walk
//===----------------------------------------------------------------------===//

/// Says why `op`, which is active, has no adjoint, if so.
static LogicalResult verifyDifferentiable(Operation *op,
                                          const DenseSet<Value> &active) {
  if (!isa<DifferentiableOpInterface>(op)) {
    InFlightDiagnostic diag =
        op->emitOpError("cannot be differentiated: it does not implement "
                        "DifferentiableOpInterface");
    diag.attachNote()
        << "attach a model of the interface to this op, or put it "
           "into a function with a 'ckpt.custom_gradient'";
    return diag;
  }
  auto verify = [&](Value value) -> LogicalResult {
    if (!active.contains(value))
      return success();
    auto emitError = [&] {
      return op->emitOpError("cannot be differentiated: a value of type ")
             << value.getType() << " is on the way from the arguments to the "
             << "loss, but ";
    };
    auto type = dyn_cast<DifferentiableTypeInterface>(value.getType());
    if (!type)
      return emitError()
             << "the type does not implement DifferentiableTypeInterface";
    return type.verifyDifferentiable(emitError);
  };
  for (Value result : op->getResults())
    if (failed(verify(result)))
      return failure();
  for (Value value : getReadValues(op))
    if (failed(verify(value)))
      return failure();
  return success();
}

LogicalResult ckpt::emitAdjoints(OpBuilder &opBuilder,
                                 ArrayRef<Operation *> ops,
                                 const DenseSet<Value> &active,
                                 function_ref<Value(Value)> primal,
                                 function_ref<Location(Operation *)> location,
                                 CotangentMap &cotangents) {
  auto isActive = [&](Value value) { return active.contains(value); };

  for (Operation *op : llvm::reverse(ops)) {
    if (llvm::none_of(op->getResults(), isActive))
      continue;
    if (failed(verifyDifferentiable(op, active)))
      return failure();

    ImplicitLocOpBuilder builder(location(op), opBuilder);
    SmallVector<Value> results;
    SmallVector<Guard> guards;
    for (Value result : op->getResults()) {
      auto [value, guard] = cotangents.lookupGuarded(builder, result);
      results.push_back(value);
      if (value)
        guards.push_back(guard);
    }
    if (guards.empty())
      continue;

    // A common guard is applied to the contributions, not before: the adjoint
    // is linear in the cotangents, and its factors may not be finite where the
    // guard does not hold.
    Guard common = guards.front();
    if (!llvm::all_equal(guards)) {
      common = {};
      for (auto [value, result] : llvm::zip_equal(results, op->getResults()))
        value = cotangents.lookup(builder, result);
    }

    auto accumulate = [&](Value value, Value cotangent, Guard guard) {
      assert(isActive(value) && "a contribution to a value that is not active");
      cotangents.accumulate(builder, value, cotangent,
                            bothGuards(builder, guard, common));
    };
#ifndef NDEBUG
    SmallVector<Value> needed;
    cast<DifferentiableOpInterface>(op).getNeededPrimals(isActive, needed);
    DenseSet<Value> allowed(needed.begin(), needed.end());
    auto checkedPrimal = [&](Value value) {
      assert(allowed.contains(value) &&
             "a rule reads a forward value that getNeededPrimals leaves out");
      return primal(value);
    };
#else
    auto checkedPrimal = primal;
#endif
    if (failed(cast<DifferentiableOpInterface>(op).emitAdjoint(
            builder, results, isActive, checkedPrimal, accumulate)))
      return failure();
    opBuilder.setInsertionPoint(builder.getInsertionBlock(),
                                builder.getInsertionPoint());
  }
  return success();
}
