//===- BoundsTest.cpp - Floors, bounds and their certificates -------------===//
#include "Bounds/ScarceMoments.h"
#include "RandomProblems.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <numeric>

using namespace ckpt::planner;
using namespace ckpt::planner::test;

TEST(Bounds, FloorIsTheLargestOp) {
  Problem problem;
  problem.addOp(1, {});
  problem.addResult(10);
  problem.addOp(1, {0}, 7);
  problem.addResult(5);
  problem.addOp(1, {1});
  problem.addResult(1);
  PeakFloor floor = peakFloor(problem);
  EXPECT_EQ(floor.bytes, 22);
  EXPECT_EQ(floor.op, 1);
  problem.values[0].output = problem.values[1].output = true;
  problem.values[2].output = true;
  problem.values[2].bytes = 10;
  floor = peakFloor(problem);
  EXPECT_EQ(floor.bytes, 25);
  EXPECT_EQ(floor.op, kNone);
}

/// A uniform chain: storing k states less costs what it must.
TEST(Bounds, ChainBoundIsTight) {
  Problem problem =
      chain(std::vector<int64_t>(10, 10), std::vector<int64_t>(11, 10));
  int64_t budget = storeAllPeak(problem) * 8 / 10;
  BoundOptions options;
  TimeBound bound = boundTime(problem, budget, options);
  Options exact;
  exact.solver = "exact";
  exact.budget = budget;
  Result best = solve(problem, exact);
  ASSERT_TRUE(best.solved());
  EXPECT_GT(bound.time, problem.totalTime());
  EXPECT_LE(bound.time, best.time);
}

TEST(Bounds, ForgedCertificatesProveNothing) {
  Problem problem = trainingStep(6, 2, 1);
  int64_t budget = storeAllPeak(problem) / 2;
  BoundOptions options;
  TimeBound bound = boundTime(problem, budget, options);
  ASSERT_FALSE(bound.certificate.cases.empty());
  std::string error;
  EXPECT_EQ(evaluateCertificate(problem, budget, Order::Free, {}, error), -1);
  EXPECT_EQ(error, "the cases of the certificate do not cover all plans");

  Certificate forged = bound.certificate;
  forged.cases[0].once = {0};
  EXPECT_EQ(evaluateCertificate(problem, budget, Order::Free, forged, error),
            -1);
  forged = bound.certificate;
  forged.cases[0].moment.op = problem.numOps();
  forged.cases[0].grid = -1;
  EXPECT_EQ(evaluateCertificate(problem, budget, Order::Free, forged, error),
            -1);
  EXPECT_EQ(error, "the certificate names an op that does not exist");
  forged.cases[0].moment = {1, -1, 0};
  EXPECT_EQ(evaluateCertificate(problem, budget, Order::Free, forged, error),
            -1);
  EXPECT_EQ(error, "a price is negative or not finite");
  forged.cases[0].moment = {};
  forged.cases[0].grid = static_cast<int32_t>(forged.grids.size());
  EXPECT_EQ(evaluateCertificate(problem, budget, Order::Free, forged, error),
            -1);
  EXPECT_EQ(error, "a case of the certificate refers to no grid of it");
  forged.grids.push_back({{1}, {{0, 1}}, {1}});
  forged.cases[0].multipliers.assign(1, 0);
  EXPECT_EQ(evaluateCertificate(problem, budget, Order::Free, forged, error),
            -1);
  EXPECT_EQ(error, "the multipliers are not one per row of the windows");
}

/// Sizes that are multiples of one, and a few small ones: rounding must not
/// claim room that there is.
TEST(Bounds, RoundedSizes) {
  int above = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    Problem problem = trainingStep(3, 2, seed);
    for (Value &value : problem.values)
      value.bytes = value.bytes % 5 == 0 ? value.bytes : value.bytes * 64;
    int64_t peak = storeAllPeak(problem);
    for (int percent : {55, 70, 85}) {
      Options exact;
      exact.solver = "exact";
      exact.budget = peak * percent / 100;
      exact.effort = 50000;
      Result best = solve(problem, exact);
      if (best.stop != StopReason::Optimal)
        continue;
      BoundOptions options;
      TimeBound bound = boundTime(problem, exact.budget, options);
      EXPECT_LE(bound.time, best.time) << seed << " at " << percent;
      for (const BoundCase &which : bound.certificate.cases)
        above += which.moment.granularity > 1;
      for (const WindowGrid &grid : bound.certificate.grids)
        for (int64_t granularity : grid.granularities)
          above += granularity > 1;
    }
  }
  EXPECT_GT(above, 10);
}

/// Any prices and multipliers at all give a valid bound, if a bad one.
TEST(Bounds, ArbitraryPricesAreValid) {
  std::mt19937 random(5);
  auto price = [&] { return static_cast<double>(random() % 100) / 10; };
  int windows = 0, notTrivial = 0;
  for (int round = 0; round < 600; ++round) {
    Problem problem = round % 4 ? randomProblem(random, 9)
                                : trainingStep(3, 2, unsigned(round));
    if (problem.numValues() == 0)
      continue;
    Options exact;
    exact.solver = "exact";
    exact.budget = storeAllPeak(problem) * 2 / 3;
    Result best = solve(problem, exact);
    if (best.stop != StopReason::Optimal)
      continue;
    auto someOp = [&] {
      return static_cast<OpId>(random() % problem.numOps());
    };
    Certificate certificate;
    BoundCase &which = certificate.cases.emplace_back();
    which.moment = {someOp(), price(), static_cast<int64_t>(random() % 6)};
    std::string error;
    EXPECT_LE(evaluateCertificate(problem, exact.budget, Order::Free,
                                  certificate, error),
              best.time);
    EXPECT_EQ(error, "");
    // The prices that were found, disturbed.
    BoundOptions options;
    options.plan = &best.plan;
    TimeBound bound = boundTime(problem, exact.budget, options);
    for (BoundCase &found : bound.certificate.cases) {
      found.moment.bytePrice *= 1 + price();
      for (double &multiplier : found.multipliers)
        multiplier *= random() % 8 ? 0.9 + price() / 50 : price();
      windows += found.grid >= 0;
    }
    int64_t proven = evaluateCertificate(problem, exact.budget, Order::Free,
                                         bound.certificate, error);
    EXPECT_LE(proven, best.time);
    EXPECT_EQ(error, "");
    notTrivial += proven > problem.totalTime();
  }
  EXPECT_GT(windows, 10);
  EXPECT_GT(notTrivial, 10);
}

/// Memory that binds at several moments: windows prove more than one moment,
/// often the optimum, never too much, and their certificates evaluate to the
/// same.
TEST(Bounds, WindowsBetweenMoments) {
  int better = 0, optimal = 0;
  for (unsigned seed = 0; seed < 8; ++seed) {
    Problem problem = trainingStep(4, 2, seed);
    for (int percent : {50, 60, 70, 80}) {
      int64_t budget = storeAllPeak(problem) * percent / 100;
      Options exact;
      exact.solver = "exact";
      exact.budget = budget;
      exact.effort = 30000;
      Result best = solve(problem, exact);
      if (best.stop != StopReason::Optimal)
        continue;
      BoundOptions options;
      TimeBound one = boundTime(problem, budget, options);
      options.plan = &best.plan;
      TimeBound several = boundTime(problem, budget, options);
      EXPECT_GE(several.time, one.time);
      EXPECT_LE(several.time, best.time) << seed << " at " << percent;
      better += several.time > one.time;
      optimal += several.time > one.time && several.time == best.time;
      std::string error;
      EXPECT_EQ(evaluateCertificate(problem, budget, Order::Free,
                                    several.certificate, error),
                several.time)
          << error;
    }
  }
  EXPECT_GT(better, 5);
  EXPECT_GT(optimal, 5);
}

/// A chain and its backward pass, with a sink at each step: late in it, of many
/// sinks it is not known whether they ran. Where memory is full, its moment is
/// a candidate all the same.
TEST(ScarceMoments, FullOnesWithManySinks) {
  constexpr int steps = 20;
  Problem problem;
  std::vector<ValueId> x;
  auto add = [&](std::vector<ValueId> inputs, int64_t workspace = 0) {
    problem.addOp(1, std::move(inputs), workspace);
    return problem.addResult(10);
  };
  for (int i = 0; i < steps; ++i)
    x.push_back(
        add(i == 0 ? std::vector<ValueId>{} : std::vector<ValueId>{x.back()}));
  ValueId gradient = add({x.back()});
  const OpId turn = problem.numOps() - 1;
  for (int i = steps - 1; i >= 0; --i) {
    add({x[i], gradient});
    gradient = add({x[i], gradient}, i == 0 ? 250 : 0);
  }
  const OpId last = problem.numOps() - 1;
  std::vector<OpId> runs(problem.numOps());
  std::iota(runs.begin(), runs.end(), 0);
  const Plan plan = planFromRuns(problem, runs);
  const int64_t peak = simulate(problem, plan).peak;
  Graph g = Graph::build(problem);
  MomentModel model(g, Order::Free);
  for (int64_t budget : {peak, peak * 4 / 3}) {
    const std::vector<OpId> moments =
        scarceMoments(problem, g, model, budget, plan, turn);
    EXPECT_FALSE(moments.empty());
    EXPECT_EQ(std::count(moments.begin(), moments.end(), last),
              budget == peak ? 1 : 0);
  }
}
