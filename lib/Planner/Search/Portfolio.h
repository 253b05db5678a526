//===- Portfolio.h - The constructions behind solver auto -------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SEARCH_PORTFOLIO_H
#define CKPT_LIB_PLANNER_SEARCH_PORTFOLIO_H

#include "Effort.h"
#include "Random.h"
#include "Search/BlockDp.h"
#include "Search/Blocks.h"
#include "Search/Construct.h"
#include "Search/Repair.h"

#include <functional>
#include <memory>

namespace ckpt::planner {

/// Keeps the best of the states that the constructions make, by excess over the
/// budget, then by cost.
class Portfolio {
public:
  /// Called with each state that fits and is better than all before.
  using OnBetter = std::function<void(const ScheduleState &)>;

  /// Schedules much dearer than a plan of time `known` are not finished.
  Portfolio(const Graph &g, int64_t budget, const Deadline &deadline,
            OnBetter onBetter, int64_t known = INT64_MAX);

  /// Min-cut at the stage of most memory: several amounts of room, and mixtures
  /// of the two neighbouring cuts, since no single price meets the budget
  /// exactly. The first amount alone, or the others.
  void tryFirstMinCut();
  void tryOtherMinCuts();
  /// The same with values at narrow places stored in any case, over a grid of
  /// segment sizes: for budgets at which segments are recomputed as a whole,
  /// and within them, where that is too much at once, cut again.
  void trySegments();
  /// Dynamic programmes over chains of more and fewer blocks: for budgets at
  /// which segments within segments are recomputed.
  void tryBlocks();
  /// Min-cuts of the schedule itself, at one stage of most memory after
  /// another, with several amounts of room.
  void tryStageCuts();
  /// One-pass greedy sweeps with several scores.
  void trySweeps();

  /// Null where nothing was tried.
  const ScheduleState *best() const { return bestState.get(); }
  std::unique_ptr<ScheduleState> takeBest() { return std::move(bestState); }
  bool fits() const { return bestState && bestExcess == 0; }
  /// The time above what the first minimum cut proved, as a part of all time;
  /// infinite where nothing fits.
  double gap() const;
  const ScheduleState &storeAll() const { return initial; }

private:
  const Graph &g;
  const int64_t budget;
  const Deadline &deadline;
  OnBetter onBetter;
  const int64_t known;
  ScheduleState initial;
  /// No plan in this order takes less, by the first minimum cut.
  int64_t proven;
  /// Of large graphs; empty otherwise.
  Classes classes;
  Random random{0};
  /// Cut at the worst stages that a stored set leaves, besides sweeping?
  bool cutFurther = false;
  std::unique_ptr<ScheduleState> bestState;
  int64_t bestExcess = INT64_MAX;

  /// Is this part of the time over? More where nothing fits yet.
  bool timeIsUp(double part) const {
    return deadline.limited() &&
           deadline.elapsed() > (fits() ? part : 0.8) * deadline.limit();
  }
  __int128 costLimit() const;
  int64_t maxWork() const {
    return 20 * static_cast<int64_t>(g.numOps) + 2'000'000;
  }
  std::vector<double> segmentParts(int32_t stage);
  std::vector<char> segments(int32_t stage, double part) const;
  void tryMinCuts(std::initializer_list<double> fractions);
  __int128 tryStored(int32_t stage, const std::vector<char> &stored);
  __int128 tryRoom(MomentModel &model, int32_t stage, double fraction);
  int64_t blockWork() const;
  void tryBlockSchedules(const BlockDp &programme);
  __int128 finish(std::unique_ptr<ScheduleState> state,
                  const SweepOptions &how);
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SEARCH_PORTFOLIO_H
