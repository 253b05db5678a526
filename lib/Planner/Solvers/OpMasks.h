//===- OpMasks.h - Small problems in machine words --------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SOLVERS_OPMASKS_H
#define CKPT_LIB_PLANNER_SOLVERS_OPMASKS_H

#include "Graph.h"

namespace ckpt::planner {

/// A set of at most 64 ops or values.
using Mask = uint64_t;
constexpr Mask bit(int32_t i) { return Mask(1) << i; }

/// Calls `fn` with the index of each bit.
template <typename Fn>
void forEachBit(Mask mask, Fn fn) {
  for (; mask; mask &= mask - 1)
    fn(__builtin_ctzll(mask));
}

/// What each op of a graph of at most 64 ops and values reads, makes, must
/// follow, and depends on at all (itself included).
struct OpMasks {
  explicit OpMasks(const Graph &g);
  std::vector<Mask> inputs, results, before, ancestors;
  Mask all = 0;
};

/// Bytes of `values` together.
inline int64_t bytesOf(const Graph &g, Mask values) {
  int64_t bytes = 0;
  forEachBit(values, [&](ValueId v) { bytes += g.bytes[v]; });
  return bytes;
}

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SOLVERS_OPMASKS_H
