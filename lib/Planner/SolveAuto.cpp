//===- SolveAuto.cpp - The best plan known --------------------------------===//
#include "Candidates.h"
#include "Exact.h"
#include "LocalSearch.h"
#include "Orders.h"
#include "Portfolio.h"

#include <algorithm>
#include <numeric>

namespace ckpt::planner {

namespace {
class AutoSolver {
public:
  AutoSolver(const Problem &problem, const Options &options)
      : problem(problem), options(options), deadline(options.timeLimit),
        candidates(problem, options), random(options.seed) {}

  Result run() {
    if (candidates.belowFloor())
      return candidates.finish(StopReason::Failed);
    std::vector<MemoryOrder> orders = baseOrders();
    for (const MemoryOrder &order : orders)
      if (candidates.offer(order.order))
        return candidates.finish(StopReason::Finished);
    searchOrder(orders.front().order);
    return candidates.finish(deadline.limited() ? StopReason::TimeLimit
                                                : StopReason::Effort);
  }

private:
  const Problem &problem;
  const Options &options;
  const Deadline deadline;
  Candidates candidates;
  Random random;

  std::vector<MemoryOrder> baseOrders() {
    if (options.order == Order::Free)
      return memoryOrders(problem);
    std::vector<OpId> program(problem.numOps());
    std::iota(program.begin(), program.end(), 0);
    return {{std::move(program), storeAllPeak(problem)}};
  }

  int64_t maxMoves() const {
    if (options.effort >= 0)
      return options.effort;
    return deadline.limited() ? INT64_MAX : 20000;
  }

  void searchOrder(const std::vector<OpId> &order) {
    Graph g = Graph::build(problem, order);
    Portfolio portfolio(
        g, options.budget, deadline,
        [&](const ScheduleState &state) { candidates.offer(state.runs()); });
    portfolio.tryMinCuts();
    bool low = options.budget < portfolio.storeAll().peaks().max() / 20 * 7;
    if (low || !portfolio.fits())
      portfolio.trySegments();
    portfolio.trySweeps();
    std::unique_ptr<ScheduleState> state = portfolio.takeBest();
    if (!state)
      return;
    LocalSearchOptions search;
    search.maxMoves = maxMoves();
    search.deadline = deadline;
    LocalSearchResult result = localSearch(*state, search, random);
    candidates.spend(result.moves);
    candidates.offer(result.runs);
  }
};
} // namespace

Result solveHeuristically(const Problem &problem, const Options &options) {
  return AutoSolver(problem, options).run();
}

Result solveAuto(const Problem &problem, const Options &options) {
  return AutoSolver(problem, options).run();
}

} // namespace ckpt::planner
