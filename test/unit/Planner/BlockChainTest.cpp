//===- BlockChainTest.cpp - Dynamic programmes over chains of blocks ------===//
#include "Search/BlockDp.h"
#include "Search/ScheduleState.h"

#include "RandomProblems.h"
#include "Samples.h"
#include "ckpt/Planner/Simulator.h"
#include "gtest/gtest.h"

#include <random>

using namespace ckpt::planner;

namespace {

/// What else deep networks have.
struct Extras {
  /// A value that every block reads, forwards and backwards.
  bool mask = false;
  /// A gradient of parameters per block, an output.
  bool outputs = false;
  /// A random mask per block, which cannot be made again.
  bool dropout = false;
  bool workspaces = false;
};

/// Blocks of four forward ops with a skip; the sizes of the blocks in the
/// second half are twice those of the first.
Problem blocks(int depth, const Extras &extras = {}) {
  Problem p;
  auto op = [&](int64_t time, std::vector<ValueId> inputs, int64_t bytes,
                int64_t workspace = 0) {
    p.addOp(time, std::move(inputs), extras.workspaces ? workspace : 0);
    return p.addResult(bytes);
  };
  struct Block {
    ValueId in, drop, first, second, out;
  };
  std::vector<Block> made;
  const ValueId mask = extras.mask ? op(1, {}, 2) : kNone;
  auto withMask = [&](std::vector<ValueId> inputs) {
    if (mask != kNone)
      inputs.push_back(mask);
    return inputs;
  };
  ValueId x = op(1, {}, 4);
  for (int i = 0; i < depth; ++i) {
    const int64_t s = i < depth / 2 ? 1 : 2;
    Block b{x, kNone, kNone, kNone, kNone};
    b.first = op(20, withMask({x}), 6 * s);
    if (extras.dropout) {
      b.drop = op(1, {}, s);
      p.ops.back().recomputable = false;
    }
    std::vector<ValueId> inputs = {b.first};
    if (b.drop != kNone)
      inputs.push_back(b.drop);
    b.second = op(3, inputs, 6 * s, 5);
    ValueId third = op(9, {b.second}, 4 * s);
    x = b.out = op(2, {x, third}, 4 * s);
    made.push_back(b);
  }
  ValueId gradient = op(2, {x}, 8);
  for (int i = depth - 1; i >= 0; --i) {
    const Block &b = made[i];
    const int64_t s = i < depth / 2 ? 1 : 2;
    std::vector<ValueId> inputs = {gradient, b.second};
    if (b.drop != kNone)
      inputs.push_back(b.drop);
    ValueId inner = op(10, inputs, 6 * s, 7);
    if (extras.outputs)
      p.values[op(5, {inner, b.in}, 1)].output = true;
    gradient = op(21, withMask({inner, gradient, b.first, b.in}), 4 * s);
  }
  p.values[gradient].output = true;
  return p;
}

struct Chained {
  Graph g;
  BlockChain chain;
  BlockLevels levels;

  explicit Chained(const Problem &problem, int32_t maxBlocks = 100)
      : g(Graph::build(problem)) {
    ScheduleState state(g, 0);
    BlockChainOptions how;
    how.turn = state.peaks().argMax();
    how.maxBlocks = maxBlocks;
    chain = findBlockChain(g, how);
    levels = findBlockLevels(g, chain, 4, Deadline());
  }
};

Simulation simulated(const Problem &problem, const std::vector<OpId> &runs) {
  return simulate(problem, planFromRuns(problem, runs));
}

TEST(BlockChain, PlacesAreNestedAndFew) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 100; ++trial) {
    const Problem problem =
        trial % 2 ? blocks(3 + trial) : test::randomProblem(random, 60);
    const Graph g = Graph::build(problem);
    for (int32_t most : {1, 5, 40}) {
      BlockChainOptions how;
      how.turn = g.numOps / 2;
      how.maxBlocks = most;
      const BlockChain chain = findBlockChain(g, how);
      ASSERT_LE(chain.numBlocks(), most);
      ASSERT_EQ(chain.forward.size(), chain.backward.size());
      for (int32_t b = 0; b < chain.numBlocks(); ++b) {
        ASSERT_LT(chain.forward[b], chain.forward[b + 1]);
        ASSERT_GT(chain.backward[b], chain.backward[b + 1]);
      }
      ASSERT_TRUE(chain.numBlocks() == 0 ||
                  chain.forward.back() < chain.backward.back());
    }
  }
}

TEST(BlockChain, CutsBetweenBlocks) {
  const Chained chained(blocks(40), 60);
  // Positions within the blocks are crossed by the skip as well.
  int32_t single = 0;
  for (int32_t b = 1; b <= chained.chain.numBlocks(); ++b) {
    int32_t entering = 0;
    for (ValueId v = 0; v < chained.g.firstResult[chained.chain.forward[b]];
         ++v)
      entering += entersBlock(chained.g, chained.chain, v, b);
    single += entering == 1;
  }
  EXPECT_GE(single, 38);
  EXPECT_LE(chained.chain.numBlocks(), single + 2);
}

TEST(BlockLevels, KeepMoreAndMore) {
  Extras extras;
  extras.dropout = true;
  const Problem problem = blocks(20, extras);
  const Chained chained(problem);
  ASSERT_GE(chained.levels.count, 3);
  std::vector<int64_t> bytes(chained.levels.count, 0);
  for (ValueId v = 0; v < chained.g.numValues; ++v) {
    for (int32_t level = 0; level < chained.levels.count; ++level)
      bytes[level] += chained.levels.keeps(level, v) ? chained.g.bytes[v] : 0;
    if (chained.g.producer[v] < chained.chain.forward.back() &&
        !chained.g.recomputable[chained.g.producer[v]]) {
      EXPECT_TRUE(chained.levels.keeps(0, v));
    }
  }
  for (int32_t level = 1; level < chained.levels.count; ++level)
    EXPECT_LT(bytes[level - 1], bytes[level]);
}

/// On chains the programme is that of solver chain-dp, and no dearer.
TEST(BlockDp, IsNoDearerThanChainDp) {
  std::mt19937 random(8);
  for (int trial = 0; trial < 30; ++trial) {
    const int steps = 5 + static_cast<int>(random() % 20);
    std::vector<int64_t> times, bytes;
    for (int i = 0; i < steps; ++i)
      times.push_back(1 + random() % 20);
    for (int i = 0; i <= steps; ++i)
      bytes.push_back(1 + random() % 6);
    const Problem problem = test::chain(times, bytes);
    const Chained chained(problem);
    const int64_t peak = storeAllPeak(problem);
    for (int percent : {40, 60, 80}) {
      BlockDpOptions how;
      how.budget = peak * percent / 100;
      const Result best =
          solve(problem, test::optionsFor("chain-dp", how.budget));
      const BlockDp programme(chained.g, chained.chain, chained.levels, how);
      const std::vector<OpId> runs = programme.schedule(1);
      if (runs.empty()) {
        EXPECT_FALSE(best.solved()) << trial << " at " << percent << "%";
        continue;
      }
      const Simulation found = simulated(problem, runs);
      ASSERT_TRUE(found.valid) << found.error;
      EXPECT_LE(found.peak, how.budget);
      if (best.solved()) {
        EXPECT_LE(found.time, best.time) << trial << " at " << percent << "%";
      }
    }
  }
}

/// The tables say what the schedule takes, also where tables are shared, and it
/// fits where sizes are multiples of the unit.
TEST(BlockDp, KnowsItsTimeAndFits) {
  for (int depth : {6, 23, 60}) {
    const Problem problem = blocks(depth);
    const Chained chained(problem, 70);
    const int64_t peak = storeAllPeak(problem);
    int solved = 0;
    double last = 0;
    for (int percent : {60, 40, 30, 20, 10}) {
      BlockDpOptions how;
      how.budget = peak * percent / 100;
      how.maxUnits = 2000;
      const BlockDp programme(chained.g, chained.chain, chained.levels, how);
      const std::vector<OpId> runs = programme.schedule(1);
      if (runs.empty())
        continue;
      ++solved;
      const Simulation found = simulated(problem, runs);
      ASSERT_TRUE(found.valid) << found.error;
      EXPECT_LE(found.peak, how.budget) << depth << " at " << percent << "%";
      EXPECT_EQ(static_cast<double>(found.time - problem.totalTime()),
                programme.extraTime(1));
      EXPECT_GE(programme.extraTime(1), last);
      last = programme.extraTime(1);
    }
    EXPECT_GE(solved, 3);
  }
}

TEST(BlockDp, NearToCompleteSearch) {
  const Problem problem = blocks(2);
  const Chained chained(problem);
  const int64_t peak = storeAllPeak(problem);
  for (int percent : {70, 80, 90}) {
    BlockDpOptions how;
    how.budget = peak * percent / 100;
    const Result best =
        solve(problem, test::optionsFor("exact", how.budget, Order::Program));
    ASSERT_TRUE(best.solved());
    const BlockDp programme(chained.g, chained.chain, chained.levels, how);
    const std::vector<OpId> runs = programme.schedule(1);
    ASSERT_FALSE(runs.empty()) << percent;
    const Simulation found = simulated(problem, runs);
    ASSERT_TRUE(found.valid) << found.error;
    EXPECT_LE(found.peak, how.budget);
    EXPECT_LE(found.time - best.time, problem.totalTime() / 10) << percent;
  }
}

/// What has to be there all the time, runs once, or must be there at the end.
TEST(BlockDp, MasksOutputsAndEffects) {
  for (unsigned bits = 0; bits < 16; ++bits) {
    Extras extras;
    extras.mask = bits & 1;
    extras.outputs = bits & 2;
    extras.dropout = bits & 4;
    extras.workspaces = bits & 8;
    const Problem problem = blocks(24, extras);
    const Chained chained(problem);
    int solved = 0;
    for (int percent : {50, 35, 25}) {
      BlockDpOptions how;
      how.budget = storeAllPeak(problem) * percent / 100;
      how.maxUnits = 2000;
      const BlockDp programme(chained.g, chained.chain, chained.levels, how);
      const std::vector<OpId> runs = programme.schedule(1);
      if (runs.empty())
        continue;
      ++solved;
      const Simulation found = simulated(problem, runs);
      ASSERT_TRUE(found.valid) << bits << ": " << found.error;
      EXPECT_LE(found.peak, how.budget) << bits << " at " << percent << "%";
    }
    EXPECT_GE(solved, 2) << bits;
  }
}

/// Whatever the graph: plans that are made are valid.
TEST(BlockDp, AnyGraph) {
  int made = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    const test::Sample sample = test::sample(seed, 40);
    const Chained chained(sample.problem);
    if (chained.chain.numBlocks() == 0)
      continue;
    BlockDpOptions how;
    how.budget = sample.budget;
    const BlockDp programme(chained.g, chained.chain, chained.levels, how);
    for (double part : {1.0, BlockDp::kMostPart}) {
      const std::vector<OpId> runs = programme.schedule(part);
      if (runs.empty())
        continue;
      ++made;
      const Simulation found = simulated(sample.problem, runs);
      ASSERT_TRUE(found.valid) << found.error << "\n" << sample.text();
    }
  }
  EXPECT_GT(made, 50);
}

TEST(BlockDp, GivesUpInTime) {
  const Chained chained(blocks(60));
  BlockDpOptions how;
  how.budget = 100;
  how.deadline = Deadline(1e-9);
  EXPECT_TRUE(BlockDp(chained.g, chained.chain, chained.levels, how)
                  .schedule(1)
                  .empty());
  how.deadline = Deadline();
  how.maxWork = 1000;
  EXPECT_TRUE(BlockDp(chained.g, chained.chain, chained.levels, how)
                  .schedule(1)
                  .empty());
}

/// Where segments of one level fit no more, those within segments do: without
/// them it took more than twice the time.
TEST(BlockDp, HelpsAutoOnDeepNetworks) {
  const Problem problem = blocks(200);
  const int64_t peak = storeAllPeak(problem);
  Options options = test::optionsFor("auto", peak * 4 / 100);
  options.effort = 0;
  options.wantBound = false;
  const Result result = solve(problem, options);
  ASSERT_TRUE(result.solved());
  test::expectHonest(problem, result, options);
  EXPECT_LT(result.time - problem.totalTime(), problem.totalTime() * 70 / 100);
}

} // namespace
