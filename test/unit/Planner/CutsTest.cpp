//===- CutsTest.cpp - Flows, cuts of moments and of stages ----------------===//
#include "Bounds/ReusedFlow.h"
#include "Search/Repair.h"
#include "Search/StageCut.h"

#include "RandomProblems.h"
#include "ckpt/Planner/Simulator.h"
#include "ckpt/Planner/TextFormat.h"
#include "gtest/gtest.h"

#include <random>

using namespace ckpt::planner;

namespace {

struct Network {
  struct Edge {
    int from, to;
    int64_t capacity;
  };
  int nodes;
  std::vector<Edge> edges;
};

Network randomNetwork(std::mt19937 &random) {
  Network n;
  n.nodes = 2 + static_cast<int>(random() % 7);
  int count = static_cast<int>(random() % 24);
  for (int i = 0; i < count; ++i) {
    int from = static_cast<int>(random() % n.nodes);
    int to = static_cast<int>(random() % n.nodes);
    if (from != to)
      n.edges.push_back({from, to, static_cast<int64_t>(random() % 20)});
  }
  return n;
}

/// The least cut between node 0 and node 1, over all sets of nodes.
int64_t leastCut(const Network &n) {
  int64_t best = INT64_MAX;
  for (unsigned set = 0; set < (1u << n.nodes); ++set) {
    if (!(set & 1) || (set & 2))
      continue;
    int64_t cut = 0;
    for (const Network::Edge &edge : n.edges)
      if ((set >> edge.from & 1) && !(set >> edge.to & 1))
        cut += edge.capacity;
    best = std::min(best, cut);
  }
  return best;
}

TEST(MaxFlow, FindsLeastCuts) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    Network n = randomNetwork(random);
    MaxFlow flow(n.nodes);
    for (const Network::Edge &edge : n.edges)
      flow.addEdge(edge.from, edge.to, edge.capacity);
    flow.freeze();
    const int64_t value = flow.run(0, 1, Deadline());
    ASSERT_EQ(value, leastCut(n));
    ASSERT_TRUE(flow.onSourceSide(0));
    ASSERT_FALSE(flow.onSourceSide(1));
    int64_t cut = 0;
    for (const Network::Edge &edge : n.edges)
      if (flow.onSourceSide(edge.from) && !flow.onSourceSide(edge.to))
        cut += edge.capacity;
    ASSERT_EQ(cut, value);
  }
}

/// Prices in any order: some flows are continued, some restored, some anew.
TEST(ReusedFlow, AgreesWithFlowsFromNothing) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 500; ++trial) {
    Network n = randomNetwork(random);
    ReusedFlow flow(n.nodes);
    for (const Network::Edge &edge : n.edges)
      flow.network().addEdge(edge.from, edge.to, 0);
    flow.network().freeze();
    for (int step = 0; step < 12; ++step) {
      const int64_t price = static_cast<int64_t>(random() % 6);
      Network priced = n;
      flow.prepare(static_cast<double>(price));
      for (size_t i = 0; i < n.edges.size(); ++i) {
        // Some capacities do not depend on the price.
        int64_t capacity = n.edges[i].capacity * (i % 3 == 0 ? 1 : price);
        priced.edges[i].capacity = capacity;
        flow.network().setCapacity(static_cast<int32_t>(i), capacity);
      }
      ASSERT_EQ(flow.run(0, 1, Deadline()), leastCut(priced));
    }
  }
}

TEST(StageCut, LowersTheStageAndKeepsTheScheduleValid) {
  int lowered = 0;
  std::mt19937 random(7);
  for (int trial = 0; trial < 400; ++trial) {
    Problem problem = test::randomProblem(random, 24);
    SCOPED_TRACE(printProblem(problem));
    Graph g = Graph::build(problem);
    const int64_t budget = storeAllPeak(problem) / 10 * 7;
    ScheduleState state(g, budget);
    const int32_t stage = state.peaks().argMax();
    const int64_t before = state.peaks().at(stage);
    if (before <= budget)
      continue;
    StageCutOptions options;
    options.maxStages = 1;
    lowerWorstStages(state, options, Deadline());
    ASSERT_LE(state.peaks().at(stage), before);
    lowered += state.peaks().at(stage) < before;
    Simulation simulation =
        simulate(problem, planFromRuns(problem, state.runs()));
    ASSERT_TRUE(simulation.valid) << simulation.error;
    ASSERT_LE(simulation.peak, state.peaks().max());
    ASSERT_EQ(static_cast<__int128>(simulation.time), state.cost());
  }
  EXPECT_GT(lowered, 20);
}

/// Layers of ops that read the layer before and, now and then, one far back:
/// keeping what is read late costs the memory, recomputing it needs what is
/// long gone. One cut after another adds less than half the time that a greedy
/// sweep does.
TEST(StageCut, WideGraphsWithLongLinks) {
  std::mt19937 random(5);
  Problem p;
  constexpr int width = 20, depth = 60;
  for (int layer = 0; layer < depth; ++layer)
    for (int i = 0; i < width; ++i) {
      std::vector<ValueId> inputs;
      auto add = [&](int fromLayer) {
        ValueId v = fromLayer * width + static_cast<int>(random() % width);
        if (std::find(inputs.begin(), inputs.end(), v) == inputs.end())
          inputs.push_back(v);
      };
      if (layer > 0)
        add(layer - 1);
      if (layer > 0 && random() % 2)
        add(layer - 1);
      if (layer > 1 && random() % 5 == 0)
        add(static_cast<int>(random() % (layer - 1)));
      p.addOp(1 + static_cast<int64_t>(random() % 1000), inputs);
      p.addResult(1 + static_cast<int64_t>(random() % 5000));
    }
  ASSERT_EQ(p.check(), "");
  Graph g = Graph::build(p);
  const int64_t budget = storeAllPeak(p) / 100 * 65;
  ScheduleState state(g, budget);
  StageCutOptions options;
  options.part = 0.94;
  lowerWorstStages(state, options, Deadline());
  SweepOptions rest;
  rest.maxWork = 2'000'000;
  EXPECT_TRUE(sweep(state, rest, Deadline()));
  ScheduleState greedy(g, budget);
  sweep(greedy, rest, Deadline());
  const __int128 once = g.totalTime;
  EXPECT_TRUE(!greedy.fits() ||
              2 * (state.cost() - once) < greedy.cost() - once);
}

} // namespace
