//===- Section.h - A part of a schedule as a problem ------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SOLVERS_SECTION_H
#define CKPT_LIB_PLANNER_SOLVERS_SECTION_H

#include "Solvers/OpMasks.h"

#include <optional>

namespace ckpt::planner {

/// A part of a schedule that is to be planned anew while the runs before and
/// after it stay. The ops of its problem are those that run in it, those that
/// made what dies in it, and others that ran before and may be useful. At its
/// start some of them have run and some of their values are in memory; at its
/// end its outputs must be. All else that is in memory at its start stays
/// there, takes its part of the budget, and may be read. What must be there at
/// its end is not taken over in place, although its runs may do so and compute
/// it once more.
struct Section {
  using Mask = SmallMask;
  /// Runs begin to end - 1 of the schedule.
  int32_t begin = 0, end = 0;
  /// Their time.
  int64_t time = 0;
  /// In the order of their first runs in the schedule.
  Problem problem;
  /// Of each op of it, the op of the whole problem.
  std::vector<OpId> ops;
  int64_t budget = 0;
  /// Ops that ran before, values that are in memory at the start.
  Mask done = 0, live = 0;
};

/// Cuts sections out of one schedule.
class SectionCutter {
public:
  /// `g`, of any base order, must outlive this; `runs` are ops of the Problem.
  SectionCutter(const Graph &g, int64_t budget, const std::vector<OpId> &runs);

  int32_t numRuns() const { return static_cast<int32_t>(runs.size()); }

  /// The longest section from run `begin` on that needs at most `numOps` ops,
  /// filled up with others as far as they go into a mask. None where that is
  /// less than two runs. O(size of the schedule) for each of some ten ends.
  std::optional<Section> cut(int32_t begin, int32_t numOps) const;

private:
  const Graph &g;
  const int64_t budget;
  /// As ops of the graph.
  std::vector<OpId> runs;
  /// Of each op.
  std::vector<int32_t> firstRun;

  class Members;
  std::vector<char> liveAt(int32_t run) const;
  void addUseful(Members &members, int32_t begin,
                 const std::vector<char> &liveBefore) const;
  Section makeSection(std::vector<OpId> ops, int32_t begin, int32_t end,
                      const std::vector<char> &liveBefore,
                      const std::vector<char> &liveAfter) const;
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SOLVERS_SECTION_H
