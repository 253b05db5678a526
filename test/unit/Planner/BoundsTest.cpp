//===- BoundsTest.cpp - Floors, bounds and their certificates -------------===//
#include "RandomProblems.h"

#include "gtest/gtest.h"

#include <algorithm>

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
  EXPECT_EQ(evaluateCertificate(problem, budget, Order::Free, forged, error),
            -1);
  EXPECT_EQ(error, "the certificate names an op that does not exist");
  forged.cases[0].moment.op = 1;
  forged.cases[0].moment.bytePrice = -1;
  EXPECT_EQ(evaluateCertificate(problem, budget, Order::Free, forged, error),
            -1);
  EXPECT_EQ(error, "a price is negative or not finite");
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
        above += which.moment.granularity > 0;
    }
  }
  EXPECT_GT(above, 10);
}

/// A random grid of moments and windows; may be out of order.
static WindowGrid randomGrid(const Problem &problem, std::mt19937 &random) {
  WindowGrid grid;
  const int32_t count = 1 + static_cast<int32_t>(random() % 3);
  for (int32_t i = 0; i < count; ++i)
    grid.moments.push_back(static_cast<OpId>(random() % problem.numOps()));
  std::sort(grid.moments.begin(), grid.moments.end());
  for (int32_t first = 0; first < count; ++first)
    for (int32_t last = first + 1; last <= count; ++last)
      if (random() % 4 != 0)
        grid.windows.push_back({first, last});
  grid.granularities = {0, static_cast<int64_t>(random() % 6)};
  return grid;
}

/// Any prices and multipliers at all give a valid bound, if a bad one.
TEST(Bounds, ArbitraryPricesAreValid) {
  std::mt19937 random(5);
  auto price = [&] { return static_cast<double>(random() % 100) / 10; };
  int grids = 0, notTrivial = 0;
  for (int round = 0; round < 1500; ++round) {
    Problem problem = randomProblem(random, 9);
    if (problem.numValues() == 0)
      continue;
    Order order = round % 2 ? Order::Free : Order::Program;
    Options exact;
    exact.solver = "exact";
    exact.order = order;
    exact.budget = storeAllPeak(problem) * 2 / 3;
    Result best = solve(problem, exact);
    if (!best.solved())
      continue;
    Certificate certificate;
    certificate.cases.emplace_back();
    BoundCase &which = certificate.cases[0];
    which.moment.op = static_cast<OpId>(random() % problem.numOps());
    which.moment.bytePrice = price();
    which.moment.granularity = random() % 6;
    std::string error;
    EXPECT_LE(evaluateCertificate(problem, exact.budget, order, certificate,
                                  error),
              best.time);
    EXPECT_EQ(error, "");

    certificate.grids.push_back(randomGrid(problem, random));
    which.grid = 0;
    for (int attempt = 0; attempt < 4; ++attempt) {
      // The number of rows is known to the library only.
      int64_t bound = -1;
      for (size_t rows = 0; rows < 400 && bound < 0; ++rows) {
        which.multipliers.resize(rows);
        for (double &multiplier : which.multipliers)
          multiplier = random() % 3 == 0 ? price() : 0;
        bound = evaluateCertificate(problem, exact.budget, order, certificate,
                                    error);
        if (error != "the multipliers are not one per row of the windows")
          break;
      }
      if (bound < 0) {
        EXPECT_EQ(error,
                  "the moments of the certificate are not in order of time");
        break;
      }
      ++grids;
      notTrivial += bound > problem.totalTime();
      EXPECT_LE(bound, best.time);
    }
  }
  EXPECT_GT(grids, 500);
  EXPECT_GT(notTrivial, 20);
}

/// Memory that binds at several moments: windows prove more than one moment,
/// never too much, and their certificates evaluate to the same.
TEST(Bounds, WindowsBetweenMoments) {
  int better = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    Problem problem = trainingStep(5, 2, seed);
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
      std::string error;
      EXPECT_EQ(evaluateCertificate(problem, budget, Order::Free,
                                    several.certificate, error),
                several.time)
          << error;
    }
  }
  EXPECT_GT(better, 5);
}
