//===- PolicyPlan.h - Plans that follow a policy --------------*- C++ -*-===//

#ifndef CKPT_LIB_TRANSFORMS_POLICYPLAN_H
#define CKPT_LIB_TRANSFORMS_POLICYPLAN_H

#include "ckpt/Analysis/StepGraph.h"
#include "ckpt/IR/Policy.h"

namespace ckpt {

/// What the policies say of each op of `graph`. Fails, with an error at the op,
/// where a rule that binds cannot be followed.
llvm::FailureOr<std::vector<PolicyDecision>>
lookupPolicies(const StepGraph &graph, PolicyAttr functionPolicy);

/// The first op of the backward pass: the one after the last op of the forward
/// pass.
planner::OpId getBackwardBegin(const StepGraph &graph);

/// The runs of a step that recomputes the forward ops in `recomputed`, each
/// once and as late as can be: just before the first op of the backward pass
/// that needs it. O(size).
std::vector<planner::OpId>
scheduleRecomputations(const StepGraph &graph,
                       const std::vector<bool> &recomputed);

} // namespace ckpt

#endif // CKPT_LIB_TRANSFORMS_POLICYPLAN_H
