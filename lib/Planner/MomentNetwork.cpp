//===- MomentNetwork.cpp - The minimum cuts of one moment -----------------===//
#include "MomentNetwork.h"

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
        priced.push_back({v, network.addEdge(valueNode[v], node, 0)});
    }
    if (node == kSink)
      continue;
    if (isBefore[o] && !again[o])
      network.addEdge(node, kSink, scale.time(g.time[o]));
    for (ValueId v : g.inputs[o])
      if (!forced[v] && valueNode[v] != kSource)
        network.addEdge(node, valueNode[v], MaxFlow::kInfinite);
  }
  network.freeze();
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
  for (OpId o = g.numOps - 1; o >= 0; --o) {
    if (setup.sides[o] == MomentModel::After)
      continue;
    bool mayRun = false;
    for (ValueId v = g.firstResult[o]; v < g.firstResult[o + 1]; ++v) {
      if (forced[v] || !(needed[v] || mayBeNeeded[v]))
        continue;
      mayRun = true;
      valueNode[v] = needed[v] ? kSource : numNodes++;
    }
    if (!mayRun)
      continue;
    if (isBefore[o] && (!g.recomputable[o] || once[o])) {
      opNode[o] = kSink;
      continue;
    }
    opNode[o] = numNodes++;
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
  for (auto [v, edge] : priced)
    network.setCapacity(edge, price(v, bytePrice));
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
