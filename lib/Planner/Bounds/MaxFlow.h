//===- MaxFlow.h - Maximum flow, minimum cut --------------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_BOUNDS_MAXFLOW_H
#define CKPT_LIB_PLANNER_BOUNDS_MAXFLOW_H

#include "Effort.h"

#include <cstdint>
#include <vector>

namespace ckpt::planner {

/// Dinic's algorithm (1970) in integers, without recursion, on flat arrays. The
/// network is built once; capacities may change between runs, and where none
/// falls the flow found so far is kept.
class MaxFlow {
public:
  static constexpr int64_t kInfinite = int64_t(1) << 61;

  explicit MaxFlow(int32_t nodes) : starts(nodes + 1, 0) {}

  /// Adds an edge and returns its number: 0, 1, ...
  int32_t addEdge(int32_t from, int32_t to, int64_t capacity) {
    newEdges.push_back({from, to, capacity});
    return static_cast<int32_t>(newEdges.size()) - 1;
  }
  /// Lays the edges out by node; none can be added afterwards.
  void freeze();

  /// Not less than the flow on the edge.
  void setCapacity(int32_t edge, int64_t capacity) {
    Arc &arc = arcs[arcOfEdge[edge]];
    arc.residual = capacity - arcs[arc.mate].residual;
  }
  void clearFlow();
  /// The flow (and the capacities), to go back to.
  std::vector<int64_t> saveFlow() const;
  void restoreFlow(const std::vector<int64_t> &saved);

  /// Augments the flow until it is maximal, or the deadline has passed: then
  /// the value is no more than a maximum flow's. Returns what was added to it;
  /// kInfinite where the cut has an infinite edge.
  int64_t run(int32_t source, int32_t sink, const Deadline &deadline);
  /// After run(): can the source push more to `node`? These nodes are the
  /// source's side of a minimum cut, the smallest of all.
  bool onSourceSide(int32_t node) const { return reached[node]; }

private:
  struct Edge {
    int32_t from, to;
    int64_t capacity;
  };
  /// An edge or its reverse, whose residual capacity is the edge's flow.
  struct Arc {
    int32_t to, mate;
    int64_t residual;
  };
  std::vector<Edge> newEdges;
  std::vector<Arc> arcs;
  /// Arcs of node n: starts[n] to starts[n + 1].
  std::vector<int32_t> starts, arcOfEdge;
  /// Distance to the sink; -1 where there is none, or no way on.
  std::vector<int32_t> level;
  std::vector<int32_t> current, queue, path;
  std::vector<char> reached;

  int32_t numNodes() const { return static_cast<int32_t>(starts.size()) - 1; }
  bool buildLevels(int32_t source, int32_t sink);
  int64_t blockingFlow(int32_t source, int32_t sink, const Deadline &deadline);
  void findSourceSide(int32_t source);
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_BOUNDS_MAXFLOW_H
