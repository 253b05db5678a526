//===- PolicyPlan.cpp - Plans that follow a policy ------------------------===//

#include "PolicyPlan.h"

using namespace mlir;
using namespace ckpt;
using planner::OpId;

FailureOr<std::vector<PolicyDecision>>
ckpt::lookupPolicies(const StepGraph &graph, PolicyAttr functionPolicy) {
  std::vector<PolicyDecision> decisions(graph.ops.size());
  for (OpId op = 0; op < graph.problem.numOps(); ++op) {
    if (!graph.isForward[op])
      continue;
    PolicyDecision decision = lookupPolicy(graph.ops[op], functionPolicy);
    if (decision.decision == Decision::Recompute &&
        !graph.problem.ops[op].recomputable) {
      if (decision.strength == Strength::Must)
        return graph.ops[op]->emitOpError()
               << "cannot be recomputed, as " << decision.rule
               << " demands: running it again could be observed";
      decision = {};
    }
    decisions[op] = decision;
  }
  return decisions;
}

OpId ckpt::getBackwardBegin(const StepGraph &graph) {
  OpId begin = graph.problem.numOps();
  while (begin > 0 && !graph.isForward[begin - 1])
    --begin;
  return begin;
}

std::vector<OpId>
ckpt::scheduleRecomputations(const StepGraph &graph,
                             const std::vector<bool> &recomputed) {
  const planner::Problem &problem = graph.problem;
  std::vector<OpId> runs;
  std::vector<bool> available(graph.ops.size(), true);

  // Appends what `op` needs again, inputs first.
  auto recomputeInputs = [&](OpId op) {
    SmallVector<std::pair<OpId, size_t>> stack{{op, 0}};
    while (!stack.empty()) {
      auto &[current, next] = stack.back();
      const planner::Op &planned = problem.ops[current];
      if (next < planned.inputs.size()) {
        OpId producer = problem.values[planned.inputs[next++]].producer;
        if (!available[producer]) {
          available[producer] = true;
          stack.push_back({producer, 0});
        }
        continue;
      }
      if (current != op)
        runs.push_back(current);
      stack.pop_back();
    }
  };

  OpId lastForward = getBackwardBegin(graph) - 1;
  for (OpId op = 0; op < problem.numOps(); ++op) {
    if (op > lastForward)
      recomputeInputs(op);
    runs.push_back(op);
    if (op == lastForward)
      for (OpId forward = 0; forward <= op; ++forward)
        available[forward] = !(graph.isForward[forward] && recomputed[forward]);
  }
  return runs;
}
