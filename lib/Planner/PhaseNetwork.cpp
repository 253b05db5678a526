//===- PhaseNetwork.cpp - The minimum cuts of one phase -------------------===//
#include "PhaseNetwork.h"

#include <algorithm>
#include <cmath>

namespace ckpt::planner {

TimeScale::TimeScale(const Graph &g)
    : largest(MaxFlow::kInfinite / 4 / (g.numValues + 1)) {
  while (bits < 24 && (g.totalTime >> (46 - bits)) == 0)
    ++bits;
  factor = std::ldexp(1.0, bits);
}

__int128 TimeScale::scaled(double price, int64_t amount) const {
  // Exact but for two roundings of less than half a unit each.
  const double value = price * factor * static_cast<double>(amount);
  if (value < 4503599627370496.0) // 2^52
    return static_cast<int64_t>(value);
  const long double large = static_cast<long double>(price) *
                            static_cast<long double>(factor) *
                            static_cast<long double>(amount);
  return static_cast<__int128>(std::min(large, std::ldexp(1.0L, 90)));
}

PhaseNetwork::PhaseNetwork(const Graph &g, const TimeScale &scale,
                           const Setup &setup, const std::vector<Side> &now,
                           const std::vector<Side> *next)
    : g(g), scale(scale), granularity(setup.granularity),
      valueNode(g.numValues, kNone), opNode(g.numOps, kNone), now(now),
      forced(g.numValues, false), computedFirst(g.numValues, false) {
  auto needAllOf = [&](OpId op, std::vector<char> &set) {
    for (ValueId v : g.inputs[op])
      set[v] = true;
  };
  // Values that the phase reads, or must leave behind.
  std::vector<char> needed(g.numValues, false);
  needAllOf(setup.op, forced);
  for (OpId o = 0; o < g.numOps; ++o)
    if (now[o] == Side::After && (!next || (*next)[o] == Side::Before))
      needAllOf(o, needed);
  if (!next)
    for (ValueId v : g.outputs)
      needed[v] = true;
  for (ValueId v = 0; v < g.numValues; ++v) {
    OpId op = g.producer[v];
    if (now[op] == Side::Before)
      forced[v] |=
          g.mustStay[v] || (setup.alwaysStored && (*setup.alwaysStored)[v]);
    computedFirst[v] =
        now[op] == Side::After && (!next || (*next)[op] != Side::After);
  }

  // Ops that cannot run again are the sink, values that are needed the source.
  // Of the others, those count that a need may reach: without links that is
  // few.
  std::vector<char> once(g.numOps, false), again(g.numOps, false);
  for (OpId o : setup.assumptions->once)
    once[o] = true;
  for (OpId o : setup.assumptions->again)
    again[o] = true;
  std::vector<char> mayBeNeeded(g.numValues, false);
  int32_t numNodes = 2;
  for (OpId o = g.numOps - 1; o >= 0; --o) {
    if (now[o] == Side::After)
      continue;
    bool mayRun = false;
    for (ValueId v = g.firstResult[o]; v < g.firstResult[o + 1]; ++v) {
      if (forced[v] || !(needed[v] || mayBeNeeded[v] || next))
        continue;
      mayRun = true;
      valueNode[v] = needed[v] ? kSource : numNodes++;
    }
    if (!mayRun)
      continue;
    if (now[o] == Side::Before && (!g.recomputable[o] || once[o])) {
      opNode[o] = kSink;
      continue;
    }
    opNode[o] = numNodes++;
    needAllOf(o, mayBeNeeded);
  }

  flow = std::make_unique<ReusedFlow>(numNodes);
  MaxFlow &network = flow->network();
  for (OpId o = 0; o < g.numOps; ++o) {
    const int32_t node = opNode[o];
    if (node == kNone)
      continue;
    for (ValueId v = g.firstResult[o]; v < g.firstResult[o + 1]; ++v) {
      if (valueNode[v] == kNone)
        continue;
      if (valueNode[v] == kSource && node == kSink) {
        paidAlways.push_back(v);
        continue;
      }
      if (next && valueNode[v] != kSource)
        linked.push_back({v, network.addEdge(kSource, valueNode[v], 0)});
      priced.push_back({v, network.addEdge(valueNode[v], node, 0)});
    }
    if (node == kSink)
      continue;
    if (now[o] == Side::Before && !again[o])
      network.addEdge(node, kSink, scale.time(g.time[o]));
    for (ValueId v : g.inputs[o])
      if (!forced[v] && valueNode[v] != kSource)
        network.addEdge(node, valueNode[v], MaxFlow::kInfinite);
  }
  network.freeze();
}

int64_t PhaseNetwork::price(ValueId v, double bytePrice,
                            const std::vector<double> *links) const {
  // One less, for what scaling may have rounded up.
  int64_t result = 0;
  if (bytePrice > 0)
    result = std::max<int64_t>(0, scale.capacity(bytePrice, bytes(v)) - 1);
  return result + (links ? scale.capacity((*links)[v], 1) : 0);
}

int64_t PhaseNetwork::solve(double bytePrice,
                            const std::vector<double> *linksBefore,
                            const std::vector<double> *linksAfter,
                            const Deadline &deadline, PhaseCut &cut) {
  MaxFlow &network = flow->network();
  if (linksBefore || linksAfter)
    flow->reset();
  else
    flow->prepare(bytePrice);
  int64_t constant = 0;
  for (ValueId v = 0; v < g.numValues; ++v)
    if (forced[v])
      constant += price(v, bytePrice, linksBefore);
  for (ValueId v : paidAlways)
    constant += price(v, bytePrice, linksBefore);
  for (auto [v, edge] : priced)
    network.setCapacity(edge, price(v, bytePrice, linksBefore));
  for (auto [v, edge] : linked)
    network.setCapacity(edge,
                        linksAfter ? scale.capacity((*linksAfter)[v], 1) : 0);
  const int64_t flowValue = flow->run(kSource, kSink, deadline);

  // Where the deadline cut the flow short, the sink is on the source's side.
  auto onSourceSide = [&](int32_t node) {
    return node != kNone && node != kSink && network.onSourceSide(node);
  };
  cut.stored.assign(g.numValues, false);
  cut.available.assign(g.numValues, false);
  cut.storedBytes = 0;
  cut.again.assign(g.numOps, false);
  for (ValueId v = 0; v < g.numValues; ++v) {
    OpId op = g.producer[v];
    if (now[op] == Side::After) {
      cut.available[v] = computedFirst[v];
      continue;
    }
    bool runs = onSourceSide(opNode[op]);
    bool have = onSourceSide(valueNode[v]);
    cut.stored[v] = forced[v] || (have && !runs);
    cut.available[v] = forced[v] || have || runs;
    if (cut.stored[v])
      cut.storedBytes += bytes(v);
    if (runs && now[op] == Side::Before)
      cut.again[op] = true;
  }
  if (flowValue >= MaxFlow::kInfinite ||
      constant >= MaxFlow::kInfinite - flowValue)
    return MaxFlow::kInfinite;
  return flowValue + constant;
}

} // namespace ckpt::planner
