//===- BoundsTest.cpp - Floors, bounds and their certificates -------------===//
#include "RandomProblems.h"

#include "gtest/gtest.h"

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
  ASSERT_FALSE(forged.cases[0].moments.empty());
  forged.cases[0].moments[0].op = problem.numOps();
  EXPECT_EQ(evaluateCertificate(problem, budget, Order::Free, forged, error),
            -1);
  EXPECT_EQ(error, "the certificate names an op that does not exist");
  forged.cases[0].moments[0].op = 1;
  forged.cases[0].moments[0].bytePrice = -1;
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
        for (const PricedMoment &moment : which.moments)
          above += moment.granularity > 0;
    }
  }
  EXPECT_GT(above, 10);
}

/// Any prices at all give a valid bound, if a bad one.
TEST(Bounds, ArbitraryPricesAreValid) {
  std::mt19937 random(5);
  for (int round = 0; round < 1000; ++round) {
    Problem problem = randomProblem(random, 9);
    if (problem.numValues() == 0)
      continue;
    int64_t peak = storeAllPeak(problem);
    Options exact;
    exact.solver = "exact";
    exact.budget = peak * 2 / 3;
    Result best = solve(problem, exact);
    if (!best.solved())
      continue;
    Certificate certificate;
    certificate.cases.emplace_back();
    PricedMoment first, second;
    first.op = static_cast<OpId>(random() % problem.numOps());
    first.bytePrice = static_cast<double>(random() % 100) / 10;
    first.granularity = random() % 6;
    certificate.cases[0].moments.push_back(first);
    second.op = static_cast<OpId>(random() % problem.numOps());
    second.bytePrice = static_cast<double>(random() % 100) / 10;
    for (ValueId v = 0; v < problem.numValues(); ++v)
      second.linkPrices.push_back(static_cast<double>(random() % 100) / 10);
    Certificate two = certificate;
    two.cases[0].moments.push_back(second);
    std::string error;
    EXPECT_LE(evaluateCertificate(problem, exact.budget, Order::Free,
                                  certificate, error),
              best.time);
    int64_t bound =
        evaluateCertificate(problem, exact.budget, Order::Free, two, error);
    if (error.empty()) {
      EXPECT_LE(bound, best.time);
    } else {
      EXPECT_EQ(error,
                "the moments of the certificate are not in order of time");
    }
  }
}
