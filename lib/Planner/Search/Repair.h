//===- Repair.h - From a schedule to one within the budget ------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SEARCH_REPAIR_H
#define CKPT_LIB_PLANNER_SEARCH_REPAIR_H

#include "Effort.h"
#include "Search/LengthExponent.h"
#include "Search/ScheduleState.h"

namespace ckpt::planner {

struct SweepOptions {
  /// How the length of a gap counts in the score of an eviction,
  /// cost / (bytes x length^exponent).
  LengthExponent exponent = LengthExponent::Quarter;
  /// Length in stages above the budget when the sweep began, not in stages.
  bool countViolations = true;
  /// Give up above this cost.
  __int128 costLimit = (__int128)1 << 100;
  /// Give up after this much work of the state: recomputations that need
  /// recomputations that need others cascade on deep graphs.
  int64_t maxWork = INT64_MAX;
};

/// Evicts from left to right, least score first, until every stage is within
/// the budget; stages that are done stay within it. A lazy heap holds the
/// values that are live; scores are estimated when a value gets to the top.
/// Returns whether the state fits. O((n + evictions) log n) estimates.
bool sweep(ScheduleState &state, const SweepOptions &options,
           const Deadline &deadline);

struct RepairOptions {
  LengthExponent exponent = LengthExponent::Quarter;
  /// Spread of random factors on the scores.
  double noise = 0;
  __int128 costLimit = (__int128)1 << 100;
  /// Begin with the stage of most memory, not with the first one above.
  bool worstFirst = false;
  /// Only values from..to may be evicted.
  ValueId from = 0, to = INT32_MAX;
  /// Values (by id) that may not be evicted; null: none.
  const std::vector<char> *kept = nullptr;
  /// See EvictOptions::ignore.
  double ignore = 0;
  /// Bytes beyond those that a stage needs are worth nothing.
  bool bestFit = false;
  /// Give up after this much work of the state.
  int64_t maxWork = INT64_MAX;
  Deadline deadline;
};

/// Like sweep() for a state with few stages above the budget: candidates are
/// found by scanning the values, so that nothing is kept between calls. Returns
/// the excess that is left, or -1 where a limit or the deadline was passed.
int64_t repair(ScheduleState &state, const RepairOptions &options,
               Random &random);

/// Drops recomputations of ops from..to where memory allows, the most cost per
/// byte and stage first, until `maxWork` of the state is done or the deadline
/// has passed. Returns how many.
int64_t fill(ScheduleState &state, double noise, Random &random, OpId from = 0,
             OpId to = INT32_MAX, int64_t maxWork = INT64_MAX,
             const Deadline &deadline = Deadline());

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SEARCH_REPAIR_H
