//===- ReusedFlow.h - Flows kept from price to price ------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_BOUNDS_REUSEDFLOW_H
#define CKPT_LIB_PLANNER_BOUNDS_REUSEDFLOW_H

#include "Bounds/MaxFlow.h"

namespace ckpt::planner {

/// A network whose capacities grow with one price. A flow for a price is one
/// for every higher price: the present one and one for a lower price are kept.
class ReusedFlow {
public:
  explicit ReusedFlow(int32_t nodes) : flow(nodes) {}
  MaxFlow &network() { return flow; }
  const MaxFlow &network() const { return flow; }

  /// Leaves a flow that respects the capacities of `price`, which the caller
  /// sets next.
  void prepare(double price) {
    if (current >= 0 && current <= price) {
      if (current < price) {
        savedFlow = flow.saveFlow();
        saved = current;
        savedValue = value;
      }
    } else if (saved >= 0 && saved <= price) {
      flow.restoreFlow(savedFlow);
      value = savedValue;
    } else {
      flow.clearFlow();
      value = 0;
    }
    current = price;
  }
  /// Forgets all flows: for capacities that depend on more than the price.
  void reset() {
    flow.clearFlow();
    value = 0;
    current = saved = -1;
  }
  /// The value of a maximum flow; MaxFlow::kInfinite where the cut has an
  /// infinite edge. See MaxFlow::run().
  int64_t run(int32_t source, int32_t sink, const Deadline &deadline) {
    value =
        std::min(value + flow.run(source, sink, deadline), MaxFlow::kInfinite);
    // Such a flow was not completed.
    if (value == MaxFlow::kInfinite)
      current = -1;
    return value;
  }

private:
  MaxFlow flow;
  int64_t value = 0, savedValue = 0;
  /// Prices; below 0: none.
  double current = -1, saved = -1;
  std::vector<int64_t> savedFlow;
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_BOUNDS_REUSEDFLOW_H
