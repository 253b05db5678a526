//===- SolveExact.cpp - Complete search with bounds -----------------------===//
#include "Solvers/Candidates.h"
#include "Solvers/Exact.h"
#include "Solvers/OpMasks.h"

#include <algorithm>

namespace ckpt::planner {

bool exactTakes(const Problem &problem) {
  return OpMasks<LargeMask>::fit(problem.numOps(), problem.numValues());
}

int64_t defaultStates(const Problem &problem) {
  // Larger problems hardly ever end soon, and sets of two words take longer.
  return OpMasks<SmallMask>::fit(problem.numOps(), problem.numValues())
             ? 6'000'000
             : 2'000'000;
}

TwoWaySearch::TwoWaySearch(const Problem &problem, const Options &options)
    : g(Graph::build(problem)), backward(makeBackwardSearch(g, options)),
      forward(makeForwardSearch(g, options)) {}

ExactOutcome TwoWaySearch::run(const ExactLimits &limits) {
  // States of a turn, and how many more the search has that proves more: its
  // end is nearer.
  constexpr int64_t turn = 4000, factor = 3;
  int64_t backwardTurn = turn, forwardTurn = turn;
  while (!known.complete) {
    const ExactOutcome &back = backward->run(limits, backwardTurn);
    const ExactOutcome &front =
        back.complete ? back : forward->run(limits, forwardTurn);
    known.complete = front.complete;
    known.found = front.found;
    known.runs = front.runs;
    known.bound = std::max({known.bound, back.bound, front.bound});
    known.states = back.states + (back.complete ? 0 : front.states);
    if (known.states >= limits.maxStates || limits.deadline.passed())
      break;
    // Without a limit the estimates say little about the end.
    const bool compare = limits.costLimit < INT64_MAX;
    backwardTurn = compare && back.bound > front.bound ? factor * turn : turn;
    forwardTurn = compare && front.bound > back.bound ? factor * turn : turn;
  }
  return known;
}

ExactOutcome searchAnyPlan(const Problem &problem, const Options &options,
                           const ExactLimits &limits) {
  const Graph g = Graph::build(problem);
  ExactLimits any = limits;
  any.costLimit = INT64_MAX;
  return makeBackwardSearch(g, options, /*anyPlan=*/true)->run(any);
}

Result solveExact(const Problem &problem, const Options &options) {
  Candidates candidates(problem, options);
  if (!exactTakes(problem))
    return candidates.unsupported(
        "exact takes at most 128 ops with 128 results");
  if (candidates.belowFloor())
    return candidates.finish(StopReason::Failed);
  ExactLimits limits;
  limits.maxStates =
      options.effort >= 0 ? options.effort : defaultStates(problem);
  limits.deadline = Deadline(options.timeLimit);
  // A plan from elsewhere is where the search may stop.
  Options quick = options;
  quick.effort = 2000;
  quick.timeLimit = 0;
  quick.wantBound = false;
  const Result start = solveHeuristically(problem, quick);
  candidates.noteSmallestPeak(start.smallestPeak);
  if (start.solved()) {
    candidates.offerPlan(start.plan);
    limits.costLimit = start.time;
  }
  ExactOutcome outcome;
  if (!candidates.solved()) {
    outcome = searchAnyPlan(problem, options, limits);
    candidates.spend(outcome.states);
    limits.maxStates -= outcome.states;
    if (outcome.found && candidates.offer(outcome.runs))
      limits.costLimit = candidates.bestTime();
  }
  if (candidates.solved() || !outcome.complete) {
    outcome = TwoWaySearch(problem, options).run(limits);
    candidates.spend(outcome.states);
    if (outcome.found)
      candidates.offer(outcome.runs);
  }
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
