//===- WindowSearch.h - Bounds from several moments -------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_BOUNDS_WINDOWSEARCH_H
#define CKPT_LIB_PLANNER_BOUNDS_WINDOWSEARCH_H

#include "Bounds/WindowModel.h"
#include "Effort.h"

namespace ckpt::planner {

struct WindowSearchOptions {
  /// Entries of matrices to go through; bounds the time without a clock.
  int64_t maxWork = 0;
  Deadline deadline;
  /// No bound above this can be proven.
  int64_t knownTime = INT64_MAX;
};

/// A bound and its certificate.
struct WindowBound {
  int64_t time = 0;
  bool infeasible = false;
  Certificate certificate;
  /// What the cheapest leaves and cases hold in memory at their moments: where
  /// good plans may be looked for.
  std::vector<std::vector<StoredAt>> hints;
};

/// Chooses moments at which memory is scarce in `plan`, `always` among them, as
/// long as they raise the bound of the windows' linear program, solves it by
/// first-order steps, then branches on values that it holds in part: in memory
/// or not, worst case first. Where that stalls, it begins again with the
/// moments that the cheapest leaves lack; the better of both trees counts.
WindowBound searchWindows(const Problem &problem, const Graph &g,
                          const MomentModel &model, int64_t budget,
                          const Plan &plan, OpId always,
                          const WindowSearchOptions &options);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_BOUNDS_WINDOWSEARCH_H
