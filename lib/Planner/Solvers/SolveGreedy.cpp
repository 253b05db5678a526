//===- SolveGreedy.cpp - One pass, least score first ----------------------===//
#include "Search/Portfolio.h"
#include "Solvers/Candidates.h"

namespace ckpt::planner {

Result solveGreedy(const Problem &problem, const Options &options) {
  Candidates candidates(problem, options);
  Deadline deadline(options.timeLimit);
  Graph g = Graph::build(problem);
  Portfolio portfolio(
      g, options.budget, deadline,
      [&](const ScheduleState &state) { candidates.offer(state.runs()); },
      options.timeOfInterest);
  candidates.offer(portfolio.storeAll().runs());
  if (!candidates.solved() && !candidates.belowFloor())
    portfolio.trySweeps();
  return candidates.finish(StopReason::Finished);
}

} // namespace ckpt::planner
