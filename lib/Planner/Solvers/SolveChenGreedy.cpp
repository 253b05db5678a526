//===- SolveChenGreedy.cpp - Segments of equal bytes ----------------------===//
#include "Solvers/StoredSet.h"

namespace ckpt::planner {

Result solveChenGreedy(const Problem &problem, const Options &options) {
  StoredSetSolver solver(problem, options);
  if (solver.isTrivial() || solver.offerStoreAll())
    return solver.finish();
  const Graph &g = solver.graph();
  double total = 0;
  for (ValueId v = 0; v < g.firstResult[solver.boundary()]; ++v)
    if (g.output[v] ||
        (!g.users[v].empty() && g.users[v].back() >= solver.boundary()))
      total += static_cast<double>(g.bytes[v]);
  // Chen et al. search the segment size; few sizes where each costs much.
  const double factor = g.numOps > 20000 ? 1.5 : 1.08;
  std::vector<OpId> last;
  for (double size = total / 4000; size < total && !solver.deadline().passed();
       size *= factor) {
    std::vector<OpId> positions =
        segmentPositions(g, solver.boundary(), std::max(1.0, size));
    if (positions == last)
      continue;
    solver.offer(crossingValues(g, solver.boundary(), positions));
    last = std::move(positions);
  }
  return solver.finish();
}

} // namespace ckpt::planner
