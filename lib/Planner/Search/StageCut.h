//===- StageCut.h - Minimum cuts of a schedule as it is ---------*- C++ -*-===//
//
// The cut of MomentModel knows one moment of the schedule that stores
// everything. This one knows a moment of any schedule: what is recomputed
// later anyhow is there for nothing, and what the schedule keeps for an earlier
// decision is not given up unawares. So cuts at one stage after another build
// on each other, and recomputations do not cascade: see docs/Planner.md.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_LIB_PLANNER_SEARCH_STAGECUT_H
#define CKPT_LIB_PLANNER_SEARCH_STAGECUT_H

#include "Effort.h"
#include "Search/LengthExponent.h"
#include "Search/ScheduleState.h"

namespace ckpt::planner {

struct StageCutOptions {
  /// A byte kept over many stages that are above the budget costs more than one
  /// kept over few: as this power of their number.
  LengthExponent exponent = LengthExponent::Quarter;
  /// Part of the room at the stage that may be used.
  double part = 1;
  /// Most stages to treat.
  int32_t maxStages = 24;
  __int128 costLimit = (__int128)1 << 100;
};

/// Chooses the values to keep across `stage`, where memory is above the budget,
/// such that the time to recompute the others later is least, by parametric
/// minimum cut; values that are alive there for other reasons count as kept.
/// Returns false where what must be there is too large. O(flow) per price.
bool cheapestKept(const ScheduleState &state, int32_t stage,
                  const StageCutOptions &options, const Deadline &deadline,
                  std::vector<char> &kept);

/// Evicts, at the stage of most memory, all that cheapestKept() does not keep,
/// and so on until every stage is within the budget or nothing more can be
/// done. The rest is left to sweep(). The state must not be logging.
void lowerWorstStages(ScheduleState &state, const StageCutOptions &options,
                      const Deadline &deadline);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SEARCH_STAGECUT_H
