//===- Reorder.cpp - Sliding runs to where memory is cheaper --------------===//
#include "Search/Reorder.h"

#include <algorithm>
#include <numeric>

namespace ckpt::planner {

namespace {
/// The runs with the copies of values that each reads and makes.
class RunGraph {
public:
  RunGraph(const Problem &problem, const std::vector<OpId> &runs)
      : problem(problem), runs(runs), reads(runs.size()), readers(runs.size()),
        bytesMade(runs.size(), 0), bytesFreed(runs.size(), 0) {
    std::vector<int32_t> maker(problem.numValues(), kNone);
    std::vector<int32_t> firstRun(problem.numOps(), kNone);
    // Of each value: the run that reads its current copy last so far.
    std::vector<int32_t> lastReader(problem.numValues(), kNone);
    int32_t lastUnmovable = kNone;
    auto endCopy = [&](ValueId v) {
      if (maker[v] != kNone && lastReader[v] != kNone)
        bytesFreed[lastReader[v]] += problem.values[v].bytes;
    };
    for (int32_t k = 0; k < static_cast<int32_t>(runs.size()); ++k) {
      const Op &op = problem.ops[runs[k]];
      for (ValueId v : op.inputs)
        for (; v != kNone; v = problem.values[v].aliasOf) {
          reads[k].push_back(maker[v]);
          readers[maker[v]].push_back(k);
          lastReader[v] = k;
        }
      for (int32_t i = 0; i < op.numResults; ++i) {
        ValueId v = op.firstResult + i;
        endCopy(v);
        maker[v] = k;
        lastReader[v] = kNone;
        bytesMade[k] += problem.values[v].bytes;
      }
      if (firstRun[runs[k]] != kNone)
        continue;
      firstRun[runs[k]] = k;
      for (OpId before : op.after)
        follow(firstRun[before], k);
      if (!op.movable) {
        if (lastUnmovable != kNone)
          follow(lastUnmovable, k);
        lastUnmovable = k;
      }
    }
    for (ValueId v = 0; v < problem.numValues(); ++v)
      if (!problem.values[v].output && !problem.values[v].mustStay)
        endCopy(v);
  }

  int64_t gain(int32_t k) const { return bytesMade[k] - bytesFreed[k]; }

  const Problem &problem;
  const std::vector<OpId> &runs;
  /// Of each run: runs that made what it reads or that it must follow for their
  /// effects; and the converse.
  std::vector<std::vector<int32_t>> reads, readers;
  std::vector<int64_t> bytesMade, bytesFreed;

private:
  void follow(int32_t before, int32_t after) {
    reads[after].push_back(before);
    readers[before].push_back(after);
  }
};
} // namespace

std::vector<OpId> slideRuns(const Problem &problem,
                            const std::vector<OpId> &runs, Slide direction,
                            double probability, Random &random) {
  RunGraph graph(problem, runs);
  const int32_t count = static_cast<int32_t>(runs.size());
  // A run that slides is put beside its anchor, a run that does not.
  std::vector<int32_t> anchor(count);
  std::iota(anchor.begin(), anchor.end(), 0);
  if (direction == Slide::Later) {
    for (int32_t k = count - 1; k >= 0; --k) {
      if (graph.gain(k) <= 0 || graph.readers[k].empty() ||
          !random.chance(probability))
        continue;
      anchor[k] = count;
      for (int32_t reader : graph.readers[k])
        anchor[k] = std::min(anchor[k], anchor[reader]);
    }
  } else {
    for (int32_t k = 0; k < count; ++k) {
      if (graph.gain(k) >= 0 || graph.reads[k].empty() ||
          !random.chance(probability))
        continue;
      anchor[k] = -1;
      for (int32_t made : graph.reads[k])
        anchor[k] = std::max(anchor[k], anchor[made]);
    }
  }
  std::vector<int32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return anchor[a] != anchor[b] ? anchor[a] < anchor[b] : a < b;
  });
  std::vector<OpId> result;
  result.reserve(count);
  for (int32_t k : order)
    result.push_back(runs[k]);
  return result;
}

} // namespace ckpt::planner
