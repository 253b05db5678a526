//===- TimeScale.cpp - Times and prices as integers -----------------------===//
#include "Bounds/TimeScale.h"

#include "Bounds/MaxFlow.h"

#include <cmath>

namespace ckpt::planner {

TimeScale::TimeScale(const Graph &g)
    : largest(MaxFlow::kInfinite / 4 / (g.numValues + 1)) {
  while (bits < 24 && (g.totalTime >> (46 - bits)) == 0)
    ++bits;
  factor = std::ldexp(1.0, bits);
}

__int128 TimeScale::scaled(double price, int64_t amount) const {
  // Exact but for two roundings of less than half a unit each.
  const double value = price * factor * static_cast<double>(amount);
  if (value < 4503599627370496.0) // 2^52
    return static_cast<int64_t>(value);
  const long double large = static_cast<long double>(price) *
                            static_cast<long double>(factor) *
                            static_cast<long double>(amount);
  return static_cast<__int128>(std::min(large, std::ldexp(1.0L, 90)));
}

} // namespace ckpt::planner
