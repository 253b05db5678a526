//===- SolveNone.cpp - Store everything -----------------------------------===//
#include "Candidates.h"
#include "OrderSearch.h"

#include <numeric>

namespace ckpt::planner {

static void offerOrders(const Problem &problem, const Options &options,
                        Candidates &candidates) {
  const Deadline deadline(options.timeLimit);
  const std::vector<MemoryOrder> orders = memoryOrders(problem);
  for (const MemoryOrder &order : orders)
    if (candidates.offer(order.order))
      return;
  if (storeAllFloor(problem, orders.front().order, options.budget) <=
      options.budget)
    candidates.offer(
        searchOrder(problem, orders, options.budget, deadline).order);
}

Result solveNone(const Problem &problem, const Options &options) {
  Candidates candidates(problem, options);
  std::vector<OpId> program(problem.numOps());
  std::iota(program.begin(), program.end(), 0);
  bool fits = candidates.offer(program);
  if (!fits && options.order == Order::Free)
    offerOrders(problem, options, candidates);
  return candidates.finish(StopReason::Finished);
}

} // namespace ckpt::planner
