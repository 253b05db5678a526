//===- Solvers.h - Free functions that plan ---------------------*- C++ -*-===//
//
// Every solver takes a problem that passed check() and options, and returns a
// Result whose plan, if there is one, passed the Simulator within the budget.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_PLANNER_SOLVERS_H
#define CKPT_PLANNER_SOLVERS_H

#include "ckpt/Planner/Bounds.h"
#include "ckpt/Planner/Plan.h"
#include "ckpt/Planner/Simulator.h"

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace ckpt::planner {

struct Options {
  /// Name of the solver, for solve(): see solverNames().
  std::string solver = "auto";
  /// Most bytes in memory at once, without the problem's fixed bytes.
  int64_t budget = std::numeric_limits<int64_t>::max();
  Order order = Order::Free;
  /// Seed of every random choice.
  uint64_t seed = 0;
  /// Seconds of wall time; 0 means no limit. With a limit, results depend on
  /// the machine; without one, they do not.
  double timeLimit = 0;
  /// Moves of the local search (auto) or states (exact, brute-force); negative
  /// means the solver's default.
  int64_t effort = -1;
  /// Boundaries per stored boundary, of solver interval.
  int32_t interval = 2;
  /// Also look for a lower bound on time (solvers that need none skip it).
  bool wantBound = true;
};

enum class Status : uint8_t {
  /// There is a plan within the budget.
  Solved,
  /// No plan can exist: the budget is below the proven floor.
  BelowFloor,
  /// None was found; `smallestPeak` is the least peak seen.
  NotFound,
  /// The solver does not take this problem (`message` says why): chain-dp on
  /// a graph that is no chain, brute-force on too many ops.
  Unsupported,
  /// Bad options: unknown solver, negative budget.
  BadOptions,
};

enum class StopReason : uint8_t {
  /// The plan is proven optimal (for the order asked).
  Optimal,
  /// The construction is at its end; it proves nothing.
  Finished,
  TimeLimit,
  Effort,
  /// Nothing within the budget.
  Failed,
};

struct Result {
  Status status = Status::NotFound;
  StopReason stop = StopReason::Failed;
  /// Empty unless solved.
  Plan plan;
  int64_t peak = 0;
  int64_t time = 0;
  int64_t recomputations = 0;
  /// Lower bound on the time of every plan within the budget.
  TimeBound bound;
  /// Proven floor of the peak.
  PeakFloor floor;
  /// Least peak seen while looking for a plan, of a valid plan; -1: none.
  int64_t smallestPeak = -1;
  /// Time of the first plan within the budget that the solver found; -1: none.
  int64_t firstTime = -1;
  /// Moves or states spent.
  int64_t effortSpent = 0;
  /// One line for people, where there is no plan.
  std::string message;

  bool solved() const { return status == Status::Solved; }
  /// (time - bound) / time of one run of every op.
  double gap(const Problem &problem) const;
  /// time / time of one run of every op - 1.
  double overhead(const Problem &problem) const;
};

/// Runs the solver that the options name.
Result solve(const Problem &problem, const Options &options);

/// Names for Options::solver, in the order in which they are documented.
const std::vector<std::string> &solverNames();

/// Smallest peak that `options.solver` finds a plan for: bisection between the
/// proven floor and the store-everything peak. The result is that plan's;
/// Status::Solved always, but with bad options.
Result minimizePeak(const Problem &problem, const Options &options);

//===----------------------------------------------------------------------===//
// The solvers
//===----------------------------------------------------------------------===//

/// Stores everything: every op runs once, in program order, or (Order::Free)
/// in the order of least peak among those of memoryOrders(). Least time; fails
/// where that order does not fit. O(n log n) per order.
Result solveNone(const Problem &problem, const Options &options);

} // namespace ckpt::planner

#endif // CKPT_PLANNER_SOLVERS_H
