//===- Construct.h - Schedules from sets of stored values -------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SEARCH_CONSTRUCT_H
#define CKPT_LIB_PLANNER_SEARCH_CONSTRUCT_H

#include "Bounds/MomentModel.h"
#include "Search/ScheduleState.h"

namespace ckpt::planner {

/// Evicts across `stage` every value that is live there, used later and not in
/// `stored`; each is recomputed where it is used next, from what is stored.
/// Returns false, with the rest undone, above `costLimit` or past the deadline.
bool evictAcross(ScheduleState &state, int32_t stage,
                 const std::vector<char> &stored,
                 __int128 costLimit = (__int128)1 << 100,
                 const Deadline &deadline = Deadline());

/// A plan of time `known` is there: the cost above which a schedule under
/// construction will hardly become better, although some of its recomputations
/// may be dropped later.
__int128 hopelessCost(const Graph &g, __int128 known);

/// Positions between ops at which few bytes cross, and the bytes.
struct NarrowCut {
  /// Before this op.
  OpId position;
  int64_t bytes;
};

/// The narrowest places of the ops before `stage`, seen as a pipeline:
/// positions where no fewer bytes cross at any position nearby (sqrt(stage)/2
/// to both sides). In order. O(stage).
std::vector<NarrowCut> narrowCuts(const Graph &g, int32_t stage);

/// The values that cross one of `positions` (sorted) among the ops before
/// `stage`: used at or after a position, made before it.
std::vector<char> crossingValues(const Graph &g, int32_t stage,
                                 const std::vector<OpId> &positions);

/// Positions that cut the ops before `stage` into segments of about
/// `bytesPerSegment` of values needed after it, each at the narrowest place in
/// the second half of its segment.
std::vector<OpId> segmentPositions(const Graph &g, int32_t stage,
                                   double bytesPerSegment);

/// The same with segments that shrink: each fills, with what crosses the
/// positions before it, `room` bytes. When the last segment is recomputed, all
/// that crosses is in memory; when the first one is, nothing else: so more ops
/// fit between few positions than in segments of one size.
std::vector<OpId> shrinkingSegmentPositions(const Graph &g, int32_t stage,
                                            double room);

/// Between two neighbouring cuts of a min-cut model, `under` the budget and
/// `over` it: takes over's choice for as many values as there is room for, from
/// the last value down or from the first up.
std::vector<char> mixCuts(const Graph &g, const MomentCut &under,
                          const MomentCut &over, int64_t room, bool fromLast);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SEARCH_CONSTRUCT_H
