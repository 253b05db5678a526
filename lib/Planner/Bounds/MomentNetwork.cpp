//===- MomentNetwork.cpp - The minimum cuts of one moment -----------------===//
#include "Bounds/MomentNetwork.h"

#include <unordered_map>
#include <unordered_set>

namespace ckpt::planner {

MomentNetwork::MomentNetwork(const Graph &g, const TimeScale &scale,
                             const Setup &setup)
    : g(g), scale(scale), granularity(setup.granularity),
      valueNode(g.numValues, kNone), opNode(g.numOps, kNone),
      forced(g.numValues, false), isBefore(g.numOps, false) {
  for (OpId o = 0; o < g.numOps; ++o)
    isBefore[o] = setup.sides[o] == MomentModel::Before;
  for (ValueId v : g.inputs[setup.op])
    forced[v] = true;
  for (ValueId v = 0; v < g.numValues; ++v)
    if (isBefore[g.producer[v]])
      forced[v] |=
          g.mustStay[v] || (setup.alwaysStored && (*setup.alwaysStored)[v]);
  addNodes(setup);
  if (setup.classes)
    addMergedEdges(setup);
  else
    addEdges(setup);
  flow->network().freeze();
}

void MomentNetwork::addEdges(const Setup &setup) {
  std::vector<char> again(g.numOps, false);
  for (OpId o : setup.again)
    again[o] = true;
  MaxFlow &network = flow->network();
  for (OpId o = 0; o < g.numOps; ++o) {
    const int32_t node = opNode[o];
    if (node == kNone)
      continue;
    for (ValueId v = g.firstResult[o]; v < g.firstResult[o + 1]; ++v) {
      if (valueNode[v] == kNone)
        continue;
      if (valueNode[v] == kSource && node == kSink)
        paidAlways.push_back(v);
      else
        priced.push_back({v, network.addEdge(valueNode[v], node, 0), 1});
    }
    if (node == kSink)
      continue;
    if (isBefore[o] && !again[o])
      network.addEdge(node, kSink, scale.time(g.time[o]));
    for (ValueId v : g.inputs[o])
      if (!forced[v] && valueNode[v] != kSource)
        network.addEdge(node, valueNode[v], MaxFlow::kInfinite);
  }
}

/// The same, with one edge for all between the same two nodes: those of a class
/// of values have the same price.
void MomentNetwork::addMergedEdges(const Setup &setup) {
  std::unordered_map<uint64_t, size_t> pricedBetween;
  std::unordered_set<uint64_t> needsBetween;
  auto between = [](int32_t from, int32_t to) {
    return static_cast<uint64_t>(static_cast<uint32_t>(from)) << 32 |
           static_cast<uint32_t>(to);
  };
  MaxFlow &network = flow->network();
  std::vector<int64_t> time;
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
      // Results of one op are apart even where the source needs them all.
      const int32_t result = v - g.firstResult[o];
      auto [place, isNew] = pricedBetween.emplace(
          between(valueNode[v] == kSource ? -1 - result : valueNode[v], node),
          priced.size());
      if (isNew)
        priced.push_back({v, network.addEdge(valueNode[v], node, 0), 0});
      ++priced[place->second].count;
    }
    if (node == kSink)
      continue;
    if (time.size() <= static_cast<size_t>(node))
      time.resize(node + 1, 0);
    if (isBefore[o])
      time[node] += scale.time(g.time[o]);
    for (ValueId v : g.inputs[o])
      if (!forced[v] && valueNode[v] != kSource && valueNode[v] != kNone &&
          needsBetween.insert(between(node, valueNode[v])).second)
        network.addEdge(node, valueNode[v], MaxFlow::kInfinite);
  }
  for (size_t node = 0; node < time.size(); ++node)
    if (time[node] > 0)
      network.addEdge(static_cast<int32_t>(node), kSink, time[node]);
}

/// Ops that cannot run again are the sink, values that are needed the source.
/// Of the others, those count that a need may reach.
void MomentNetwork::addNodes(const Setup &setup) {
  std::vector<char> needed(g.numValues, false), once(g.numOps, false);
  auto needAllOf = [&](OpId op, std::vector<char> &set) {
    for (ValueId v : g.inputs[op])
      set[v] = true;
  };
  for (OpId o = 0; o < g.numOps; ++o)
    if (setup.sides[o] == MomentModel::After)
      needAllOf(o, needed);
  for (ValueId v : g.outputs)
    needed[v] = true;
  for (OpId o : setup.once)
    once[o] = true;
  std::vector<char> mayBeNeeded(g.numValues, false);
  int32_t numNodes = 2;
  // With classes: the node of each.
  std::vector<int32_t> valueClassNode, opClassNode;
  if (setup.classes) {
    valueClassNode.assign(setup.classes->numValues, kNone);
    opClassNode.assign(setup.classes->numOps, kNone);
  }
  auto nodeOf = [&](int32_t *ofClass) {
    if (!ofClass)
      return numNodes++;
    if (*ofClass == kNone)
      *ofClass = numNodes++;
    return *ofClass;
  };
  auto nodeOfValue = [&](ValueId v) {
    return nodeOf(setup.classes ? &valueClassNode[setup.classes->ofValue[v]]
                                : nullptr);
  };
  auto nodeOfOp = [&](OpId o) {
    return nodeOf(setup.classes ? &opClassNode[setup.classes->ofOp[o]]
                                : nullptr);
  };
  for (OpId o = g.numOps - 1; o >= 0; --o) {
    if (setup.sides[o] == MomentModel::After)
      continue;
    bool mayRun = false;
    for (ValueId v = g.firstResult[o]; v < g.firstResult[o + 1]; ++v) {
      if (forced[v] || !(needed[v] || mayBeNeeded[v]))
        continue;
      mayRun = true;
      valueNode[v] = needed[v] ? kSource : nodeOfValue(v);
    }
    if (!mayRun)
      continue;
    if (isBefore[o] && (!g.recomputable[o] || once[o])) {
      opNode[o] = kSink;
      continue;
    }
    opNode[o] = nodeOfOp(o);
    needAllOf(o, mayBeNeeded);
  }
  flow = std::make_unique<ReusedFlow>(numNodes);
}

int64_t MomentNetwork::solve(double bytePrice, const Deadline &deadline,
                             MomentCut &cut) {
  MaxFlow &network = flow->network();
  flow->prepare(bytePrice);
  int64_t constant = 0;
  for (ValueId v = 0; v < g.numValues; ++v)
    if (forced[v])
      constant += price(v, bytePrice);
  for (ValueId v : paidAlways)
    constant += price(v, bytePrice);
  for (const PricedEdge &priced : priced)
    network.setCapacity(priced.edge,
                        priced.count * price(priced.value, bytePrice));
  const int64_t value = flow->run(kSource, kSink, deadline);

  // Where the deadline cut the flow short, the sink is on the source's side.
  auto onSourceSide = [&](int32_t node) {
    return node != kNone && node != kSink && network.onSourceSide(node);
  };
  cut.stored.assign(g.numValues, false);
  cut.storedBytes = 0;
  cut.again.assign(g.numOps, false);
  for (ValueId v = 0; v < g.numValues; ++v) {
    const OpId op = g.producer[v];
    bool runs = onSourceSide(opNode[op]);
    cut.stored[v] = forced[v] || (onSourceSide(valueNode[v]) && !runs);
    if (cut.stored[v])
      cut.storedBytes += bytes(v);
    if (runs && isBefore[op])
      cut.again[op] = true;
  }
  if (value >= MaxFlow::kInfinite || constant >= MaxFlow::kInfinite - value)
    return MaxFlow::kInfinite;
  return value + constant;
}

} // namespace ckpt::planner
