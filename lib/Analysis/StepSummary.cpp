//===- StepSummary.cpp - What a step costs --------------------------------===//

#include "ckpt/Analysis/StepSummary.h"

#include "ckpt/IR/CkptDialect.h"
#include "ckpt/Interfaces/CostOpInterface.h"
#include "ckpt/Planner/Simulator.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ckpt;

static void addSaturating(int64_t &sum, int64_t term) {
  if (llvm::AddOverflow(sum, term, sum))
    sum = std::numeric_limits<int64_t>::max();
}

FailureOr<StepSummary> ckpt::summarizeStep(FunctionOpInterface step,
                                           const CostModel &costs) {
  FailureOr<StepGraph> graph = extractStepGraph(step, costs);
  if (failed(graph))
    return failure();

  StepSummary summary;
  summary.argumentBytes = graph->argumentBytes;
  summary.resultBytes = graph->resultBytes;
  summary.ops = static_cast<int64_t>(graph->ops.size());
  std::vector<planner::OpId> runs;
  llvm::DenseSet<int64_t> seen;
  for (auto [id, op] : llvm::enumerate(graph->ops)) {
    runs.push_back(static_cast<planner::OpId>(id));
    int64_t flops = getFlops(op);
    int64_t time = graph->problem.ops[id].time;
    addSaturating(summary.flops, flops);
    summary.time += time;
    auto number = op->getAttrOfType<IntegerAttr>(opNumberAttrName);
    if (number && !seen.insert(number.getInt()).second) {
      ++summary.recomputedOps;
      addSaturating(summary.recomputedFlops, flops);
      continue;
    }
    summary.storeAllTime += time;
    if (graph->isForward[id])
      addSaturating(summary.forwardFlops, flops);
  }
  summary.peakBytes =
      planner::simulate(graph->problem,
                        planner::planFromRuns(graph->problem, runs))
          .peak;
  return summary;
}
