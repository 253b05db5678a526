//===- SolveAll.cpp - Recompute everything --------------------------------===//
#include "Solvers/StoredSet.h"

namespace ckpt::planner {

Result solveAll(const Problem &problem, const Options &options) {
  StoredSetSolver solver(problem, options);
  if (!solver.isTrivial())
    solver.offer(std::vector<char>(problem.numValues(), false));
  return solver.finish();
}

} // namespace ckpt::planner
