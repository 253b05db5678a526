//===- Candidates.h - The best of the plans a solver tries ------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SOLVERS_CANDIDATES_H
#define CKPT_LIB_PLANNER_SOLVERS_CANDIDATES_H

#include "Graph.h"
#include "ckpt/Planner/Solvers.h"

#include <chrono>

namespace ckpt::planner {

/// Collects plans, lets the Simulator judge each, and makes the Result: the one
/// door through which plans leave the library.
class Candidates {
public:
  Candidates(const Problem &problem, const Options &options);

  /// Judges the plan of these runs. Returns whether it fits.
  bool offer(const std::vector<OpId> &runs);
  bool offerPlan(const Plan &plan);
  bool solved() const { return result.status == Status::Solved; }
  /// Time of the best plan so far; INT64_MAX: none.
  int64_t bestTime() const { return solved() ? result.time : INT64_MAX; }
  /// The best plan so far; empty: none.
  const Plan &bestPlan() const { return result.plan; }
  int64_t smallestPeak() const { return result.smallestPeak; }
  /// Notes the smallest peak of plans that were judged elsewhere; -1: none.
  void noteSmallestPeak(int64_t peak);
  bool belowFloor() const { return result.status == Status::BelowFloor; }
  void spend(int64_t effort) { result.effortSpent += effort; }

  /// The Result. `stop` is why the solver stopped; it becomes Optimal where the
  /// bound meets the time. With Options::wantBound and no bound given, computes
  /// one.
  Result finish(StopReason stop);
  Result finish(StopReason stop, TimeBound bound);
  Result unsupported(const std::string &why);

private:
  const Problem &problem;
  const Options &options;
  const std::chrono::steady_clock::time_point start;
  Result result;
};

/// Do the first runs of `plan` follow the base order?
bool followsProgramOrder(const Problem &problem, const Plan &plan);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SOLVERS_CANDIDATES_H
