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
