//===- Exact.h - Complete search, for solvers to use ------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SOLVERS_EXACT_H
#define CKPT_LIB_PLANNER_SOLVERS_EXACT_H

#include "ckpt/Planner/Solvers.h"

namespace ckpt::planner {

struct ExactLimits {
  /// Only plans that cost less are of interest.
  int64_t costLimit = INT64_MAX;
  int64_t maxStates = 0;
  /// Seconds; 0 means no limit.
  double timeLimit = 0;
};

struct ExactOutcome {
  /// The search saw everything that costs less than the limit.
  bool complete = false;
  bool found = false;
  Plan plan;
  /// No plan costs less than this; `costLimit` where nothing below it is left.
  int64_t bound = 0;
  int64_t states = 0;
};

/// May searchExact() be called for a problem of this size?
bool exactTakes(const Problem &problem);

ExactOutcome searchExact(const Problem &problem, const Options &options,
                         const ExactLimits &limits);

/// Solver auto without its complete search.
Result solveHeuristically(const Problem &problem, const Options &options);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SOLVERS_EXACT_H
