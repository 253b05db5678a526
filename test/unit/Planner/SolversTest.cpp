//===- SolversTest.cpp - Each solver where its answer is known ------------===//
#include "RandomProblems.h"

#include "gtest/gtest.h"

using namespace ckpt::planner;
using namespace ckpt::planner::test;

static Result run(const Problem &problem, const std::string &solver,
                  int64_t budget, int64_t effort = -1) {
  Options options;
  options.solver = solver;
  options.budget = budget;
  options.effort = effort;
  return solve(problem, options);
}

TEST(Solvers, EmptyProblem) {
  Problem problem;
  for (const std::string &name : solverNames()) {
    Result result = run(problem, name, 0);
    if (result.status == Status::Unsupported)
      continue;
    EXPECT_TRUE(result.solved()) << name;
    EXPECT_EQ(result.peak, 0) << name;
    EXPECT_TRUE(result.plan.events.empty()) << name;
  }
}

TEST(Solvers, BadOptions) {
  Problem problem;
  Result result = run(problem, "magic", 0);
  EXPECT_EQ(result.status, Status::BadOptions);
  EXPECT_EQ(result.message.rfind("unknown solver 'magic'; known: none, all", 0),
            0u);
  EXPECT_EQ(run(problem, "auto", -1).status, Status::BadOptions);
}

/// The outputs alone exceed the budget: a typed failure with the floor.
TEST(Solvers, OutputsAboveTheBudget) {
  Problem problem;
  for (int i = 0; i < 4; ++i) {
    problem.addOp(1, {});
    problem.addResult(10);
    problem.values.back().output = true;
  }
  for (const std::string &name : solverNames()) {
    if (name == "chain-dp")
      continue;
    Result result = run(problem, name, 30);
    EXPECT_EQ(result.status, Status::BelowFloor) << name;
    EXPECT_EQ(result.floor.bytes, 40);
    EXPECT_EQ(result.floor.op, kNone);
    EXPECT_TRUE(result.plan.events.empty());
    EXPECT_EQ(result.message,
              "the budget of 30 bytes is below the proven floor of 40 bytes, "
              "needed by the outputs at the end");
  }
}

/// Forward advances of n uniform steps with s stored states, the first one
/// included: r*n - C(s+r, s+1), r the least with C(s+r, s) >= n (Griewank and
/// Walther 2000).
TEST(Solvers, ChainDpIsRevolveOnUniformChains) {
  struct Row {
    int steps, slots;
    int64_t advances;
  };
  for (Row row : {Row{10, 2, 20}, Row{10, 3, 15}, Row{10, 4, 14},
                  Row{10, 5, 13}, Row{10, 9, 9}, Row{100, 5, 316},
                  Row{100, 10, 222}, Row{100, 20, 178}}) {
    // Each step makes a state of one unit from one; gradients weigh nothing,
    // the backward ops take no time and run from the stored state before them.
    Problem problem = chain(std::vector<int64_t>(row.steps - 1, 1),
                            std::vector<int64_t>(row.steps, 1));
    for (OpId op = row.steps; op < problem.numOps(); ++op) {
      problem.values[op].bytes = 0;
      problem.ops[op].time = 0;
    }
    // While advancing, the next state is there beside the stored ones.
    Result result = run(problem, "chain-dp", row.slots + 1);
    ASSERT_TRUE(result.solved()) << result.message;
    // Advancing needs one state in flight, of which revolve does not speak; it
    // may be used as a slot in between, so no more advances are needed.
    EXPECT_LE(result.time, row.advances) << row.steps << " " << row.slots;
    Result fewer = run(problem, "chain-dp", row.slots);
    if (fewer.solved()) {
      EXPECT_GE(fewer.time, row.advances) << row.steps << " " << row.slots;
    }
  }
}

TEST(Solvers, ChainDpTakesOnlyChains) {
  Result result = run(trainingStep(3, 2, 0), "chain-dp", 1000);
  EXPECT_EQ(result.status, Status::Unsupported);
  EXPECT_EQ(result.message.rfind("chain-dp takes chains only", 0), 0u);
}

TEST(Solvers, AutoIsNoDearerThanChainDpOnChains) {
  std::mt19937 random(3);
  for (int round = 0; round < 3; ++round) {
    std::vector<int64_t> times,
        bytes = {static_cast<int64_t>(random() % 40) + 5};
    for (int i = 0; i < 40; ++i) {
      times.push_back(static_cast<int64_t>(random() % 45) + 5);
      bytes.push_back(static_cast<int64_t>(random() % 45) + 5);
    }
    Problem problem = chain(times, bytes);
    int64_t peak = storeAllPeak(problem);
    for (int percent : {10, 15, 25, 50}) {
      Result dp = run(problem, "chain-dp", peak * percent / 100);
      Result best = run(problem, "auto", peak * percent / 100, 200);
      if (!dp.solved())
        continue;
      ASSERT_TRUE(best.solved());
      EXPECT_LE(best.time, dp.time);
    }
  }
}

/// 3 of 7 boundaries of a uniform chain: sqrt stores every third.
TEST(Solvers, SqrtOnAUniformChain) {
  Problem problem =
      chain(std::vector<int64_t>(24, 10), std::vector<int64_t>(25, 10));
  int64_t peak = storeAllPeak(problem);
  Result result = run(problem, "sqrt", peak / 2);
  ASSERT_TRUE(result.solved()) << result.message;
  EXPECT_LE(result.time - problem.totalTime(), 240);
  Result all = run(problem, "all", peak);
  ASSERT_TRUE(all.solved()) << all.message;
}

/// A recomputation of an output after the last op must be in the schedule.
TEST(Solvers, OutputsRecomputedAtTheEnd) {
  // a is an output and large; the ops in between need the room.
  Problem problem;
  problem.addOp(1, {});
  problem.addResult(10);
  problem.values[0].output = true;
  problem.addOp(1, {0});
  problem.addResult(1);
  problem.addOp(1, {1}, 14);
  problem.addResult(1);
  problem.addOp(1, {2});
  problem.addResult(1);
  problem.values[3].output = true;
  for (const char *solver : {"auto", "exact", "brute-force"}) {
    Result result = run(problem, solver, 16);
    ASSERT_TRUE(result.solved()) << solver << ": " << result.message;
    EXPECT_EQ(result.time, 5) << solver;
    EXPECT_TRUE(simulate(problem, result.plan, 16).valid);
  }
}

/// No recursion on depth, memory linear: a chain of 30,000 ops.
TEST(Solvers, DeepChain) {
  constexpr int steps = 15000;
  Problem problem = chain(std::vector<int64_t>(steps, 7),
                          std::vector<int64_t>(steps + 1, 11));
  ASSERT_EQ(problem.check(), "");
  int64_t budget = storeAllPeak(problem) / 2;
  for (const char *solver : {"none", "sqrt", "chen-greedy", "auto"}) {
    Result result = run(problem, solver, budget, 50);
    EXPECT_EQ(result.solved(), std::string(solver) != "none")
        << solver << ": " << result.message;
  }
}

/// Where rounding leaves chain-dp nothing, there is no plan, and no crash.
TEST(Solvers, ChainTooCoarse) {
  Problem problem;
  problem.addOp(0, {});
  problem.addResult(5);
  problem.addOp(1, {0});
  problem.addResult(1 << 20);
  problem.values[1].output = true;
  Result result = run(problem, "chain-dp", storeAllPeak(problem), 100);
  EXPECT_EQ(result.status, Status::NotFound);
}
