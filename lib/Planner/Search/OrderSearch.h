//===- OrderSearch.h - Search over orders of first runs ---------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SEARCH_ORDERSEARCH_H
#define CKPT_LIB_PLANNER_SEARCH_ORDERSEARCH_H

#include "Search/LocalSearch.h"
#include "ckpt/Planner/Problem.h"

namespace ckpt::planner {

struct OrderSearchOptions {
  int64_t budget = 0;
  /// Moves, those of the local searches after each change of order included.
  int64_t maxMoves = 0;
  Deadline deadline;
  /// Stop as soon as the cost is not above this (a proven bound).
  __int128 goodEnough = -1;
};

/// From the plan of `runs`: postpones or advances a first run, with what it
/// needs recomputed and with the first runs that depend on it, to where memory
/// is free or the same values are recomputed for another op; repairs, searches
/// locally for a moment, and keeps what is not worse (or little, by an
/// annealing criterion). O(n log n) per change of order.
LocalSearchResult searchOrders(const Problem &problem,
                               const std::vector<OpId> &runs,
                               const OrderSearchOptions &options,
                               Random &random);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SEARCH_ORDERSEARCH_H
