//===- ScarceMoments.h - Where memory is scarce -----------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_BOUNDS_SCARCEMOMENTS_H
#define CKPT_LIB_PLANNER_BOUNDS_SCARCEMOMENTS_H

#include "Bounds/MomentModel.h"
#include "Graph.h"

namespace ckpt::planner {

/// Ops whose first runs find little room in `plan`, in an order of time with
/// `always`, of which most is known what runs before and what after, or where
/// hardly any room is left; at most 200, on larger graphs 80, spread evenly.
std::vector<OpId> scarceMoments(const Problem &problem, const Graph &g,
                                const MomentModel &model, int64_t budget,
                                const Plan &plan, OpId always);

/// Sizes that many values have: rounded to multiples of one, memory rows cut
/// off what no set of values can fill. 0, for bytes, comes first.
std::vector<int64_t> commonSizes(const Graph &g, int64_t budget);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_BOUNDS_SCARCEMOMENTS_H
