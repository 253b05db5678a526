//===- MomentNetwork.h - The minimum cuts of one moment ---------*- C++ -*-===//
//
// The flow network behind one moment (see MomentModel.h). Which nodes and edges
// there are does not depend on the price, so the network is built once and
// solved for one price after another.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_LIB_PLANNER_BOUNDS_MOMENTNETWORK_H
#define CKPT_LIB_PLANNER_BOUNDS_MOMENTNETWORK_H

#include "Bounds/MomentModel.h"
#include "Bounds/ReusedFlow.h"
#include "Search/Blocks.h"

namespace ckpt::planner {

/// Nodes: a value that is available after the moment, an op that runs again
/// after it. The source needs what later ops read; storing a value cuts an edge
/// of capacity price x bytes between the two, running an op again one of
/// capacity time to the sink; infinite edges lead from an op to its inputs.
class MomentNetwork {
public:
  struct Setup {
    /// The op whose first run follows the moment, and the sides of all ops.
    OpId op;
    const std::vector<MomentModel::Side> &sides;
    /// Sizes are rounded down to multiples of this; 0: not.
    int64_t granularity = 0;
    /// Ops that run once, and ops whose second run is paid for.
    const std::vector<OpId> &once, &again;
    /// Values that every cut stores where it can; null: none.
    const std::vector<char> *alwaysStored = nullptr;
    /// Where given, one decision is made for all of a class: the network is of
    /// the size of the classes, and the value no less than without.
    const Classes *classes = nullptr;
  };

  MomentNetwork(const Graph &g, const TimeScale &scale, const Setup &setup);

  /// The least of prices paid and times of ops that run again, MaxFlow's
  /// kInfinite where nothing finite will do, and the cut behind it. After the
  /// deadline the value may be too low, and the cut not the cheapest. Flows are
  /// reused where the price rises.
  int64_t solve(double bytePrice, const Deadline &deadline, MomentCut &cut);

private:
  static constexpr int32_t kSource = 0, kSink = 1;

  const Graph &g;
  const TimeScale &scale;
  const int64_t granularity;
  /// Nodes; kNone: the source cannot reach it, whatever the price.
  std::vector<int32_t> valueNode, opNode;
  /// Values in memory at the moment without a choice.
  std::vector<char> forced;
  /// Is the first run certainly before the moment?
  std::vector<char> isBefore;
  /// An edge whose capacity is the price of so many values like `value`.
  struct PricedEdge {
    ValueId value;
    int32_t edge;
    int64_t count;
  };
  std::vector<PricedEdge> priced;
  /// What the source must have and nothing can compute.
  std::vector<ValueId> paidAlways;
  std::unique_ptr<ReusedFlow> flow;

  int64_t bytes(ValueId v) const {
    return granularity > 1 ? g.bytes[v] / granularity * granularity
                           : g.bytes[v];
  }
  /// One less, for what scaling may have rounded up.
  int64_t price(ValueId v, double bytePrice) const {
    return bytePrice > 0
               ? std::max<int64_t>(0, scale.capacity(bytePrice, bytes(v)) - 1)
               : 0;
  }
  void addNodes(const Setup &setup);
  void addEdges(const Setup &setup);
  void addMergedEdges(const Setup &setup);
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_BOUNDS_MOMENTNETWORK_H
