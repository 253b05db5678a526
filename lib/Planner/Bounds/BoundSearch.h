//===- BoundSearch.h - Bounds in two steps ----------------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_BOUNDS_BOUNDSEARCH_H
#define CKPT_LIB_PLANNER_BOUNDS_BOUNDSEARCH_H

#include "Bounds/WindowModel.h"
#include "Effort.h"
#include "ckpt/Planner/Bounds.h"

namespace ckpt::planner {

/// boundTime() without a plan: one moment, and case distinctions. Fast.
TimeBound boundByMoments(const Problem &problem, int64_t budget,
                         const BoundOptions &options);

/// Raises `bound` by windows between moments at which memory is scarce in
/// `plan`. `knownTime`: nothing above can be proven. `maxWork` is in entries of
/// matrices, so that without a deadline results do not depend on the machine.
/// Returns what the cheapest cases hold in memory at their moments.
std::vector<std::vector<StoredAt>>
improveByWindows(const Problem &problem, int64_t budget, const Plan &plan,
                 int64_t knownTime, int64_t maxWork, const Deadline &deadline,
                 TimeBound &bound);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_BOUNDS_BOUNDSEARCH_H
