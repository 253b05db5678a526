//===- BoundSearch.cpp - Finding prices that prove much -------------------===//
#include "Effort.h"
#include "MomentModel.h"
#include "ScheduleState.h"

#include <algorithm>

namespace ckpt::planner {

namespace {
class BoundSearch {
public:
  BoundSearch(const Problem &problem, int64_t budget,
              const BoundOptions &options)
      : g(Graph::build(problem)), model(g, options.order), budget(budget),
        options(options), deadline(options.timeLimit) {}

  TimeBound run() {
    TimeBound result;
    result.order = options.order;
    result.time = g.totalTime;
    result.certificate.cases.emplace_back();
    ScheduleState storeAll(g, budget);
    if (storeAll.fits() || g.numOps == 0)
      return result;
    std::vector<OpId> moments = criticalMoments(storeAll);
    MomentModel::BestPrice best;
    for (OpId op : moments) {
      if (cutsLeft <= 0 || deadline.passed())
        break;
      MomentModel::BestPrice found =
          model.maximizePrice(op, {}, budget, std::min<int64_t>(24, cutsLeft));
      cutsLeft -= found.cutsUsed;
      if (found.bound > best.bound)
        best = std::move(found);
      if (best.bound == MomentModel::kInfeasible || proven(best.bound))
        break;
    }
    if (best.bound > result.time) {
      result.time = best.bound;
      result.certificate.cases = {best.which};
    }
    result.infeasible = best.bound == MomentModel::kInfeasible;
    return result;
  }

private:
  const Graph g;
  const MomentModel model;
  const int64_t budget;
  const BoundOptions &options;
  const Deadline deadline;
  int64_t cutsLeft = options.maxCuts;

  bool proven(int64_t bound) const {
    return options.knownTime >= 0 && bound >= options.knownTime;
  }

  /// Stages above the budget when everything is stored: the worst one, then
  /// some spread evenly over the others.
  std::vector<OpId> criticalMoments(const ScheduleState &storeAll) const {
    std::vector<OpId> above;
    for (OpId op = 0; op < g.numOps; ++op)
      if (storeAll.peaks().at(op) > budget)
        above.push_back(op);
    std::vector<OpId> result;
    int32_t worst = storeAll.peaks().argMax();
    if (worst < g.numOps)
      result.push_back(worst);
    constexpr size_t samples = 6;
    for (size_t i = 1; i <= samples && !above.empty(); ++i)
      result.push_back(above[(above.size() - 1) * i / samples]);
    return result;
  }
};
} // namespace

TimeBound boundTime(const Problem &problem, int64_t budget,
                    const BoundOptions &options) {
  return BoundSearch(problem, budget, options).run();
}

} // namespace ckpt::planner
