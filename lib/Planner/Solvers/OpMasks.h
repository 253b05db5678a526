//===- OpMasks.h - Small problems in machine words --------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SOLVERS_OPMASKS_H
#define CKPT_LIB_PLANNER_SOLVERS_OPMASKS_H

#include "Graph.h"

namespace ckpt::planner {

/// Sets of ops or values, one bit each: in one machine word, as fast as it
/// gets, or in two. What works with either is a template over `Mask`.
using SmallMask = uint64_t;
using LargeMask = unsigned __int128;

template <typename Mask>
constexpr int32_t kMaskBits = static_cast<int32_t>(8 * sizeof(Mask));

inline int32_t lowestBit(SmallMask mask) { return __builtin_ctzll(mask); }
inline int32_t lowestBit(LargeMask mask) {
  const auto low = static_cast<SmallMask>(mask);
  return low ? lowestBit(low)
             : 64 + lowestBit(static_cast<SmallMask>(mask >> 64));
}

inline int32_t highestBit(SmallMask mask) { return 63 - __builtin_clzll(mask); }
inline int32_t highestBit(LargeMask mask) {
  const auto high = static_cast<SmallMask>(mask >> 64);
  return high ? 64 + highestBit(high)
              : highestBit(static_cast<SmallMask>(mask));
}

inline int32_t countBits(SmallMask mask) { return __builtin_popcountll(mask); }
inline int32_t countBits(LargeMask mask) {
  return countBits(static_cast<SmallMask>(mask)) +
         countBits(static_cast<SmallMask>(mask >> 64));
}

/// Calls `fn` with the index of each bit.
template <typename Mask, typename Fn>
void forEachBit(Mask mask, Fn fn) {
  for (; mask; mask &= mask - 1)
    fn(lowestBit(mask));
}

/// What each op of a graph reads, makes, must follow, and depends on at all
/// (itself included). The graph has no more ops and values than a mask bits.
template <typename Mask>
struct OpMasks {
  explicit OpMasks(const Graph &g)
      : inputs(g.numOps, 0), results(g.numOps, 0), before(g.numOps, 0),
        ancestors(g.numOps, 0) {
    for (OpId op = 0; op < g.numOps; ++op) {
      all |= bit(op);
      ancestors[op] = bit(op);
      for (ValueId v : g.inputs[op]) {
        inputs[op] |= bit(v);
        ancestors[op] |= ancestors[g.producer[v]];
      }
      for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
        results[op] |= bit(v);
      for (OpId other : g.before[op]) {
        before[op] |= bit(other);
        ancestors[op] |= ancestors[other];
      }
    }
  }

  static constexpr Mask bit(int32_t i) { return Mask(1) << i; }
  static bool fit(int32_t numOps, int32_t numValues) {
    return numOps <= kMaskBits<Mask> && numValues <= kMaskBits<Mask>;
  }

  std::vector<Mask> inputs, results, before, ancestors;
  Mask all = 0;
};

/// Bytes of `values` together.
template <typename Mask>
int64_t bytesOf(const Graph &g, Mask values) {
  int64_t bytes = 0;
  forEachBit(values, [&](ValueId v) { bytes += g.bytes[v]; });
  return bytes;
}

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SOLVERS_OPMASKS_H
