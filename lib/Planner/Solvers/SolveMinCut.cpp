//===- SolveMinCut.cpp - The cheapest stored set --------------------------===//
#include "Solvers/StoredSet.h"

namespace ckpt::planner {

Result solveMinCut(const Problem &problem, const Options &options) {
  StoredSetSolver solver(problem, options);
  if (solver.isTrivial() || solver.offerStoreAll())
    return solver.finish();
  MomentModel model(solver.graph(), Order::Program);
  model.setDeadline(solver.deadline());
  const int64_t room = model.capacity(solver.boundary(), options.budget);
  // The cut counts memory at one moment only: less room until the peak fits.
  double hint = 0;
  for (int percent = 100; percent >= 30 && !solver.deadline().passed();
       percent -= 5) {
    int64_t part =
        static_cast<int64_t>(static_cast<double>(room) * percent / 100);
    MomentModel::BestPrice best = model.maximizePrice(
        solver.boundary(), {}, options.budget - (room - part), 24, hint);
    if (best.hasUnder && solver.offer(best.under.stored))
      break;
    if (best.which.moment.op != kNone)
      hint = best.which.moment.bytePrice;
  }
  return solver.finish();
}

} // namespace ckpt::planner
