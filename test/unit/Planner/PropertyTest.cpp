//===- PropertyTest.cpp - All solvers on thousands of random problems -----===//
#include "RandomProblems.h"
#include "ckpt/Planner/TextFormat.h"

#include "gtest/gtest.h"

using namespace ckpt::planner;
using namespace ckpt::planner::test;

namespace {
Options optionsFor(const std::string &solver, int64_t budget,
                   Order order = Order::Free) {
  Options options;
  options.solver = solver;
  options.budget = budget;
  options.order = order;
  options.effort = solver == "auto" ? 60 : -1;
  return options;
}

/// Replays the result's plan and compares what it claims.
void expectHonest(const Problem &problem, const Result &result,
                  const Options &options) {
  ASSERT_TRUE(result.solved());
  Simulation simulation = simulate(problem, result.plan, options.budget);
  EXPECT_TRUE(simulation.valid) << simulation.error;
  EXPECT_EQ(simulation.peak, result.peak);
  EXPECT_EQ(simulation.time, result.time);
  EXPECT_LE(result.bound.time, result.time);
  EXPECT_GE(result.peak, result.floor.bytes);
  EXPECT_FALSE(result.bound.infeasible);
}

/// A budget up to storing everything, now and then below the floor.
int64_t someBudget(std::mt19937 &random, const Problem &problem) {
  int64_t peak = storeAllPeak(problem);
  int64_t low = random() % 10 == 0 ? 0 : peakFloor(problem).bytes;
  low = std::min(low, peak);
  return low +
         static_cast<int64_t>(random() % static_cast<unsigned>(peak - low + 1));
}

struct Sample {
  Problem problem;
  int64_t budget;
  Order order;
  std::string text() const {
    return printProblem(problem) + "budget " + std::to_string(budget) +
           (order == Order::Program ? " program order" : "");
  }
};

Sample sample(unsigned seed, int maxOps) {
  std::mt19937 random(seed);
  Features features;
  features.severalResults = seed % 2;
  features.views = seed / 2 % 2;
  features.inPlace = seed / 4 % 2;
  features.effects = seed / 8 % 2;
  Problem problem = randomProblem(random, maxOps, features);
  int64_t budget = someBudget(random, problem);
  return {std::move(problem), budget,
          random() % 2 ? Order::Free : Order::Program};
}
} // namespace

TEST(Property, RandomProblemsPassCheck) {
  for (unsigned seed = 0; seed < 3000; ++seed)
    ASSERT_EQ(sample(seed, 9).problem.check(), "") << seed;
}

/// exact and auto find a plan exactly where brute force does, exact the best,
/// and nobody claims a bound that brute force beats.
TEST(Property, AgreesWithBruteForce) {
  int solved = 0, impossible = 0, dearer = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Sample s = sample(seed, 7);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + s.text());
    Options brute = optionsFor("brute-force", s.budget, s.order);
    Result truth = solve(s.problem, brute);
    if (truth.status == Status::Unsupported)
      continue;
    ASSERT_NE(truth.stop, StopReason::Effort);
    Options exact = optionsFor("exact", s.budget, s.order);
    Options automatic = optionsFor("auto", s.budget, s.order);
    Result best = solve(s.problem, exact), good = solve(s.problem, automatic);
    ASSERT_EQ(best.solved(), truth.solved()) << best.message;
    ASSERT_EQ(good.solved(), truth.solved()) << good.message;
    if (!truth.solved()) {
      ++impossible;
      EXPECT_EQ(truth.status, Status::BelowFloor);
      EXPECT_EQ(best.status, Status::BelowFloor);
      continue;
    }
    ++solved;
    expectHonest(s.problem, truth, brute);
    expectHonest(s.problem, best, exact);
    expectHonest(s.problem, good, automatic);
    EXPECT_EQ(best.time, truth.time);
    EXPECT_EQ(good.time, truth.time);
    EXPECT_EQ(best.bound.time, truth.time);
    dearer += good.time > s.problem.totalTime();
    if (HasFailure())
      return;
  }
  // The samples are no trivialities.
  EXPECT_GT(solved, 800);
  EXPECT_GT(impossible, 100);
  EXPECT_GT(dearer, 50);
}

/// A bound from minimum cuts is never above the optimum, and its certificate
/// proves it.
TEST(Property, BoundsHold) {
  int above = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    Sample s = sample(seed + 50000, 8);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + s.text());
    Options exact = optionsFor("exact", s.budget, s.order);
    Result truth = solve(s.problem, exact);
    if (truth.status == Status::Unsupported)
      continue;
    BoundOptions options;
    options.order = s.order;
    TimeBound bound = boundTime(s.problem, s.budget, options);
    if (truth.solved()) {
      EXPECT_FALSE(bound.infeasible);
      EXPECT_LE(bound.time, truth.time);
      above += bound.time > s.problem.totalTime();
    }
    std::string error;
    int64_t proven = evaluateCertificate(s.problem, s.budget, s.order,
                                         bound.certificate, error);
    EXPECT_EQ(error, "");
    EXPECT_GE(proven, bound.infeasible ? INT64_MAX : bound.time);
    if (HasFailure())
      return;
  }
  EXPECT_GT(above, 20);
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

/// More memory is never dearer.
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
