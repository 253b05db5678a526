//===- Exact.h - Complete search, for solvers to use ------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SOLVERS_EXACT_H
#define CKPT_LIB_PLANNER_SOLVERS_EXACT_H

#include "Graph.h"
#include "ckpt/Planner/Solvers.h"

namespace ckpt::planner {

struct ExactLimits {
  /// Only plans that cost less are of interest.
  int64_t costLimit = INT64_MAX;
  int64_t maxStates = 0;
  /// What the searches begin with, when they take turns.
  int64_t firstStates = 20'000;
  /// Seconds; 0 means no limit.
  double timeLimit = 0;
  /// Any plan will do, of whatever time below the limit: found much sooner.
  bool anyPlan = false;
};

struct ExactOutcome {
  /// The search saw everything that costs less than the limit.
  bool complete = false;
  bool found = false;
  std::vector<OpId> runs;
  /// No plan costs less than this; `costLimit` where nothing below it is left.
  int64_t bound = 0;
  int64_t states = 0;
};

/// May searchExact() be called for a problem of this size?
bool exactTakes(const Problem &problem);

/// Both searches below, in turn; the second alone for `anyPlan`.
ExactOutcome searchExact(const Problem &problem, const Options &options,
                         const ExactLimits &limits);

/// Over the values that are in memory, from nothing to the outputs: good where
/// it is decided early what is stored. Its estimate knows what must certainly
/// run again. Without `anyPlan`.
ExactOutcome searchForward(const Graph &g, const Options &options,
                           const ExactLimits &limits);

/// Over the values that must be in memory for what comes later, from the
/// outputs to nothing: needs no choice of what to give up. Good where there is
/// little room.
ExactOutcome searchBackward(const Graph &g, const Options &options,
                            const ExactLimits &limits);

/// Solver auto without its complete search.
Result solveHeuristically(const Problem &problem, const Options &options);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SOLVERS_EXACT_H
