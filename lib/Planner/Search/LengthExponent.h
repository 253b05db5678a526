//===- LengthExponent.h - How the length of a gap counts --------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SEARCH_LENGTHEXPONENT_H
#define CKPT_LIB_PLANNER_SEARCH_LENGTHEXPONENT_H

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ckpt::planner {

/// The power of the length of a gap by which freeing a byte over it counts:
/// powers that IEEE 754 rounds exactly.
enum class LengthExponent : uint8_t { Zero, Quarter, Half, One };

inline double lengthFactor(int32_t length, LengthExponent exponent) {
  double x = std::max(1, length);
  switch (exponent) {
  case LengthExponent::Zero:
    return 1;
  case LengthExponent::Quarter:
    return std::sqrt(std::sqrt(x));
  case LengthExponent::Half:
    return std::sqrt(x);
  case LengthExponent::One:
    return x;
  }
  return 1;
}

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SEARCH_LENGTHEXPONENT_H
