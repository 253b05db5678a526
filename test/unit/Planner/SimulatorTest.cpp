//===- SimulatorTest.cpp - Validity, peak and time by hand ----------------===//
#include "ckpt/Planner/Simulator.h"

#include "RandomProblems.h"

#include "gtest/gtest.h"

using namespace ckpt::planner;

/// a (10 bytes) -> b (5, workspace 3) -> c (1), which reads a and b.
static Problem abc() {
  Problem problem;
  problem.addOp(1, {});
  problem.addResult(10);
  problem.addOp(2, {0}, 3);
  problem.addResult(5);
  problem.addOp(4, {0, 1});
  problem.addResult(1);
  problem.values[2].output = true;
  return problem;
}

static Plan plan(std::initializer_list<Event> events) {
  Plan result;
  result.events = events;
  return result;
}
static Event run(OpId op) { return Event::compute(op); }
static Event drop(ValueId v) { return Event::free(v); }

TEST(Simulator, StoreAll) {
  Problem problem = abc();
  Simulation s = simulate(problem, plan({run(0), run(1), run(2)}));
  EXPECT_TRUE(s.valid) << s.error;
  EXPECT_EQ(s.peak, 18);
  EXPECT_EQ(s.peakEvent, 1);
  EXPECT_EQ(s.time, 7);
  EXPECT_EQ(s.recomputations, 0);
  EXPECT_EQ(storeAllPeak(problem), 18);
}

TEST(Simulator, Recomputation) {
  Simulation s = simulate(
      abc(), plan({run(0), run(1), drop(0), run(0), run(2), drop(0), drop(1)}));
  EXPECT_TRUE(s.valid) << s.error;
  EXPECT_EQ(s.time, 8);
  EXPECT_EQ(s.recomputations, 1);
}

TEST(Simulator, Errors) {
  auto error = [](std::initializer_list<Event> events,
                  int64_t budget = INT64_MAX) {
    return simulate(abc(), plan(events), budget).error;
  };
  EXPECT_EQ(error({run(1)}),
            "event 0: op 1 needs op 0, which is not in memory");
  EXPECT_EQ(error({run(0), drop(0), drop(0)}),
            "event 2: free of op 0, which is not in memory");
  EXPECT_EQ(error({run(0), run(0)}),
            "event 1: op 0 runs again while its results are in memory");
  EXPECT_EQ(error({run(0), run(1)}), "event 2: op 2 never runs");
  EXPECT_EQ(error({run(0), run(1), run(2), drop(2)}),
            "event 4: the output op 2 is not in memory at the end");
  EXPECT_EQ(error({run(0), run(1)}, 17), "event 1: op 1 needs 18 bytes, more "
                                         "than the budget of 17");
  EXPECT_EQ(error({run(3)}), "event 0: an op that does not exist");
  EXPECT_EQ(error({drop(-1)}), "event 0: free of a value that does not exist");
}

TEST(Simulator, EffectsKeepTheirOrder) {
  Problem problem;
  for (int i = 0; i < 3; ++i) {
    problem.addOp(1, {});
    problem.addResult(1);
  }
  problem.ops[0].movable = problem.ops[2].movable = false;
  problem.ops[1].recomputable = false;
  EXPECT_TRUE(simulate(problem, plan({run(1), run(0), run(2)})).valid);
  EXPECT_EQ(simulate(problem, plan({run(2), run(0), run(1)})).error,
            "event 1: op 0 runs after op 2; the two may not trade places");
  EXPECT_EQ(
      simulate(problem, plan({run(1), drop(1), run(1), run(0), run(2)})).error,
      "event 2: op 1 may run only once");
  problem.ops[1].after = {0};
  EXPECT_EQ(simulate(problem, plan({run(1), run(0), run(2)})).error,
            "event 0: op 1 runs before op 0, which it must follow");
}

TEST(Simulator, InPlaceTakesTheBufferOver) {
  Problem problem;
  problem.addOp(1, {});
  problem.addResult(10);
  problem.addOp(1, {0});
  problem.addResult(8);
  problem.values[1].inPlaceOf = 0;
  Simulation apart = simulate(problem, plan({run(0), run(1)}));
  EXPECT_EQ(apart.peak, 18);
  Simulation s = simulate(problem, plan({run(0), Event::computeInPlace(1)}));
  EXPECT_TRUE(s.valid) << s.error;
  EXPECT_EQ(s.peak, 10);
  EXPECT_EQ(planFromRuns(problem, {0, 1}).events[1], Event::computeInPlace(1));
}

TEST(Simulator, ViewsNeedTheirBuffer) {
  Problem problem;
  problem.addOp(1, {});
  problem.addResult(10);
  problem.addOp(0, {0});
  problem.addResult(0);
  problem.values[1].aliasOf = 0;
  problem.addOp(1, {1});
  problem.addResult(1);
  EXPECT_EQ(simulate(problem, plan({run(0), run(1), drop(0), run(2)})).error,
            "event 3: op 2 needs op 0, which is not in memory");
  Simulation s = simulate(problem, plan({run(0), run(1), run(2)}));
  EXPECT_TRUE(s.valid);
  EXPECT_EQ(s.peak, 11);
}

TEST(Simulator, SeveralResults) {
  Problem problem;
  problem.addOp(1, {});
  problem.addResult(4);
  problem.addResult(6);
  problem.addOp(1, {0});
  problem.addResult(1);
  problem.addOp(1, {1});
  problem.addResult(1);
  // The second copy of a live result is scratch.
  Simulation s =
      simulate(problem, plan({run(0), drop(1), run(1), run(0), run(2)}));
  EXPECT_TRUE(s.valid) << s.error;
  EXPECT_EQ(s.peak, 4 + 1 + 4 + 6);
  EXPECT_EQ(s.recomputations, 1);
  problem.values[0].mustStay = true;
  EXPECT_EQ(simulate(problem, plan({run(0), drop(0)})).error,
            "event 1: free of result 0 of op 0, which must stay");
}

/// Runs that read what was never computed make a plan that is invalid, not one
/// that corrupts memory.
TEST(Simulator, RunsThatReadTooEarly) {
  Problem problem = test::chain({1, 1, 1}, {1, 1, 1, 1});
  ASSERT_GE(problem.numOps(), 3);
  std::vector<OpId> runs;
  for (OpId op = problem.numOps() - 1; op >= 0; --op)
    runs.push_back(op);
  Simulation simulation = simulate(problem, planFromRuns(problem, runs));
  EXPECT_FALSE(simulation.valid);
  EXPECT_NE(simulation.error.find("which is not in memory"), std::string::npos)
      << simulation.error;
}
