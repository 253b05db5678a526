//===- TimeScale.h - Times and prices as integers ---------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_BOUNDS_TIMESCALE_H
#define CKPT_LIB_PLANNER_BOUNDS_TIMESCALE_H

#include "Graph.h"

#include <algorithm>

namespace ckpt::planner {

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

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_BOUNDS_TIMESCALE_H
