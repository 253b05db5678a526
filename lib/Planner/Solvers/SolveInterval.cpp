//===- SolveInterval.cpp - Store every k-th boundary ----------------------===//
#include "Solvers/StoredSet.h"

#include <cmath>

namespace ckpt::planner {

/// Stores what crosses every `interval`-th of the narrow cuts.
static void offerInterval(StoredSetSolver &solver,
                          const std::vector<NarrowCut> &cuts, size_t interval) {
  std::vector<OpId> positions;
  for (size_t i = interval - 1; i < cuts.size(); i += interval)
    positions.push_back(cuts[i].position);
  solver.offer(crossingValues(solver.graph(), solver.boundary(), positions));
}

Result solveInterval(const Problem &problem, const Options &options) {
  StoredSetSolver solver(problem, options);
  if (!solver.isTrivial())
    offerInterval(solver, narrowCuts(solver.graph(), solver.boundary()),
                  static_cast<size_t>(options.interval));
  return solver.finish();
}

Result solveSqrt(const Problem &problem, const Options &options) {
  StoredSetSolver solver(problem, options);
  if (solver.isTrivial())
    return solver.finish();
  std::vector<NarrowCut> cuts = narrowCuts(solver.graph(), solver.boundary());
  size_t interval = static_cast<size_t>(
      std::ceil(std::sqrt(static_cast<double>(cuts.size() + 1))));
  offerInterval(solver, cuts, interval);
  return solver.finish();
}

} // namespace ckpt::planner
