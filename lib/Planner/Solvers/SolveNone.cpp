//===- SolveNone.cpp - Store everything -----------------------------------===//
#include "Search/MemorySearch.h"
#include "Solvers/Candidates.h"

#include <numeric>

namespace ckpt::planner {

Result solveNone(const Problem &problem, const Options &options) {
  Candidates candidates(problem, options);
  std::vector<OpId> program(problem.numOps());
  std::iota(program.begin(), program.end(), 0);
  bool fits = candidates.offer(program);
  if (!fits && options.order == Order::Free)
    for (const MemoryOrder &order : memoryOrdersWithin(
             problem, options.budget, Deadline(options.timeLimit)))
      if (candidates.offer(order.order))
        break;
  return candidates.finish(StopReason::Finished);
}

} // namespace ckpt::planner
