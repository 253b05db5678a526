//===- Solve.cpp - One entry for all solvers ------------------------------===//
#include "ckpt/Planner/Solvers.h"

#include <algorithm>
#include <chrono>

namespace ckpt::planner {

namespace {
struct NamedSolver {
  const char *name;
  Result (*solve)(const Problem &, const Options &);
};
} // namespace

/// The one list of solvers.
static constexpr NamedSolver kSolvers[] = {
    {"none", solveNone},
    {"all", solveAll},
    {"interval", solveInterval},
    {"sqrt", solveSqrt},
    {"chen-greedy", solveChenGreedy},
    {"min-cut", solveMinCut},
    {"chain-dp", solveChainDp},
    {"greedy", solveGreedy},
    {"auto", solveAuto},
    {"exact", solveExact},
    {"brute-force", solveBruteForce},
};

const std::vector<std::string> &solverNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const NamedSolver &solver : kSolvers)
      result.push_back(solver.name);
    return result;
  }();
  return names;
}

static Result badOptions(const std::string &message) {
  Result result;
  result.status = Status::BadOptions;
  result.message = message;
  return result;
}

Result solve(const Problem &problem, const Options &options) {
  if (options.budget < 0)
    return badOptions("the budget is negative");
  if (!(options.timeLimit >= 0))
    return badOptions("the time limit is negative");
  if (options.interval < 1)
    return badOptions("the interval is not positive");
  for (const NamedSolver &solver : kSolvers)
    if (options.solver == solver.name)
      return solver.solve(problem, options);
  std::string known;
  for (const std::string &name : solverNames())
    known += (known.empty() ? "" : ", ") + name;
  return badOptions("unknown solver '" + options.solver + "'; known: " + known);
}

/// Effort of each trial of minimizePeak() where none is given.
static constexpr int64_t kTrialMoves = 2000;

Result minimizePeak(const Problem &problem, const Options &options) {
  Options trial = options;
  trial.wantBound = false;
  // Most trials fail, which takes all of their effort.
  if (trial.effort < 0 && trial.timeLimit == 0)
    trial.effort = kTrialMoves;
  trial.budget = std::numeric_limits<int64_t>::max();
  Result best = solve(problem, trial);
  if (!best.solved())
    return best;
  // Invariant: best.peak is reached; nothing <= low is known to be.
  int64_t low = best.floor.bytes - 1;
  while (best.peak - low > 1) {
    trial.budget = low + (best.peak - low) / 2;
    Result result = solve(problem, trial);
    if (!result.solved()) {
      low = trial.budget;
      // On its way it may have seen a peak that is smaller than the best.
      if (result.smallestPeak > low && result.smallestPeak < best.peak) {
        trial.budget = result.smallestPeak;
        result = solve(problem, trial);
      }
    }
    if (result.solved())
      best = std::move(result);
    else if (best.peak - low <= std::max<int64_t>(1, best.peak / 512))
      break;
  }
  return best;
}

std::vector<Result> solveBudgets(const Problem &problem, const Options &options,
                                 const std::vector<int64_t> &budgets,
                                 const SweepProgress &progress) {
  using Clock = std::chrono::steady_clock;
  std::vector<Result> results;
  Options one = options;
  for (int64_t budget : budgets) {
    one.budget = budget;
    const Clock::time_point start = Clock::now();
    Result result = solve(problem, one);
    const Result *before = results.empty() ? nullptr : &results.back();
    if (before && before->solved() && result.status != Status::BadOptions &&
        (!result.solved() || before->time < result.time)) {
      TimeBound bound = std::move(result.bound);
      result = *before;
      result.bound = std::move(bound);
      result.stop = result.time <= result.bound.time ? StopReason::Optimal
                                                     : StopReason::Finished;
    }
    results.push_back(std::move(result));
    if (progress)
      progress(results.back(), results.size() - 1,
               std::chrono::duration<double>(Clock::now() - start).count());
  }
  return results;
}

double Result::gap(const Problem &problem) const {
  double total = std::max<double>(1, static_cast<double>(problem.totalTime()));
  return (static_cast<double>(time) - static_cast<double>(bound.time)) / total;
}

double Result::overhead(const Problem &problem) const {
  double total = std::max<double>(1, static_cast<double>(problem.totalTime()));
  return (static_cast<double>(time) -
          static_cast<double>(problem.totalTime())) /
         total;
}

} // namespace ckpt::planner
