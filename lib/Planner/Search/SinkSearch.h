//===- SinkSearch.h - Search over the places of sinks -----------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SEARCH_SINKSEARCH_H
#define CKPT_LIB_PLANNER_SEARCH_SINKSEARCH_H

#include "Search/OrderSearch.h"

namespace ckpt::planner {

/// Moves ops whose results nobody reads, such as the gradients of parameters,
/// those with large inputs more often: to right after the first runs of what
/// they read, to the end, or between. What they read must be kept or recomputed
/// elsewhere then, so that much changes at once: the schedule may be a good
/// deal dearer at first, and a long local search follows. Starts from `runs`
/// and returns the best schedule.
LocalSearchResult searchSinks(const Problem &problem,
                              const std::vector<OpId> &runs,
                              const OrderSearchOptions &options,
                              Random &random);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SEARCH_SINKSEARCH_H
