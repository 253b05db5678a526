//===- BlocksTest.cpp - Repeated blocks of ops ----------------------------===//
#include "Search/Blocks.h"
#include "Bounds/MomentModel.h"
#include "Search/ScheduleState.h"

#include "RandomProblems.h"
#include "ckpt/Planner/Simulator.h"
#include "gtest/gtest.h"

#include <random>

using namespace ckpt::planner;

namespace {

/// A forward pass of `depth` blocks of three ops with a skip, a loss, and a
/// backward pass that reads what each block stored, in reverse.
Problem blocks(int depth) {
  Problem p;
  auto op = [&](int64_t time, std::vector<ValueId> inputs, int64_t bytes) {
    p.addOp(time, std::move(inputs));
    return p.addResult(bytes);
  };
  std::vector<ValueId> first, second, third;
  ValueId x = op(1, {}, 100);
  for (int i = 0; i < depth; ++i) {
    first.push_back(op(10, {x}, 70));
    second.push_back(op(3, {first.back()}, 90));
    third.push_back(op(5, {x, second.back()}, 100));
    x = third.back();
  }
  ValueId gradient = op(2, {x}, 100);
  for (int i = depth - 1; i >= 0; --i) {
    ValueId inner = op(7, {gradient, second[i]}, 90);
    gradient = op(12, {inner, gradient, first[i]}, 100);
  }
  p.values[gradient].output = true;
  return p;
}

TEST(Blocks, FindsForwardAndMirroredBackwardPasses) {
  Graph g = Graph::build(blocks(100));
  std::vector<Repetition> found = findRepetitions(g);
  int32_t forward = 0, backward = 0;
  for (Repetition repetition : found) {
    if (repetition.period == 3)
      forward = repetition.count;
    if (repetition.period == 2)
      backward = repetition.count;
  }
  // All but a few blocks at the ends, which have other surroundings.
  EXPECT_GT(forward, 90);
  EXPECT_GT(backward, 90);
}

TEST(Blocks, RepetitionsAreDisjointAndAlike) {
  std::mt19937 random(6);
  for (int trial = 0; trial < 200; ++trial) {
    Graph g = Graph::build(test::randomProblem(random, 24));
    std::vector<uint64_t> hashes = structuralHashes(g);
    OpId end = 0;
    for (Repetition r : findRepetitions(g)) {
      ASSERT_GE(r.first, end);
      ASSERT_GE(r.count, 2);
      end = r.first + r.period * r.count;
      ASSERT_LE(end, g.numOps);
      for (OpId op = r.first; op + r.period < end; ++op)
        ASSERT_EQ(hashes[op], hashes[op + r.period]);
    }
  }
}

TEST(Blocks, ClassesAgreeInTimesAndSizes) {
  Graph g = Graph::build(blocks(30));
  Classes classes = findClasses(g);
  EXPECT_TRUE(classes.help());
  std::vector<int64_t> time(classes.numOps, -1), bytes(classes.numValues, -1);
  for (OpId op = 0; op < g.numOps; ++op) {
    int64_t &known = time[classes.ofOp[op]];
    ASSERT_TRUE(known == -1 || known == g.time[op]);
    known = g.time[op];
  }
  for (ValueId v = 0; v < g.numValues; ++v) {
    int64_t &known = bytes[classes.ofValue[v]];
    ASSERT_TRUE(known == -1 || known == g.bytes[v]);
    known = g.bytes[v];
  }
}

TEST(Blocks, NumberOfClassesDoesNotGrowWithDepth) {
  int32_t shallow = findClasses(Graph::build(blocks(50))).numOps;
  int32_t deep = findClasses(Graph::build(blocks(5000))).numOps;
  EXPECT_EQ(shallow, deep);
}

TEST(Blocks, NothingRepeatedIsFine) {
  Problem p;
  std::vector<ValueId> last;
  for (int i = 0; i < 50; ++i) {
    p.addOp(i + 1, last);
    last = {p.addResult(1000 + i)};
  }
  Graph g = Graph::build(p);
  EXPECT_TRUE(findRepetitions(g).empty());
  Classes classes = findClasses(g);
  EXPECT_EQ(classes.numOps, 50);
  EXPECT_FALSE(classes.help());
  EXPECT_TRUE(findRepetitions(Graph::build(Problem())).empty());
}

/// Merging decisions cannot make the relaxation smaller, and on repeated blocks
/// hardly makes it larger.
TEST(Blocks, EstimatesAreNearTheBestPrice) {
  Problem p = blocks(200);
  Graph g = Graph::build(p);
  Classes classes = findClasses(g);
  MomentModel model(g, Order::Program);
  const int64_t full = storeAllPeak(p);
  for (int percent : {80, 60, 40}) {
    const int64_t budget = full / 100 * percent;
    OpId stage = ScheduleState(g, budget).peaks().argMax();
    MomentModel::BestPrice exact = model.maximizePrice(stage, {}, budget, 24);
    MomentModel::BestPrice merged = model.estimatePrice(stage, budget, classes);
    EXPECT_GE(merged.bound + 1, exact.bound);
    EXPECT_LE(merged.bound - exact.bound, g.totalTime / 100);
    MomentModel::BestPrice hinted = model.maximizePrice(
        stage, {}, budget, 24, merged.which.moment.bytePrice);
    EXPECT_LE(std::abs(hinted.bound - exact.bound), g.totalTime / 10000);
  }
}

} // namespace
