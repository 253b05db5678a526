//===- Reorder.h - Sliding runs to where memory is cheaper ------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SEARCH_REORDER_H
#define CKPT_LIB_PLANNER_SEARCH_REORDER_H

#include "Random.h"
#include "ckpt/Planner/Problem.h"

namespace ckpt::planner {

enum class Slide : uint8_t {
  /// Runs that add memory go right before what first reads their results.
  Later,
  /// Runs that free memory go right after what they read.
  Earlier,
};

/// The same runs in another order that data and effects allow. A run slides if
/// memory in between gets less for it: later, if its results are larger than
/// the inputs that it is the last to read; earlier, if they are smaller. Each
/// such run slides with `probability`. O(n log n).
std::vector<OpId> slideRuns(const Problem &problem,
                            const std::vector<OpId> &runs, Slide direction,
                            double probability, Random &random);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SEARCH_REORDER_H
