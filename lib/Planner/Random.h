//===- Random.h - Reproducible random numbers -------------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_RANDOM_H
#define CKPT_LIB_PLANNER_RANDOM_H

#include <cstdint>

namespace ckpt::planner {

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine, and
/// only operations that IEEE 754 rounds exactly.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed * 0x9E3779B97F4A7C15ull + 1) {}

  uint64_t next() {
    uint64_t z = (state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  /// Uniform in 0..n-1.
  int32_t below(int32_t n) {
    return static_cast<int32_t>(
        (static_cast<uint64_t>(static_cast<uint32_t>(next() >> 32)) *
         static_cast<uint32_t>(n)) >>
        32);
  }
  /// Uniform in [0, 1).
  double uniform() {
    return static_cast<double>(next() >> 11) * (1.0 / 9007199254740992.0);
  }
  bool chance(double probability) { return uniform() < probability; }
  /// A factor from 1 to 1 + spread.
  double jitter(double spread) {
    return spread == 0 ? 1 : 1 + spread * uniform();
  }

private:
  uint64_t state;
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_RANDOM_H
