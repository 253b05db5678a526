//===- AutoState.h - What the phases of solver auto share -------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SOLVERS_AUTOSTATE_H
#define CKPT_LIB_PLANNER_SOLVERS_AUTOSTATE_H

#include "Effort.h"
#include "Random.h"
#include "Search/LocalSearch.h"
#include "Solvers/Candidates.h"

namespace ckpt::planner {

/// The problem, the limits, the bound, and the schedules that were found: the
/// best one, from which searches start, and others.
class AutoState {
public:
  AutoState(const Problem &problem, const Options &options)
      : problem(problem), options(options), deadline(options.timeLimit),
        candidates(problem, options), random(options.seed) {}

  /// Up to here, all orders are constructed from and searched.
  static constexpr int32_t kMaxOpsForOrders = 3000;

  const Problem &problem;
  const Options &options;
  const Deadline deadline;
  Candidates candidates;
  Random random;
  TimeBound bound;
  /// Seconds to make a graph and a schedule, where time is limited.
  double passSeconds = 0;
  /// Is the problem so small that it is searched completely before all else?
  bool complete = false;
  /// Was the second bound there already?
  bool boundImproved = false;

  /// Schedules for different base orders, to search from each.
  struct Start {
    int64_t excess;
    __int128 cost;
    std::vector<OpId> runs;
    bool operator<(const Start &other) const;
  };
  std::vector<Start> starts;
  /// The best schedule, by excess, then by cost: its runs.
  std::vector<OpId> bestRuns;
  int64_t bestExcess = INT64_MAX;
  __int128 bestCost = 0;

  bool proven() const {
    return candidates.solved() && candidates.bestTime() <= bound.time;
  }
  /// No plan, or one that 3% of all time separates from the bound.
  bool isFar() const;
  /// May a better bound be found, and is it needed?
  bool boundPays() const {
    return options.wantBound && candidates.solved() &&
           problem.numOps() <= kMaxOpsForOrders;
  }

  /// Moves of all searches together.
  int64_t maxMoves() const;
  /// One of so many parts of them.
  int64_t moves(int parts) const {
    return maxMoves() == INT64_MAX ? INT64_MAX : maxMoves() / parts + 1;
  }
  /// Of a schedule's repair: recomputations that need others may cascade.
  int64_t maxWork() const {
    return 20 * static_cast<int64_t>(problem.numOps()) + 200'000;
  }
  /// Searches leave time for what comes after them: the second bound, the
  /// complete search at the end, judging what they found.
  Deadline searchDeadline() const;
  /// Is there time to make a schedule anew and to do something with it?
  bool timeForAnother() const {
    return !deadline.limited() || deadline.left() > 8 * passSeconds;
  }

  void offerRuns(const std::vector<OpId> &runs);
  void setBest(const std::vector<OpId> &runs, int64_t excess, __int128 cost);
  /// Makes a plan that fits the start of the local search.
  void adopt(const Plan &plan, __int128 cost);
  /// Offers what a search found; the best is where the next ones start. Returns
  /// whether this is it.
  bool take(const LocalSearchResult &found);

private:
  static constexpr int64_t kDefaultMoves = 20'000;
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SOLVERS_AUTOSTATE_H
