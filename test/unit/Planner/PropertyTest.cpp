//===- PropertyTest.cpp - All solvers on thousands of random problems -----===//
#include "Samples.h"

#include "gtest/gtest.h"

using namespace ckpt::planner;
using namespace ckpt::planner::test;

TEST(Property, RandomProblemsPassCheck) {
  for (unsigned seed = 0; seed < 3000; ++seed)
    ASSERT_EQ(sample(seed, 9).problem.check(), "") << seed;
}

/// Whatever a solver returns has passed the Simulator; auto is never dearer.
TEST(Property, EverySolverIsHonest) {
  for (unsigned seed = 0; seed < 250; ++seed) {
    Sample s = sample(seed + 7000, 24);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + s.text());
    Options automatic = optionsFor("auto", s.budget, s.order);
    Result best = solve(s.problem, automatic);
    for (const std::string &name : solverNames()) {
      if (name == "exact" || name == "brute-force")
        continue;
      Options options = optionsFor(name, s.budget, s.order);
      Result result = solve(s.problem, options);
      if (!result.solved()) {
        EXPECT_NE(result.message, "");
        continue;
      }
      SCOPED_TRACE(name);
      expectHonest(s.problem, result, options);
      EXPECT_TRUE(best.solved());
      EXPECT_LE(best.time, result.time);
    }
    if (HasFailure())
      return;
  }
}

TEST(Property, EverySolverOnTrainingSteps) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    Problem problem = trainingStep(4 + seed, 1 + seed % 3, seed);
    int64_t peak = storeAllPeak(problem);
    for (int percent : {80, 60, 40, 25}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " at " +
                   std::to_string(percent) + "%");
      Options automatic = optionsFor("auto", peak * percent / 100);
      automatic.effort = 300;
      Result best = solve(problem, automatic);
      for (const std::string &name : solverNames()) {
        if (name == "exact" || name == "brute-force" || name == "auto")
          continue;
        Options options = optionsFor(name, peak * percent / 100);
        Result result = solve(problem, options);
        if (!result.solved())
          continue;
        expectHonest(problem, result, options);
        EXPECT_LE(best.time, result.time) << name;
      }
      if (best.solved())
        expectHonest(problem, best, automatic);
    }
  }
}

/// Within a sweep more memory is never dearer; from call to call never by more
/// than the gap of the later call.
TEST(Property, MonotoneInTheBudget) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Problem problem =
        seed % 2 ? trainingStep(5, 2, seed) : sample(seed + 900, 16).problem;
    int64_t peak = storeAllPeak(problem);
    std::vector<int64_t> budgets;
    for (int percent = 20; percent <= 100; percent += 5)
      budgets.push_back(peak * percent / 100);
    Options options = optionsFor("auto", 0);
    options.effort = 400;
    std::vector<Result> results = solveBudgets(problem, options, budgets);
    ASSERT_EQ(results.size(), budgets.size());
    int64_t last = INT64_MAX;
    for (size_t i = 0; i < results.size(); ++i) {
      if (!results[i].solved()) {
        EXPECT_EQ(last, INT64_MAX) << "seed " << seed;
        continue;
      }
      options.budget = budgets[i];
      expectHonest(problem, results[i], options);
      EXPECT_LE(results[i].time, last) << "seed " << seed;
      last = results[i].time;
      if (i + 4 < results.size()) {
        options.budget = budgets[i + 4];
        Result alone = solve(problem, options);
        ASSERT_TRUE(alone.solved());
        EXPECT_LE(alone.bound.time, last) << "seed " << seed;
        if (alone.stop == StopReason::Optimal) {
          EXPECT_LE(alone.time, last) << "seed " << seed;
        }
      }
    }
  }
}

TEST(Property, Deterministic) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    Problem problem = trainingStep(8, 2, seed);
    Options options = optionsFor("auto", storeAllPeak(problem) / 2);
    options.effort = 500;
    options.seed = seed;
    Result first = solve(problem, options), second = solve(problem, options);
    ASSERT_EQ(first.solved(), second.solved());
    EXPECT_EQ(first.time, second.time);
    EXPECT_TRUE(first.plan.events == second.plan.events);
    EXPECT_EQ(first.bound.time, second.bound.time);
  }
}

TEST(Property, MinimizePeakIsReached) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Problem problem = sample(seed + 300, 12).problem;
    Options options = optionsFor("auto", 0);
    Result result = minimizePeak(problem, options);
    ASSERT_TRUE(result.solved());
    options.budget = result.peak;
    expectHonest(problem, result, options);
    EXPECT_LE(result.peak, storeAllPeak(problem));
  }
}

/// Without recomputation: never below the least peak of all orders, which brute
/// force knows, and nearly always there.
TEST(Property, OrderAlone) {
  int least = 0, shuffled = 0, tried = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    Problem problem = sample(seed + 4000, 9).problem;
    if (problem.numValues() > 20)
      continue;
    Problem once = problem;
    for (Op &op : once.ops)
      op.recomputable = false;
    int64_t low = 0, high = storeAllPeak(problem);
    const int64_t program = high;
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      if (solve(once, optionsFor("brute-force", middle)).solved())
        high = middle;
      else
        low = middle + 1;
    }
    Options none = optionsFor("none", 0);
    Result result = minimizePeak(problem, none);
    ASSERT_TRUE(result.solved());
    none.budget = result.peak;
    expectHonest(problem, result, none);
    EXPECT_EQ(result.recomputations, 0);
    EXPECT_GE(result.peak, high) << "seed " << seed;
    EXPECT_LE(result.peak, program) << "seed " << seed;
    ++tried;
    least += result.peak == high;
    shuffled += high < program;
  }
  EXPECT_GT(shuffled, tried / 4);
  EXPECT_GE(least, tried * 98 / 100);
}
