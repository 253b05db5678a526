//===- Materialize.cpp - Order ops and clone what is recomputed -----------===//
//
// The new body is written run by run, as clones of the old one, which then goes
// away. What is between planned ops (views, undefined tensors, scalar
// arithmetic) is cloned next to each reader, on the copy that is current there.
//
//===----------------------------------------------------------------------===//

#include "ckpt/Analysis/StepGraph.h"
#include "ckpt/IR/Functions.h"
#include "ckpt/IR/Locations.h"
#include "ckpt/Planner/Simulator.h"
#include "ckpt/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

#include <map>

namespace ckpt {
#define GEN_PASS_DEF_MATERIALIZE
#include "ckpt/Transforms/Passes.h.inc"
} // namespace ckpt

using namespace mlir;
using namespace ckpt;
using planner::OpId;

/// The plan's order in terms of the graph's ops; checked to be executable.
static FailureOr<std::vector<OpId>>
readOrder(FunctionOpInterface step, PlanAttr plan, const StepGraph &graph) {
  // Numbers are the user's: any may come, also those that a DenseMap reserves.
  std::map<int64_t, OpId> ids;
  for (auto [id, op] : llvm::enumerate(graph.ops)) {
    auto number = op->getAttrOfType<IntegerAttr>(opNumberAttrName);
    if (!number)
      return op->emitOpError("has no number ('")
             << opNumberAttrName << "'), but the function has a plan";
    auto [known, inserted] = ids.try_emplace(number.getInt(), id);
    if (!inserted) {
      InFlightDiagnostic error = op->emitOpError()
                                 << "has the number " << number.getInt()
                                 << " of another op";
      error.attachNote(graph.ops[known->second]->getLoc()) << "the other op";
      return error;
    }
  }
  std::vector<OpId> runs;
  for (int64_t number : plan.getOrder()) {
    auto id = ids.find(number);
    if (id == ids.end())
      return emitError(step.getLoc())
             << "the plan runs op number " << number << ", which no op has";
    runs.push_back(id->second);
  }
  return runs;
}

/// Checks that inputs exist when `runs` needs them and that only what may run
/// again does.
static LogicalResult checkOrder(const StepGraph &graph, ArrayRef<OpId> runs) {
  std::vector<bool> ran(graph.ops.size(), false);
  for (OpId op : runs) {
    const planner::Op &planned = graph.problem.ops[op];
    if (ran[op] && !planned.recomputable)
      return graph.ops[op]->emitOpError(
          "runs twice in the plan, but running it again could be observed");
    for (planner::ValueId input : planned.inputs) {
      OpId producer = graph.problem.values[input].producer;
      if (ran[producer])
        continue;
      InFlightDiagnostic error = graph.ops[op]->emitOpError(
          "runs in the plan before an op whose result it reads");
      error.attachNote(graph.ops[producer]->getLoc()) << "that op";
      return error;
    }
    ran[op] = true;
  }
  for (auto [id, op] : llvm::enumerate(graph.ops))
    if (!ran[id])
      return op->emitOpError("never runs in the plan");
  return success();
}

namespace {
/// Rewrites the body. Cannot fail: the order has been checked.
class Materializer {
public:
  Materializer(FunctionOpInterface step, const StepGraph &graph)
      : graph(graph), body(step.getFunctionBody().front()),
        builder(body.getTerminator()) {}

  void run(ArrayRef<OpId> runs);

private:
  /// Adds a barrier for all that the recomputations in `group` read from before
  /// it, and makes its results current within the group.
  void openGroup(ArrayRef<OpId> group);
  void placeFirstRun(Operation *op);
  void placeRecomputation(Operation *op);
  Operation *placeClone(Operation *op);
  /// Clones what is not planned and `op` reads, on current copies. Returns the
  /// mapping from what `op` reads.
  IRMapping resolveReads(Operation *op);
  /// Makes `clone` depend on a barrier although it reads no buffer.
  void guardWithoutInputs(Operation *op, Operation *clone);
  ValueRange getGate() const { return gate ? ValueRange(gate) : ValueRange(); }

  const StepGraph &graph;
  Block &body;
  OpBuilder builder;
  /// The copy of each buffer that readers get now, and within a group of
  /// recomputations, where that differs.
  DenseMap<Value, Value> current, inGroup;
  /// A result of the last op before the group.
  Value gate;
  /// Number of barriers so far.
  int64_t place = 0;
};
} // namespace

/// What `op` and its regions read from outside.
static SetVector<Value> getReads(Operation *op) {
  SetVector<Value> reads;
  reads.insert(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), reads);
  return reads;
}

IRMapping Materializer::resolveReads(Operation *op) {
  IRMapping mapping;
  auto lookup = [&](Value buffer) {
    if (Value copy = inGroup.lookup(buffer))
      return copy;
    if (Value copy = current.lookup(buffer))
      return copy;
    return buffer;
  };
  // Depth first over what is not planned; each entry is visited twice.
  SmallVector<std::pair<Value, bool>> stack;
  SetVector<Value> reads = getReads(op);
  for (Value read : llvm::reverse(reads))
    stack.push_back({read, false});
  while (!stack.empty()) {
    auto [value, inputsDone] = stack.pop_back_val();
    if (mapping.contains(value))
      continue;
    Operation *definition = value.getDefiningOp();
    if (!definition || graph.isPlanned(definition)) {
      mapping.map(value, lookup(value));
      continue;
    }
    if (definition->hasTrait<OpTrait::ConstantLike>()) {
      mapping.map(value, value);
      continue;
    }
    if (!inputsDone) {
      stack.push_back({value, true});
      SetVector<Value> inputs = getReads(definition);
      for (Value input : llvm::reverse(inputs))
        stack.push_back({input, false});
      continue;
    }
    builder.clone(*definition, mapping);
  }
  return mapping;
}

void Materializer::openGroup(ArrayRef<OpId> group) {
  SetVector<Value> outside;
  llvm::SmallPtrSet<Value, 16> inside;
  for (OpId id : group) {
    for (Value read : getReads(graph.ops[id]))
      for (Value buffer : graph.getBuffers(read))
        if (!inside.contains(buffer))
          outside.insert(buffer);
    for (Value result : graph.ops[id]->getResults())
      inside.insert(result);
  }
  inGroup.clear();
  if (outside.empty())
    return;
  SmallVector<Value> copies;
  for (Value buffer : outside) {
    Value copy = current.lookup(buffer);
    copies.push_back(copy ? copy : buffer);
  }
  auto barrier = BarrierOp::create(
      builder, markRecomputed(graph.ops[group.front()]->getLoc()), place++,
      copies, getGate());
  for (auto [buffer, copy] : llvm::zip_equal(outside, barrier.getResults()))
    inGroup[buffer] = copy;
}

void Materializer::guardWithoutInputs(Operation *op, Operation *clone) {
  bool readsBuffer = llvm::any_of(getReads(op), [&](Value read) {
    return !graph.getBuffers(read).empty();
  });
  if (readsBuffer)
    return;
  // The destination, where there is one, else any operand: an op without
  // operands is not recomputable.
  OpOperand &operand = clone->getOpOperand(clone->getNumOperands() - 1);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(clone);
  auto barrier = BarrierOp::create(builder, clone->getLoc(), place++,
                                   operand.get(), getGate());
  operand.set(barrier.getResult(0));
}

Operation *Materializer::placeClone(Operation *op) {
  IRMapping mapping = resolveReads(op);
  Operation *clone = builder.clone(*op, mapping);
  for (auto [result, copy] :
       llvm::zip_equal(op->getResults(), clone->getResults()))
    current[result] = copy;
  return clone;
}

void Materializer::placeFirstRun(Operation *op) {
  Operation *clone = placeClone(op);
  if (clone->getNumResults() != 0)
    gate = clone->getResult(0);
}

void Materializer::placeRecomputation(Operation *op) {
  Operation *clone = placeClone(op);
  clone->setLoc(markRecomputed(op->getLoc()));
  guardWithoutInputs(op, clone);
  for (auto [result, copy] :
       llvm::zip_equal(op->getResults(), clone->getResults()))
    inGroup[result] = copy;
}

void Materializer::run(ArrayRef<OpId> runs) {
  SmallVector<Operation *> originals;
  for (Operation &op : body.without_terminator())
    originals.push_back(&op);

  llvm::BitVector ran(graph.ops.size());
  while (!runs.empty()) {
    if (!ran[runs.front()]) {
      ran.set(runs.front());
      placeFirstRun(graph.ops[runs.front()]);
      runs = runs.drop_front();
      continue;
    }
    // A group: consecutive recomputations, no op twice.
    llvm::SmallDenseSet<OpId> members;
    ArrayRef<OpId> group = runs.take_while(
        [&](OpId id) { return ran[id] && members.insert(id).second; });
    openGroup(group);
    for (OpId id : group)
      placeRecomputation(graph.ops[id]);
    inGroup.clear();
    gate = current.lookup(graph.ops[group.back()]->getResult(0));
    runs = runs.drop_front(group.size());
  }

  Operation *terminator = body.getTerminator();
  IRMapping results = resolveReads(terminator);
  for (OpOperand &operand : terminator->getOpOperands())
    operand.set(results.lookup(operand.get()));
  for (Operation *op : llvm::reverse(originals))
    if (op->use_empty() && !op->hasTrait<OpTrait::ConstantLike>())
      op->erase();
}

LogicalResult ckpt::materializePlan(FunctionOpInterface step) {
  auto plan = step->getAttrOfType<PlanAttr>(planAttrName);
  if (!plan)
    return success();
  FailureOr<StepGraph> graph =
      extractStepGraph(step, CostModel(*lookupTarget("h100")));
  if (failed(graph))
    return failure();
  FailureOr<std::vector<OpId>> runs = readOrder(step, plan, *graph);
  if (failed(runs) || failed(checkOrder(*graph, *runs)))
    return failure();

  planner::Simulation simulation = planner::simulate(
      graph->problem, planner::planFromRuns(graph->problem, *runs));
  if (!simulation.valid)
    return emitError(step.getLoc(), "the plan cannot be executed: ")
           << simulation.error;
  int64_t storeAll = planner::storeAllPeak(graph->problem);
  Materializer(step, *graph).run(*runs);
  step->setAttr(planAttrName,
                PlanAttr::get(step->getContext(), plan.getSolver(),
                              plan.getOrder(), simulation.peak, storeAll));
  return success();
}

namespace {
struct Materialize : ckpt::impl::MaterializeBase<Materialize> {
  void runOnOperation() override {
    if (failed(forEachFunction(getOperation(), materializePlan)))
      signalPassFailure();
  }
};
} // namespace
