//===- MaxFlow.h - Maximum flow, minimum cut --------------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_MAXFLOW_H
#define CKPT_LIB_PLANNER_MAXFLOW_H

#include <cstdint>
#include <vector>

namespace ckpt::planner {

/// Dinic's algorithm (1970) in integers, without recursion.
class MaxFlow {
public:
  static constexpr int64_t kInfinite = int64_t(1) << 61;

  explicit MaxFlow(int32_t nodes) : head(nodes, -1) {}
  void addEdge(int32_t from, int32_t to, int64_t capacity) {
    edges.push_back({to, head[from], capacity});
    head[from] = static_cast<int32_t>(edges.size()) - 1;
    edges.push_back({from, head[to], 0});
    head[to] = static_cast<int32_t>(edges.size()) - 1;
  }
  /// The value of a maximum flow; kInfinite or more where the cut has an
  /// infinite edge.
  int64_t run(int32_t source, int32_t sink);
  /// After run(): is `node` on the source's side of the minimum cut?
  bool onSourceSide(int32_t node) const { return level[node] >= 0; }

private:
  struct Edge {
    int32_t to, next;
    int64_t residual;
  };
  std::vector<Edge> edges;
  std::vector<int32_t> head, level, current, queue, path;

  bool buildLevels(int32_t source, int32_t sink);
  int64_t blockingFlow(int32_t source, int32_t sink);
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_MAXFLOW_H
