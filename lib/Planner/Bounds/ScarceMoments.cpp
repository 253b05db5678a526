//===- ScarceMoments.cpp - Where memory is scarce -------------------------===//
#include "Bounds/ScarceMoments.h"

#include <algorithm>
#include <map>

namespace ckpt::planner {

/// Bytes in memory at the first run of each op, its own included.
static std::vector<int64_t> bytesAtFirstRun(const Problem &problem,
                                            const Plan &plan) {
  std::vector<int64_t> bytes(problem.numOps(), -1);
  std::vector<char> live(problem.numValues(), false);
  int64_t inMemory = 0;
  auto set = [&](ValueId v, bool on) {
    if (live[v] != on)
      inMemory += on ? problem.values[v].bytes : -problem.values[v].bytes;
    live[v] = on;
  };
  for (Event event : plan.events) {
    if (event.isFree()) {
      set(event.id, false);
      continue;
    }
    const Op &op = problem.ops[event.id];
    for (int32_t i = 0; i < op.numResults; ++i) {
      ValueId v = op.firstResult + i;
      if (event.kind == Event::Kind::ComputeInPlace &&
          problem.values[v].inPlaceOf != kNone)
        set(problem.values[v].inPlaceOf, false);
      set(v, true);
    }
    if (bytes[event.id] < 0)
      bytes[event.id] = inMemory + op.workspace;
  }
  return bytes;
}

std::vector<OpId> scarceMoments(const Problem &problem, const Graph &g,
                                const MomentModel &model, int64_t budget,
                                const Plan &plan, OpId always) {
  // To try one takes time in proportion to the ops.
  const size_t most = std::clamp(40'000 / g.numOps, 80, 200);
  const std::vector<int64_t> bytes = bytesAtFirstRun(problem, plan);
  const std::vector<MomentModel::Side> side = model.sides(always);
  struct Moment {
    OpId op;
    int64_t used, unknown;
  };
  std::vector<Moment> scarce;
  std::vector<int64_t> unknowns;
  for (OpId op = 0; op < g.numOps; ++op) {
    const int64_t used = bytes[g.problemOp[op]];
    if (op == always || side[op] == MomentModel::Unknown || used <= budget / 2)
      continue;
    const std::vector<MomentModel::Side> sides = model.sides(op);
    scarce.push_back(
        {op, used,
         std::count(sides.begin(), sides.end(), MomentModel::Unknown)});
    unknowns.push_back(scarce.back().unknown);
  }
  if (scarce.empty())
    return {};
  // Where much is unknown, little is proven; but late in a backward pass many
  // sinks may have run or not, which matters little where memory is full.
  auto middle = unknowns.begin() + unknowns.size() / 2;
  std::nth_element(unknowns.begin(), middle, unknowns.end());
  const int64_t mostUnknown = *middle + g.numOps / 20;
  constexpr double full = 0.85;
  scarce.erase(std::remove_if(scarce.begin(), scarce.end(),
                              [&](const Moment &moment) {
                                return moment.unknown > mostUnknown &&
                                       static_cast<double>(moment.used) <
                                           full * static_cast<double>(budget);
                              }),
               scarce.end());
  std::vector<OpId> result;
  const size_t groups = std::min(most, scarce.size());
  for (size_t i = 0; i < groups; ++i) {
    auto first = scarce.begin() + scarce.size() * i / groups;
    auto last = scarce.begin() + scarce.size() * (i + 1) / groups;
    result.push_back(std::max_element(first, last, [](Moment a, Moment b) {
                       return a.used < b.used;
                     })->op);
  }
  return result;
}

std::vector<int64_t> commonSizes(const Graph &g, int64_t budget) {
  constexpr size_t most = 6;
  std::map<int64_t, int64_t> counts;
  for (int64_t bytes : g.bytes)
    if (bytes > budget / 200)
      ++counts[bytes];
  std::vector<std::pair<int64_t, int64_t>> ranked;
  for (auto [bytes, count] : counts)
    ranked.push_back({-count, bytes});
  std::sort(ranked.begin(), ranked.end());
  std::vector<int64_t> sizes = {0};
  for (size_t i = 0; i < std::min(most, ranked.size()); ++i)
    sizes.push_back(ranked[i].second);
  return sizes;
}

} // namespace ckpt::planner
