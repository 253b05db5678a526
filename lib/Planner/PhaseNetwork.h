//===- PhaseNetwork.h - The minimum cuts of one phase -----------*- C++ -*-===//
//
// The flow network behind one moment and the phase that it begins (see
// MomentModel.h). Which nodes and edges there are does not depend on prices, so
// the network is built once and solved for one price after another.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_LIB_PLANNER_PHASENETWORK_H
#define CKPT_LIB_PLANNER_PHASENETWORK_H

#include "Graph.h"
#include "ReusedFlow.h"

#include <memory>

namespace ckpt::planner {

/// Which ops run before and after a moment.
enum class Side : char { Unknown, Before, After };

/// What the minimum cut of one phase says.
struct PhaseCut {
  /// Values in memory at the moment that begins the phase.
  std::vector<char> stored;
  /// Values in memory at the moment or computed in the phase.
  std::vector<char> available;
  /// Bytes of `stored`, as the moment rounds them.
  int64_t storedBytes = 0;
  /// Ops before the moment that run again in the phase.
  std::vector<char> again;
};

/// Times and prices as integers: multiplied by a power of two, for fractions of
/// a unit, such that all finite capacities of a cut that matters stay below
/// 2^47.
class TimeScale {
public:
  explicit TimeScale(const Graph &g);

  int shift() const { return bits; }
  int64_t time(int64_t time) const { return time << bits; }
  /// price * amount, rounded down. Off by one at most.
  __int128 scaled(double price, int64_t amount) const;
  /// As a capacity: less than the price where all of them together might come
  /// near infinity, which keeps a bound valid.
  int64_t capacity(double price, int64_t amount) const {
    return static_cast<int64_t>(
        std::min<__int128>(scaled(price, amount), largest));
  }

private:
  int bits = 0;
  double factor = 1;
  int64_t largest;
};

class PhaseNetwork {
public:
  struct Setup {
    /// The op whose first run follows the moment.
    OpId op;
    /// Sizes are rounded down to multiples of this; 0: not.
    int64_t granularity = 0;
    const BoundCase *assumptions = nullptr;
    /// Values that every cut stores where it can; null: none.
    const std::vector<char> *alwaysStored = nullptr;
  };

  /// The phase from the moment with sides `now` to that with sides `next`
  /// (null: to the end).
  PhaseNetwork(const Graph &g, const TimeScale &scale, const Setup &setup,
               const std::vector<Side> &now, const std::vector<Side> *next);

  /// Is `v` made before the moment, or may it be?
  bool mayStore(ValueId v) const { return now[g.producer[v]] != Side::After; }

  /// The least of prices paid and times of ops that run again, MaxFlow's
  /// kInfinite where nothing finite will do, and the cut behind it. Link prices
  /// (null: none) are those of this moment and of the next. After the deadline
  /// the value may be too low, and the cut not the cheapest. Flows are reused
  /// where the byte price rises and there are no links.
  int64_t solve(double bytePrice, const std::vector<double> *linksBefore,
                const std::vector<double> *linksAfter, const Deadline &deadline,
                PhaseCut &cut);

private:
  static constexpr int32_t kSource = 0, kSink = 1;

  const Graph &g;
  const TimeScale &scale;
  const int64_t granularity;
  /// Nodes; kNone: the source cannot reach it, whatever the prices.
  std::vector<int32_t> valueNode, opNode;
  /// The sides of ops at the moment.
  const std::vector<Side> now;
  /// Values in memory at the moment without a choice, and those that the phase
  /// computes first.
  std::vector<char> forced, computedFirst;
  /// Values with an edge whose capacity is a price, and the edge; those that
  /// the source must have and nothing can compute have none.
  std::vector<std::pair<ValueId, int32_t>> priced, linked;
  std::vector<ValueId> paidAlways;
  std::unique_ptr<ReusedFlow> flow;

  int64_t bytes(ValueId v) const {
    return granularity > 1 ? g.bytes[v] / granularity * granularity
                           : g.bytes[v];
  }
  int64_t price(ValueId v, double bytePrice,
                const std::vector<double> *links) const;
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_PHASENETWORK_H
