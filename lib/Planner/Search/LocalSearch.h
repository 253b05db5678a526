//===- LocalSearch.h - Large-neighbourhood search ---------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SEARCH_LOCALSEARCH_H
#define CKPT_LIB_PLANNER_SEARCH_LOCALSEARCH_H

#include "Effort.h"
#include "Random.h"
#include "Search/ScheduleState.h"

namespace ckpt::planner {

struct LocalSearchOptions {
  /// Moves; the cooling schedule follows whichever of this and the deadline
  /// is nearer its end.
  int64_t maxMoves = 0;
  Deadline deadline;
  /// Start of the temperature, relative to the mean cost of a recomputation.
  double heat = 0.3;
  /// Stop as soon as the cost is not above this (a proven bound).
  __int128 goodEnough = -1;
};

/// What the search found best.
struct LocalSearchResult {
  /// Sum of what the stages are above the budget; 0: fits.
  int64_t excess = 0;
  __int128 cost = 0;
  /// The runs, as ops of the Problem.
  std::vector<OpId> runs;
  int64_t moves = 0;
};

/// Takes recomputations back or evicts more somewhere, repairs, fills, and
/// keeps what an annealing criterion accepts; everything else is rolled back.
/// On more than some thousand ops the moves stay within windows of neighbouring
/// values, so that one costs O(window log n). Starts from `state` and leaves it
/// where the search ended.
LocalSearchResult localSearch(ScheduleState &state,
                              const LocalSearchOptions &options,
                              Random &random);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SEARCH_LOCALSEARCH_H
