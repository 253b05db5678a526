//===- Squeeze.h - A plan for a small budget from larger ones ---*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SEARCH_SQUEEZE_H
#define CKPT_LIB_PLANNER_SEARCH_SQUEEZE_H

#include "Search/LocalSearch.h"

namespace ckpt::planner {

struct SqueezeOptions {
  /// Budgets on the way, in equal ratios.
  int32_t steps = 24;
  /// Of the local search at each budget.
  int64_t movesPerStep = 200;
  /// Give up after so much work of the state.
  int64_t maxWork = INT64_MAX;
  Deadline deadline;
};

struct SqueezeResult : LocalSearchResult {
  /// The runs that met the smallest budget on the way.
  std::vector<OpId> fitting;
};

/// From storing everything in the base order of `g` down to `budget`, a little
/// at a time: at each budget, what the last one left is repaired and searched
/// locally. Where all of the budget is taken from a schedule at once,
/// recomputations that need others cascade; here they are searched away as they
/// come. Gives up where no schedule is found for a budget on the way; the
/// result says then what is above `budget`.
SqueezeResult squeeze(const Graph &g, int64_t budget,
                      const SqueezeOptions &options, Random &random);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SEARCH_SQUEEZE_H
