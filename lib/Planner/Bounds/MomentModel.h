//===- MomentModel.h - Relaxation of memory to one moment -------*- C++ -*-===//
//
// The relaxation behind the bounds of one moment and the min-cut constructions.
//
// A moment is the time just before the first run of some op u. Of every plan it
// is known which ops ran before it and which first run after it (all of them in
// program order; ancestors and descendants of u in free order). At the moment a
// set of values is in memory, no larger than what u leaves of the budget; what
// is needed afterwards and is not in it must be computed again. With a price on
// each byte instead of the limit, the cheapest set is a minimum cut.
// docs/Planner.md has the proof.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_LIB_PLANNER_BOUNDS_MOMENTMODEL_H
#define CKPT_LIB_PLANNER_BOUNDS_MOMENTMODEL_H

#include "Bounds/TimeScale.h"
#include "Effort.h"
#include "Graph.h"

#include <memory>

namespace ckpt::planner {

/// What the minimum cut of a moment says.
struct MomentCut {
  /// Values in memory at the moment.
  std::vector<char> stored;
  /// Bytes of `stored`, as the moment rounds them.
  int64_t storedBytes = 0;
  /// Ops before the moment that run again after it.
  std::vector<char> again;
};

struct Classes;
class MomentNetwork;

class MomentModel {
public:
  MomentModel(const Graph &g, Order order);

  /// Which ops run before and after the moment of `op`.
  enum Side : char { Unknown, Before, After };
  std::vector<Side> sides(OpId op) const;

  /// Values that every cut must store where they can be: not for bounds, but
  /// for constructions. Null: none.
  void setAlwaysStored(const std::vector<char> *values) {
    alwaysStored = values;
  }

  /// When to cut minimum cuts short: bounds stay valid, but may be low, and
  /// sets of stored values are not the cheapest.
  void setDeadline(const Deadline &when) { deadline = when; }

  /// Bytes that the moment of `op` leaves: budget less results and workspace.
  int64_t capacity(OpId op, int64_t budget) const;

  /// Bytes of the values that are certainly made before the moment of `op` and
  /// used after it, with what `op` needs besides: the more, the more the moment
  /// can prove.
  int64_t certainBytes(OpId op) const;

  /// Bytes that must be in memory at the moment of `op` whatever is recomputed:
  /// its inputs, what must stay, what cannot run again and is needed later.
  int64_t forcedBytes(OpId op, const BoundCase &assumptions) const;

  struct Evaluation {
    /// Rounded so that it is never too large. kInfeasible: no plan.
    int64_t bound = 0;
    MomentCut cut;
  };
  static constexpr int64_t kInfeasible = INT64_MAX;

  /// The bound that the moment of `which` proves, and the cut behind it.
  Evaluation evaluate(const BoundCase &which, int64_t budget) const;

  /// The best price of a byte at one moment and the two cuts that it balances.
  struct BestPrice {
    BoundCase which;
    int64_t bound = 0;
    /// Cheapest cuts seen that store no more, and more, than there is room for.
    MomentCut under, over;
    bool hasUnder = false, hasOver = false;
    int64_t cutsUsed = 0;
  };
  /// Maximises the bound of one moment over its byte price, from `which` less
  /// its moments. Every cut is a line in the price; the next price is where the
  /// best two lines meet (discrete Newton), so that few cuts are needed; fewer
  /// with a `hint`, a price near the best (0: none).
  BestPrice maximizePrice(OpId op, const BoundCase &which, int64_t budget,
                          int64_t maxCuts, double hint = 0,
                          int64_t granularity = 0) const;
  /// The same where all ops of a class are treated alike, for little on
  /// graphs of repeated blocks: the price is near the best one, and the bound
  /// an estimate that proves nothing.
  BestPrice estimatePrice(OpId op, int64_t budget,
                          const Classes &classes) const;

  /// Is the moment of `first` before the moment of `second` in every plan?
  bool ordered(OpId first, OpId second) const;

private:
  const Graph &g;
  const Order order;
  const TimeScale scale;
  const std::vector<char> *alwaysStored = nullptr;
  Deadline deadline;

  Evaluation evaluate(const BoundCase &which, int64_t budget,
                      std::unique_ptr<MomentNetwork> &network,
                      const Classes *classes) const;
  BestPrice maximizePrice(OpId op, const BoundCase &which, int64_t budget,
                          int64_t maxCuts, double hint, int64_t granularity,
                          const Classes *classes) const;
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_BOUNDS_MOMENTMODEL_H
