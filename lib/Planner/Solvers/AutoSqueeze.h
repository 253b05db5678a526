//===- AutoSqueeze.h - Squeezing in all orders, for solver auto -*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SOLVERS_AUTOSQUEEZE_H
#define CKPT_LIB_PLANNER_SOLVERS_AUTOSQUEEZE_H

#include "Search/Orders.h"
#include "Search/Squeeze.h"
#include "Solvers/AutoState.h"

namespace ckpt::planner {

/// Where the constructions find nothing good: schedules for all base orders,
/// also those of more memory, from larger budgets down (see squeeze()). A short
/// pass over all orders shows which of them suit the budget; these get the time
/// for a long one. `state` and `orders` must outlive this.
class AutoSqueeze {
public:
  AutoSqueeze(AutoState &state, const std::vector<MemoryOrder> &orders)
      : s(state), orders(orders) {}

  /// The short pass.
  void tryAll();
  /// The long pass, over the best of the short one, which comes first if it was
  /// not there. Does nothing where the plan is near the bound.
  void tryBest();

private:
  AutoState &s;
  const std::vector<MemoryOrder> &orders;
  /// What came of an order in the short pass: better ones are less.
  struct Look {
    /// Smallest budget that was met; the plan's cost at the problem's budget.
    int64_t reached;
    __int128 cost;
    const MemoryOrder *order;
    bool operator<(const Look &other) const {
      if (reached != other.reached)
        return reached < other.reached;
      return cost != other.cost ? cost < other.cost : order < other.order;
    }
  };
  std::vector<Look> looks;

  bool isTooLarge() const {
    return s.problem.numOps() > AutoState::kMaxOpsForOrders ||
           s.maxMoves() == 0;
  }
  void tryBest(int64_t moves, int32_t steps, int64_t work);
  Look squeezeIn(const MemoryOrder &order, const SqueezeOptions &how);
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SOLVERS_AUTOSQUEEZE_H
