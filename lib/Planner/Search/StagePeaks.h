//===- StagePeaks.h - Range-add, range-max over stages ----------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SEARCH_STAGEPEAKS_H
#define CKPT_LIB_PLANNER_SEARCH_STAGEPEAKS_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ckpt::planner {

/// A segment tree without propagation: memory per stage, with range add, range
/// maximum and search for the first stage above a level, each O(log n).
class StagePeaks {
public:
  explicit StagePeaks(int32_t stages) : stages(stages), size(1) {
    while (size < stages)
      size *= 2;
    top.assign(2 * size_t(size), 0);
    pending.assign(size, 0);
    assign(std::vector<int64_t>(stages, 0));
  }

  /// Sets the memory of every stage. O(n).
  void assign(const std::vector<int64_t> &values) {
    std::copy(values.begin(), values.end(), top.begin() + size);
    std::fill(top.begin() + size + stages, top.end(), kLowest);
    std::fill(pending.begin(), pending.end(), 0);
    for (int32_t p = size - 1; p > 0; --p)
      top[p] = std::max(top[2 * p], top[2 * p + 1]);
  }

  /// The memory of every stage. O(n).
  std::vector<int64_t> values() const {
    // What is pending at each node and above.
    std::vector<int64_t> above(pending);
    for (int32_t p = 2; p < size; ++p)
      above[p] += above[p / 2];
    std::vector<int64_t> result(top.begin() + size,
                                top.begin() + size + stages);
    if (size > 1)
      for (int32_t i = 0; i < stages; ++i)
        result[i] += above[(size + i) / 2];
    return result;
  }

  /// Adds `bytes` to the stages from..to (empty where from > to).
  void add(int32_t from, int32_t to, int64_t bytes) {
    if (from > to || bytes == 0)
      return;
    int32_t l = from + size, r = to + size;
    apply(l, bytes);
    if (l != r)
      apply(r, bytes);
    // Up both borders, until they meet; what is between is theirs.
    for (; (l >> 1) != (r >> 1); l >>= 1, r >>= 1, pull(l), pull(r)) {
      if (!(l & 1))
        apply(l ^ 1, bytes);
      if (r & 1)
        apply(r ^ 1, bytes);
    }
    for (l >>= 1; l && pull(l); l >>= 1)
      ;
  }

  int64_t at(int32_t stage) const {
    int32_t p = stage + size;
    int64_t value = top[p];
    for (p >>= 1; p; p >>= 1)
      value += pending[p];
    return value;
  }

  /// Most memory in the stages from..to; very negative where from > to.
  int64_t max(int32_t from, int32_t to) const {
    if (from > to)
      return kLowest;
    int32_t l = from + size, r = to + size;
    int64_t a = top[l], b = top[r];
    if (l != r)
      for (; (l ^ r) != 1; l >>= 1, r >>= 1) {
        if (!(l & 1))
          a = std::max(a, top[l ^ 1]);
        if (r & 1)
          b = std::max(b, top[r ^ 1]);
        a += pending[l >> 1];
        b += pending[r >> 1];
      }
    a = std::max(a, b);
    for (l >>= 1; l; l >>= 1)
      a += pending[l];
    return a;
  }

  int64_t max() const { return top[1]; }

  /// First stage >= `from` with more than `level`, or -1.
  int32_t firstAbove(int64_t level, int32_t from) const {
    // Climb from the leaf to a subtree on the right that exceeds, then descend.
    int32_t p = from + size;
    int64_t above = 0;
    for (int32_t q = p >> 1; q; q >>= 1)
      above += pending[q];
    while (top[p] + above <= level) {
      while (p & 1) {
        p >>= 1;
        if (p == 0)
          return -1;
        above -= pending[p];
      }
      if (p == 0)
        return -1;
      ++p;
    }
    while (p < size) {
      above += pending[p];
      p *= 2;
      if (top[p] + above <= level)
        ++p;
    }
    return p - size;
  }

  /// First stage of most memory.
  int32_t argMax() const {
    int32_t p = 1;
    while (p < size)
      p = top[2 * p] >= top[2 * p + 1] ? 2 * p : 2 * p + 1;
    return p - size;
  }

private:
  static constexpr int64_t kLowest = INT64_MIN / 4;
  int32_t stages, size;
  /// Maximum of the subtree, without what is pending above it.
  std::vector<int64_t> top;
  /// Added to all of the subtree.
  std::vector<int64_t> pending;

  void apply(int32_t p, int64_t bytes) {
    top[p] += bytes;
    if (p < size)
      pending[p] += bytes;
  }
  /// Recomputes the maximum of a subtree; did it change?
  bool pull(int32_t p) {
    int64_t now = std::max(top[2 * p], top[2 * p + 1]) + pending[p];
    bool changed = now != top[p];
    top[p] = now;
    return changed;
  }
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SEARCH_STAGEPEAKS_H
