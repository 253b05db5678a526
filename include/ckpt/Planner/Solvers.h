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
  /// Plans that take more time than this are of no use: where a construction is
  /// far above it, solvers may give it up.
  int64_t timeOfInterest = std::numeric_limits<int64_t>::max();
  /// Moves of the local search (auto) or states (exact, brute-force); negative
  /// means the solver's default.
  int64_t effort = -1;
  /// Boundaries per stored boundary, of solver interval.
  int32_t interval = 2;
  /// First op of the backward pass, for the solvers that tell it from the
  /// forward pass (all, interval, sqrt, chen-greedy, min-cut). kNone: the op at
  /// which storing everything takes the most memory.
  OpId backward = kNone;
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
  /// Seconds from the solver's start to that plan; -1: none.
  double firstSeconds = -1;
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

/// Smallest peak that `options.solver` finds a plan for: bisection down to the
/// proven floor; with `auto` on more than 64 ops, schedules squeezed towards
/// the floor, then steps of 2% as long as a trial succeeds. The result is that
/// plan's;
/// Status::Solved always, but with bad options.
Result minimizePeak(const Problem &problem, const Options &options);

/// Called with each result of solveBudgets(), its index and the seconds spent.
using SweepProgress = std::function<void(const Result &, size_t, double)>;

/// Solves for several budgets, in increasing order; a plan for one budget is
/// one for all larger ones, so that more memory is never dearer. Limits of time
/// and effort hold for each budget.
std::vector<Result> solveBudgets(const Problem &problem, const Options &options,
                                 const std::vector<int64_t> &budgets,
                                 const SweepProgress &progress = nullptr);

//===----------------------------------------------------------------------===//
// The solvers
//===----------------------------------------------------------------------===//

/// Stores everything: every op runs once, in program order, or (Order::Free)
/// in a greedy order, or in one found by local search on orders. Least time;
/// fails where no such order fits. O(n log n) and a bounded number of moves.
Result solveNone(const Problem &problem, const Options &options);

// The next five see a training step as a forward and a backward pass, divided
// at the stage of most memory in program order, choose the values that are
// stored across, and recompute the others where they are used. They fail where
// the peak that results is above the budget. O(n log n) per choice unless said
// otherwise.

/// Stores nothing that can be recomputed. No optimality claim.
Result solveAll(const Problem &problem, const Options &options);

/// Stores what crosses every k-th boundary (Options::interval); boundaries are
/// the narrowest cuts of the forward pass. No optimality claim.
Result solveInterval(const Problem &problem, const Options &options);

/// The same with k the square root of the number of boundaries (Chen et al.
/// 2016, "Training deep nets with sublinear memory cost").
Result solveSqrt(const Problem &problem, const Options &options);

/// Segments of equal bytes, over a range of sizes (until the time limit); the
/// cheapest that fits (the search of Chen et al. 2016, section 3).
Result solveChenGreedy(const Problem &problem, const Options &options);

/// The set that is cheapest to recompute with a price on each byte, by minimum
/// cut, with the price at which it fits: the cost- and size-weighted kind of
/// the cut that PyTorch's partitioner makes. Optimal for the relaxation to one
/// moment and one price. O(flow) per price.
Result solveMinCut(const Problem &problem, const Options &options);

/// Optimal persistent schedules of chains by dynamic programming (Beaumont et
/// al. 2020); on uniform chains those of revolve (Griewank and Walther 2000).
/// Optimal among schedules that keep what they checkpoint until it is used
/// last, where sizes need no rounding. Takes chains x0, F1 ... FL, loss, BL ...
/// B1 only, in program order. O(L^3 x budget units); `effort` bounds that
/// product.
Result solveChainDp(const Problem &problem, const Options &options);

/// One pass from left to right that frees, where memory is full, what is cheap
/// to recompute for its bytes and how long it is not needed; the best of eight
/// scores, in program order. XLA's and DTR's rules are among them. O(n log n).
Result solveGreedy(const Problem &problem, const Options &options);

/// The best plan known: the best of all solvers above and of constructions of
/// its own, then large-neighbourhood search until the effort (moves) or the
/// time limit is spent or the plan is proven optimal. Never dearer than any
/// other solver here. Deterministic for a seed where no time limit is given.
/// O(n log n) for the constructions, O(log n) per move.
Result solveAuto(const Problem &problem, const Options &options);

/// Complete search (A*, from both ends in turn) over all orders, or all with
/// the program order of first runs. Optimal, or says the best bound when
/// `effort` (states of both searches together) or the time limit is spent.
/// Exponential; takes at most 128 ops with 128 results.
Result solveExact(const Problem &problem, const Options &options);

/// Shortest path over all states, without pruning: the oracle of the tests.
/// Takes at most 16 ops with 24 results.
Result solveBruteForce(const Problem &problem, const Options &options);

} // namespace ckpt::planner

#endif // CKPT_PLANNER_SOLVERS_H
