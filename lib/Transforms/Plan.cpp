//===- Plan.cpp - Decide what a step stores and recomputes ----------------===//

#include "PolicyPlan.h"
#include "ckpt/Analysis/StepGraph.h"
#include "ckpt/IR/Functions.h"
#include "ckpt/Planner/Budget.h"
#include "ckpt/Planner/Solvers.h"
#include "ckpt/Transforms/Passes.h"

#include "llvm/Support/FormatVariadic.h"

namespace ckpt {
#define GEN_PASS_DEF_PLAN
#include "ckpt/Transforms/Passes.h.inc"
} // namespace ckpt

using namespace mlir;
using namespace ckpt;

FailureOr<CostModel> ckpt::getCostModel(FunctionOpInterface step,
                                        const PlanOptions &options) {
  const TargetModel *preset = lookupTarget(options.target);
  if (!preset) {
    InFlightDiagnostic error = emitError(step.getLoc())
                               << "unknown target '" << options.target
                               << "': expected one of ";
    llvm::interleaveComma(getTargetNames(), error);
    return error;
  }
  TargetModel target = *preset;
  if (auto module = step->getParentOfType<ModuleOp>()) {
    FailureOr<TargetModel> read = readTarget(module, target);
    if (failed(read))
      return failure();
    target = *read;
  }
  CostProfile profile;
  if (!options.costProfile.empty()) {
    std::string message;
    FailureOr<CostProfile> read =
        CostProfile::read(options.costProfile, message);
    if (failed(read))
      return emitError(step.getLoc(), message), failure();
    profile = std::move(*read);
  }
  return CostModel(std::move(target), std::move(profile));
}

/// Rules of policies that solvers other than `policy` follow: what is saved
/// runs once.
static LogicalResult restrictToPolicies(StepGraph &graph,
                                        ArrayRef<PolicyDecision> decisions,
                                        StringRef solver) {
  for (auto [id, decision] : llvm::enumerate(decisions)) {
    if (decision.decision == Decision::Save)
      graph.problem.ops[id].recomputable = false;
    if (decision.decision == Decision::Recompute &&
        decision.strength == Strength::Must)
      return graph.ops[id]->emitOpError()
             << decision.rule << " binds this op, which only the solver "
             << "'policy' follows, not '" << solver << "'";
  }
  return success();
}

/// Explains why there is no plan, at the op that needs the most at once.
static LogicalResult reportNoPlan(FunctionOpInterface step,
                                  const StepGraph &graph,
                                  const planner::Result &result,
                                  int64_t budget) {
  InFlightDiagnostic error = emitError(step.getLoc());
  const bool belowFloor = result.floor.bytes > budget;
  if (result.status == planner::Status::BelowFloor && !belowFloor) {
    error << "no plan fits a budget of " << budget
          << " bytes: it is proven to be too small for all of them";
  } else if (result.status == planner::Status::BelowFloor) {
    error << "no plan fits a budget of " << budget
          << " bytes: every plan needs " << result.floor.bytes << ", "
          << result.floor.bytes - budget << " more";
  } else if (result.status == planner::Status::NotFound) {
    error << "found no plan within " << budget << " bytes";
    if (result.smallestPeak >= 0)
      error << ": the smallest peak found is " << result.smallestPeak << ", "
            << result.smallestPeak - budget << " more";
    error << "; the proven floor is " << result.floor.bytes;
  } else {
    error << result.message;
  }
  if (result.floor.op != planner::kNone)
    error.attachNote(graph.ops[result.floor.op]->getLoc())
        << "this op needs the most at once: " << result.floor.bytes << " bytes";
  return error;
}

/// Constructions are compared with the program as it was written; a search may
/// use any order.
static FailureOr<planner::Order> getOrder(FunctionOpInterface step,
                                          const PlanOptions &options) {
  bool isSearch = options.solver == "auto" || options.solver == "exact";
  if (options.order == "free" || (options.order.empty() && isSearch))
    return planner::Order::Free;
  if (options.order == "program" || options.order.empty())
    return planner::Order::Program;
  return emitError(step.getLoc())
         << "order must be 'program' or 'free', not '" << options.order << "'";
}

/// The runs that the options' solver decides on.
static FailureOr<std::vector<planner::OpId>>
solve(FunctionOpInterface step, StepGraph &graph, const PlanOptions &options) {
  auto functionPolicy = step->getAttrOfType<PolicyAttr>(policyAttrName);
  FailureOr<std::vector<PolicyDecision>> decisions =
      lookupPolicies(graph, functionPolicy);
  if (failed(decisions))
    return failure();

  int64_t storeAll = planner::storeAllPeak(graph.problem);
  planner::BudgetSpec budget;
  if (!options.budget.empty() && !planner::parseBudget(options.budget, budget))
    return emitError(step.getLoc())
           << "'" << options.budget
           << "' is no budget: expected bytes (12345, 900MB, 6GiB), a "
              "percentage of the store-everything peak (40%), or min";
  bool isMinimum = budget.kind == planner::BudgetSpec::Kind::Minimum;
  int64_t bytes = std::numeric_limits<int64_t>::max();
  if (!options.budget.empty() && !isMinimum)
    bytes = budget.resolve(storeAll);

  FailureOr<planner::Order> order = getOrder(step, options);
  if (failed(order))
    return failure();
  if (options.solver == "policy") {
    if (isMinimum || *order == planner::Order::Free)
      return emitError(step.getLoc())
             << "the policies' plan is one plan in program order: the solver "
                "'policy' takes neither budget=min nor order=free";
    std::vector<bool> recomputed;
    for (const PolicyDecision &decision : *decisions)
      recomputed.push_back(decision.decision == Decision::Recompute);
    std::vector<planner::OpId> runs = scheduleRecomputations(graph, recomputed);
    planner::Simulation simulation = planner::simulate(
        graph.problem, planner::planFromRuns(graph.problem, runs));
    if (simulation.peak > bytes)
      return emitError(step.getLoc())
             << "the policies' plan needs " << simulation.peak << " bytes, "
             << simulation.peak - bytes << " more than the budget";
    return runs;
  }

  if (failed(restrictToPolicies(graph, *decisions, options.solver)))
    return failure();
  planner::Options solverOptions;
  solverOptions.solver = options.solver;
  solverOptions.budget = bytes;
  solverOptions.seed = options.seed;
  solverOptions.timeLimit = options.timeLimit;
  solverOptions.effort = options.effort;
  if (options.interval < 1 ||
      options.interval > std::numeric_limits<int32_t>::max())
    return emitError(step.getLoc())
           << "interval must be positive and below 2^31, not "
           << options.interval;
  solverOptions.interval = static_cast<int32_t>(options.interval);
  solverOptions.wantBound = false; // only the plan is used
  solverOptions.backward = getBackwardBegin(graph);
  solverOptions.order = *order;
  planner::Result result =
      isMinimum ? planner::minimizePeak(graph.problem, solverOptions)
                : planner::solve(graph.problem, solverOptions);
  if (!result.solved())
    return reportNoPlan(step, graph, result, bytes);

  return planner::dropUnreadRuns(graph.problem, result.plan.runs());
}

LogicalResult ckpt::planStep(FunctionOpInterface step,
                             const PlanOptions &options) {
  FailureOr<CostModel> costs = getCostModel(step, options);
  if (failed(costs))
    return failure();
  FailureOr<StepGraph> graph = extractStepGraph(step, *costs);
  if (failed(graph))
    return failure();
  int64_t storeAll = planner::storeAllPeak(graph->problem);
  FailureOr<std::vector<planner::OpId>> runs = solve(step, *graph, options);
  if (failed(runs))
    return failure();

  Builder builder(step->getContext());
  for (auto [id, op] : llvm::enumerate(graph->ops))
    op->setAttr(opNumberAttrName, builder.getI64IntegerAttr(id));
  planner::Simulation simulation = planner::simulate(
      graph->problem, planner::planFromRuns(graph->problem, *runs));
  assert(simulation.valid && "no solver returns an invalid plan");
  SmallVector<int64_t> order(runs->begin(), runs->end());
  step->setAttr(planAttrName,
                PlanAttr::get(step->getContext(),
                              builder.getStringAttr(options.solver), order,
                              simulation.peak, storeAll));
  return success();
}

namespace {
struct Plan : ckpt::impl::PlanBase<Plan> {
  using PlanBase::PlanBase;

  void runOnOperation() override {
    PlanOptions options;
    options.solver = solver;
    options.interval = interval;
    options.budget = budget;
    options.order = order;
    options.target = target;
    options.costProfile = costProfile;
    options.timeLimit = timeLimit;
    options.effort = effort;
    options.seed = seed;
    auto plan = [&](FunctionOpInterface step) {
      return planStep(step, options);
    };
    if (failed(forEachFunction(getOperation(), plan)))
      signalPassFailure();
  }
};
} // namespace
