//===- SolveExact.cpp - Complete search with bounds -----------------------===//
#include "Solvers/Exact.h"

#include "Effort.h"
#include "Graph.h"
#include "Solvers/Candidates.h"

#include <algorithm>

namespace ckpt::planner {

bool exactTakes(const Problem &problem) {
  return problem.numOps() <= 64 && problem.numValues() <= 64;
}

ExactOutcome searchExact(const Problem &problem, const Options &options,
                         const ExactLimits &limits) {
  Graph g = Graph::build(problem);
  if (limits.anyPlan)
    return searchBackward(g, options, limits);
  const Deadline deadline(limits.timeLimit);
  ExactOutcome best;
  // Now the one, now the other, with more and more states, for nobody knows
  // which comes to its end first.
  for (int64_t states = std::min(limits.maxStates, limits.firstStates);;
       states = std::min(limits.maxStates, 4 * states)) {
    for (auto search : {searchBackward, searchForward}) {
      ExactLimits part = limits;
      part.maxStates = states;
      if (deadline.limited())
        part.timeLimit = std::max(deadline.left(), 1e-6);
      ExactOutcome outcome = search(g, options, part);
      outcome.states += best.states;
      outcome.bound = std::max(outcome.bound, best.bound);
      best = std::move(outcome);
      if (best.complete || deadline.passed())
        return best;
    }
    if (states >= limits.maxStates)
      return best;
  }
}

Result solveExact(const Problem &problem, const Options &options) {
  Candidates candidates(problem, options);
  if (!exactTakes(problem))
    return candidates.unsupported("exact takes at most 64 ops with 64 results");
  if (candidates.belowFloor())
    return candidates.finish(StopReason::Failed);
  ExactLimits limits;
  limits.maxStates = options.effort >= 0 ? options.effort : 3'000'000;
  limits.timeLimit = options.timeLimit;
  // A plan from elsewhere is where the search may stop.
  Options quick = options;
  quick.effort = 2000;
  quick.timeLimit = 0;
  quick.wantBound = false;
  if (Result start = solveHeuristically(problem, quick); start.solved()) {
    candidates.offerPlan(start.plan);
    limits.costLimit = start.time;
  }
  ExactOutcome outcome = searchExact(problem, options, limits);
  candidates.spend(outcome.states);
  if (outcome.found)
    candidates.offer(outcome.runs);
  TimeBound bound;
  bound.order = options.order;
  bound.bySearch = true;
  bound.time = std::max(problem.totalTime(), outcome.bound);
  bound.infeasible = outcome.complete && !candidates.solved();
  return candidates.finish(options.timeLimit > 0 ? StopReason::TimeLimit
                                                 : StopReason::Effort,
                           std::move(bound));
}

} // namespace ckpt::planner
