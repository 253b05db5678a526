//===- MaxFlow.cpp - Maximum flow, minimum cut ----------------------------===//
#include "Bounds/MaxFlow.h"

#include <algorithm>

namespace ckpt::planner {

void MaxFlow::freeze() {
  for (const Edge &edge : newEdges) {
    ++starts[edge.from + 1];
    ++starts[edge.to + 1];
  }
  for (int32_t node = 0; node < numNodes(); ++node)
    starts[node + 1] += starts[node];
  arcs.resize(2 * newEdges.size());
  arcOfEdge.resize(newEdges.size());
  std::vector<int32_t> next(starts.begin(), starts.end() - 1);
  for (size_t i = 0; i < newEdges.size(); ++i) {
    const Edge &edge = newEdges[i];
    int32_t forward = next[edge.from]++, backward = next[edge.to]++;
    arcs[forward] = {edge.to, backward, edge.capacity};
    arcs[backward] = {edge.from, forward, 0};
    arcOfEdge[i] = forward;
  }
  newEdges = {};
}

void MaxFlow::clearFlow() {
  for (int32_t forward : arcOfEdge) {
    Arc &arc = arcs[forward];
    arc.residual += arcs[arc.mate].residual;
    arcs[arc.mate].residual = 0;
  }
}

std::vector<int64_t> MaxFlow::saveFlow() const {
  std::vector<int64_t> saved;
  saved.reserve(arcs.size());
  for (const Arc &arc : arcs)
    saved.push_back(arc.residual);
  return saved;
}

void MaxFlow::restoreFlow(const std::vector<int64_t> &saved) {
  for (size_t i = 0; i < arcs.size(); ++i)
    arcs[i].residual = saved[i];
}

/// Distances to the sink, up to that of the source. Returns whether the source
/// has one.
bool MaxFlow::buildLevels(int32_t source, int32_t sink) {
  level.assign(numNodes(), -1);
  queue.clear();
  queue.push_back(sink);
  level[sink] = 0;
  for (size_t i = 0; i < queue.size(); ++i) {
    int32_t node = queue[i];
    for (int32_t a = starts[node]; a < starts[node + 1]; ++a) {
      int32_t from = arcs[a].to;
      if (level[from] >= 0 || arcs[arcs[a].mate].residual == 0)
        continue;
      level[from] = level[node] + 1;
      if (from == source)
        return true;
      queue.push_back(from);
    }
  }
  return false;
}

int64_t MaxFlow::blockingFlow(int32_t source, int32_t sink,
                              const Deadline &deadline) {
  constexpr int64_t stepsPerLook = 1 << 16;
  int64_t total = 0, steps = 0;
  path.clear();
  int32_t node = source;
  while (true) {
    if (++steps % stepsPerLook == 0 && deadline.passed())
      return total;
    if (node == sink) {
      int64_t amount = kInfinite;
      for (int32_t a : path)
        amount = std::min(amount, arcs[a].residual);
      size_t keep = path.size();
      for (size_t i = path.size(); i-- > 0;) {
        Arc &arc = arcs[path[i]];
        arc.residual -= amount;
        arcs[arc.mate].residual += amount;
        if (arc.residual == 0)
          keep = i;
      }
      total += amount;
      if (total >= kInfinite)
        return kInfinite;
      node = arcs[arcs[path[keep]].mate].to;
      path.resize(keep);
      continue;
    }
    int32_t &a = current[node];
    const int32_t end = starts[node + 1];
    while (a < end &&
           !(arcs[a].residual > 0 && level[arcs[a].to] == level[node] - 1))
      ++a;
    if (a < end) {
      path.push_back(a);
      node = arcs[a].to;
      continue;
    }
    if (path.empty())
      return total;
    level[node] = -1;
    node = arcs[arcs[path.back()].mate].to;
    path.pop_back();
  }
}

void MaxFlow::findSourceSide(int32_t source) {
  reached.assign(numNodes(), false);
  queue.clear();
  queue.push_back(source);
  reached[source] = true;
  for (size_t i = 0; i < queue.size(); ++i)
    for (int32_t a = starts[queue[i]]; a < starts[queue[i] + 1]; ++a)
      if (arcs[a].residual > 0 && !reached[arcs[a].to]) {
        reached[arcs[a].to] = true;
        queue.push_back(arcs[a].to);
      }
}

int64_t MaxFlow::run(int32_t source, int32_t sink, const Deadline &deadline) {
  int64_t total = 0;
  while (total < kInfinite && !deadline.passed() && buildLevels(source, sink)) {
    current.assign(starts.begin(), starts.end() - 1);
    total += blockingFlow(source, sink, deadline);
  }
  findSourceSide(source);
  return std::min(total, kInfinite);
}

} // namespace ckpt::planner
