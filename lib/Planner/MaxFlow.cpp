//===- MaxFlow.cpp - Maximum flow, minimum cut ----------------------------===//
#include "MaxFlow.h"

#include <algorithm>

namespace ckpt::planner {

bool MaxFlow::buildLevels(int32_t source, int32_t sink) {
  level.assign(head.size(), -1);
  queue.clear();
  queue.push_back(source);
  level[source] = 0;
  for (size_t i = 0; i < queue.size(); ++i)
    for (int32_t e = head[queue[i]]; e >= 0; e = edges[e].next)
      if (edges[e].residual > 0 && level[edges[e].to] < 0) {
        level[edges[e].to] = level[queue[i]] + 1;
        queue.push_back(edges[e].to);
      }
  return level[sink] >= 0;
}

int64_t MaxFlow::blockingFlow(int32_t source, int32_t sink) {
  int64_t total = 0;
  path.clear();
  int32_t node = source;
  while (true) {
    if (node == sink) {
      int64_t amount = kInfinite;
      for (int32_t e : path)
        amount = std::min(amount, edges[e].residual);
      size_t keep = path.size();
      for (size_t i = path.size(); i-- > 0;) {
        edges[path[i]].residual -= amount;
        edges[path[i] ^ 1].residual += amount;
        if (edges[path[i]].residual == 0)
          keep = i;
      }
      total += amount;
      if (total >= kInfinite)
        return kInfinite;
      node = edges[path[keep] ^ 1].to;
      path.resize(keep);
      continue;
    }
    int32_t &e = current[node];
    while (e >= 0 &&
           !(edges[e].residual > 0 && level[edges[e].to] == level[node] + 1))
      e = edges[e].next;
    if (e >= 0) {
      path.push_back(e);
      node = edges[e].to;
      continue;
    }
    if (path.empty())
      return total;
    level[node] = -1;
    node = edges[path.back() ^ 1].to;
    path.pop_back();
  }
}

int64_t MaxFlow::run(int32_t source, int32_t sink) {
  int64_t total = 0;
  while (total < kInfinite && buildLevels(source, sink)) {
    current = head;
    total += blockingFlow(source, sink);
  }
  return std::min(total, kInfinite);
}

} // namespace ckpt::planner
