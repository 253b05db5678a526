//===- ThreadOrder.h - Seeded orders of threads and blocks ------*- C++ -*-===//
#ifndef CKPT_LIB_RUNTIME_EMULATED_THREADORDER_H
#define CKPT_LIB_RUNTIME_EMULATED_THREADORDER_H

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace ckpt::emulated {

/// An order of 0 .. count - 1 in constant space: every step-th number, around.
struct Stride {
  uint64_t count = 1;
  uint64_t first = 0;
  /// Has no divisor in common with count, and is at most that.
  uint64_t step = 1;

  uint64_t next(uint64_t number) const {
    const uint64_t room = count - number;
    return step < room ? number + step : step - room;
  }
};

/// Draws permutations; with seed 0 always the identity.
class ThreadOrder {
public:
  explicit ThreadOrder(uint64_t seed) : seeded(seed != 0), state(seed) {}

  bool isShuffled() const { return seeded; }

  /// A number below `bound` > 0; 0 where the seed is 0.
  uint64_t below(uint64_t bound) { return seeded ? next() % bound : 0; }

  /// Fills `order` with 0 .. count - 1 in the next order.
  void draw(std::vector<uint32_t> &order, uint32_t count) {
    order.resize(count);
    std::iota(order.begin(), order.end(), 0u);
    if (!seeded)
      return;
    for (uint32_t i = count; i > 1; --i)
      std::swap(order[i - 1], order[below(i)]);
  }

  /// Draws an order of `count` > 0 numbers.
  Stride drawStride(uint64_t count) {
    Stride stride;
    stride.count = count;
    if (!seeded)
      return stride;
    stride.first = below(count);
    stride.step = 1 + below(count);
    while (std::gcd(stride.step, count) != 1)
      stride.step = 1 + below(count);
    return stride;
  }

private:
  /// SplitMix64 (Steele, Lea, Flood 2014).
  uint64_t next() {
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  bool seeded;
  uint64_t state;
};

} // namespace ckpt::emulated

#endif // CKPT_LIB_RUNTIME_EMULATED_THREADORDER_H
