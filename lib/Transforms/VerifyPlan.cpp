//===- VerifyPlan.cpp - Check that a materialised plan still holds --------===//

#include "ckpt/Analysis/StepGraph.h"
#include "ckpt/IR/Functions.h"
#include "ckpt/Planner/Simulator.h"
#include "ckpt/Transforms/Passes.h"

#include <map>

namespace ckpt {
#define GEN_PASS_DEF_VERIFYPLAN
#include "ckpt/Transforms/Passes.h.inc"
} // namespace ckpt

using namespace mlir;
using namespace ckpt;

/// Checks that each op runs as often as the plan says.
static LogicalResult verifyRuns(FunctionOpInterface step, PlanAttr plan,
                                const StepGraph &graph) {
  // Numbers are the user's: any may come, also those that a DenseMap reserves.
  std::map<int64_t, int64_t> missing;
  for (int64_t number : plan.getOrder())
    ++missing[number];
  for (Operation *op : graph.ops) {
    auto number = op->getAttrOfType<IntegerAttr>(opNumberAttrName);
    if (!number)
      return op->emitOpError("is not in the plan: it has no number");
    if (--missing[number.getInt()] < 0)
      return op->emitOpError()
             << "number " << number.getInt()
             << " runs more often than the plan says ("
             << llvm::count(plan.getOrder(), number.getInt()) << ")";
  }
  for (int64_t number : plan.getOrder()) {
    if (missing[number] <= 0)
      continue;
    InFlightDiagnostic error = emitError(step.getLoc())
                               << "op number " << number << " runs "
                               << missing[number]
                               << " fewer times than the plan's "
                               << llvm::count(plan.getOrder(), number);
    for (Operation *op : graph.ops)
      if (op->getAttrOfType<IntegerAttr>(opNumberAttrName).getInt() == number) {
        error.attachNote(op->getLoc()) << "it runs here";
        break;
      }
    return error;
  }
  return success();
}

LogicalResult ckpt::verifyPlan(FunctionOpInterface step) {
  auto plan = step->getAttrOfType<PlanAttr>(planAttrName);
  if (!plan)
    return success();
  if (plan.getPeak() < 0)
    return emitError(step.getLoc(),
                     "the plan is not materialised: it records no peak");
  // Times do not matter here, so any target will do.
  FailureOr<StepGraph> graph =
      extractStepGraph(step, CostModel(*lookupTarget("h100")));
  if (failed(graph) || failed(verifyRuns(step, plan, *graph)))
    return failure();

  std::vector<planner::OpId> runs;
  for (planner::OpId op = 0; op < graph->problem.numOps(); ++op)
    runs.push_back(op);
  planner::Plan asWritten = planner::planFromRuns(graph->problem, runs);
  planner::Simulation simulation = planner::simulate(graph->problem, asWritten);
  assert(simulation.valid && "the body of a function is in order");
  if (simulation.peak == plan.getPeak())
    return success();
  InFlightDiagnostic error = emitError(step.getLoc())
                             << "allocates " << simulation.peak
                             << " bytes at its peak, not the " << plan.getPeak()
                             << " of its plan";
  if (simulation.peakEvent < 0)
    return error;
  planner::Event event = asWritten.events[simulation.peakEvent];
  if (!event.isFree())
    error.attachNote(graph->ops[event.id]->getLoc()) << "the peak is here";
  return error;
}

namespace {
struct VerifyPlan : ckpt::impl::VerifyPlanBase<VerifyPlan> {
  void runOnOperation() override {
    if (failed(forEachFunction(getOperation(), verifyPlan)))
      signalPassFailure();
  }
};
} // namespace
