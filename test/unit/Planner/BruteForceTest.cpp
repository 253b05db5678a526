//===- BruteForceTest.cpp - Everything against all schedules --------------===//
//
// Problems of up to nine ops with every feature: brute force is the truth about
// feasibility, time and peak; solvers, bounds, certificates and verdicts must
// agree with it. In shards, so that they run beside each other.
//
//===----------------------------------------------------------------------===//
#include "Samples.h"
#include "ckpt/Planner/TextFormat.h"

#include "gtest/gtest.h"

using namespace ckpt::planner;
using namespace ckpt::planner::test;

namespace {
constexpr unsigned kShards = 8, kSamples = 1000;
constexpr int kMaxOps = 9;

/// Of the optimum of each budget and order, when there is one.
class BruteForce : public testing::TestWithParam<unsigned> {
protected:
  /// Calls `check` with each sample of the shard and its true optimum.
  template <typename Fn>
  void forEachSample(unsigned firstSeed, Fn check) {
    for (unsigned i = 0; i < kSamples; ++i) {
      unsigned seed = firstSeed + GetParam() * kSamples + i;
      Sample s = sample(seed, kMaxOps);
      SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + s.text());
      Result truth = optimum(s.problem, s.budget, s.order);
      if (truth.status == Status::Unsupported)
        continue;
      ASSERT_NE(truth.stop, StopReason::Effort);
      check(seed, s, truth);
      if (HasFailure())
        return;
    }
  }

  static Result optimum(const Problem &problem, int64_t budget, Order order) {
    return solve(problem, optionsFor("brute-force", budget, order));
  }
};
} // namespace

/// Every solver's plan passes the Simulator and is never below the optimum;
/// exact and auto find a plan exactly where brute force does, and the best.
TEST_P(BruteForce, Solvers) {
  int solved = 0, impossible = 0, dearer = 0, others = 0;
  forEachSample(0, [&](unsigned, const Sample &s, const Result &truth) {
    solved += truth.solved();
    impossible += !truth.solved();
    dearer += truth.solved() && truth.time > s.problem.totalTime();
    if (truth.solved())
      expectHonest(s.problem, truth,
                   optionsFor("brute-force", s.budget, s.order));
    for (const std::string &name : solverNames()) {
      SCOPED_TRACE(name);
      Options options = optionsFor(name, s.budget, s.order);
      Result result = solve(s.problem, options);
      bool complete = name == "exact" || name == "auto";
      if (complete) {
        ASSERT_EQ(result.solved(), truth.solved()) << result.message;
        ASSERT_EQ(result.status, truth.status);
      }
      if (!result.solved()) {
        EXPECT_NE(result.message, "");
        continue;
      }
      others += !complete;
      expectHonest(s.problem, result, options);
      ASSERT_TRUE(truth.solved());
      EXPECT_LE(result.bound.time, truth.time);
      EXPECT_GE(result.time, truth.time);
      if (complete) {
        EXPECT_EQ(result.time, truth.time);
        EXPECT_EQ(result.bound.time, truth.time);
      }
    }
  });
  // The samples are no trivialities.
  EXPECT_GT(solved, 700);
  EXPECT_GT(impossible, 60);
  EXPECT_GT(dearer, 100);
  EXPECT_GT(others, 2000);
}

/// The bound from minimum cuts is never above the optimum, speaks of
/// infeasibility only where there is no plan, and its certificate proves the
/// same again, as text as well.
TEST_P(BruteForce, Bounds) {
  int above = 0, met = 0, windows = 0;
  forEachSample(100'000, [&](unsigned, const Sample &s, const Result &truth) {
    BoundOptions options;
    options.order = s.order;
    // Several moments are looked at where there is a plan to show them.
    if (truth.solved())
      options.plan = &truth.plan;
    TimeBound bound = boundTime(s.problem, s.budget, options);
    windows += !bound.certificate.grids.empty();
    if (bound.infeasible) {
      EXPECT_FALSE(truth.solved());
    } else if (truth.solved()) {
      EXPECT_LE(bound.time, truth.time);
      above += bound.time > s.problem.totalTime();
      met += bound.time > s.problem.totalTime() && bound.time == truth.time;
    }
    std::string error;
    std::optional<BoundClaim> again = parseCertificate(
        s.problem, printCertificate(s.problem, {bound, s.budget}), error);
    ASSERT_TRUE(again) << error;
    for (const Certificate *certificate :
         {&bound.certificate, &again->bound.certificate}) {
      int64_t proven = evaluateCertificate(s.problem, s.budget, s.order,
                                           *certificate, error);
      EXPECT_EQ(error, "");
      EXPECT_EQ(proven, bound.infeasible ? INT64_MAX : bound.time);
    }
  });
  EXPECT_GT(above, 70);
  EXPECT_GT(met, 30);
  EXPECT_GT(windows, 10);
}

/// The smallest budget at which there is a plan is the peak of that plan, to
/// the byte: brute force and the Simulator count alike. With more memory the
/// best plan is never dearer, call by call, and exact and auto follow.
TEST_P(BruteForce, SmallestPeakAndMonotone) {
  forEachSample(200'000, [&](unsigned seed, const Sample &s, const Result &) {
    if (seed % 5 != 0)
      return;
    int64_t low = 0, high = storeAllPeak(s.problem);
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      if (optimum(s.problem, middle, s.order).solved())
        high = middle;
      else
        low = middle + 1;
    }
    Result least = optimum(s.problem, high, s.order);
    ASSERT_TRUE(least.solved());
    EXPECT_EQ(least.peak, high);
    EXPECT_EQ(simulate(s.problem, least.plan).peak, high);
    int64_t last = INT64_MAX;
    const int64_t most = storeAllPeak(s.problem);
    for (int64_t step = 0; step <= 4; ++step) {
      int64_t budget = high + (most - high) * step / 4;
      Result truth = optimum(s.problem, budget, s.order);
      ASSERT_TRUE(truth.solved());
      EXPECT_LE(truth.time, last);
      last = truth.time;
      for (const char *name : {"exact", "auto"}) {
        Result result = solve(s.problem, optionsFor(name, budget, s.order));
        ASSERT_TRUE(result.solved()) << name;
        EXPECT_EQ(result.time, last) << name << " at " << budget;
      }
    }
  });
}

/// Whatever is done to a plan or to a certificate: what verify() lets through
/// is true.
TEST_P(BruteForce, TamperedPlansAndCertificates) {
  int rejected = 0, accepted = 0;
  forEachSample(
      300'000, [&](unsigned seed, const Sample &s, const Result &truth) {
        if (!truth.solved())
          return;
        std::mt19937 random(seed);
        BoundOptions options;
        options.order = s.order;
        Result claimed = truth;
        claimed.bound = boundTime(s.problem, s.budget, options);
        const std::string plan = printPlan(s.problem, claimed, s.budget);
        const std::string certificate =
            printCertificate(s.problem, {claimed.bound, s.budget});
        for (int round = 0; round < 8; ++round) {
          std::string planText = plan, certificateText = certificate;
          if (round > 0)
            tamper(round % 2 ? planText : certificateText, random);
          std::string error, other;
          auto written = parsePlan(s.problem, planText, error);
          auto claim = parseCertificate(s.problem, certificateText, other);
          if (!written || !claim) {
            EXPECT_NE(error + other, "");
            EXPECT_GT(round, 0);
            continue;
          }
          VerifyOptions how;
          how.budget = s.budget;
          how.order = s.order;
          how.searchStates = 100'000;
          Verdict verdict =
              verify(s.problem, written->plan, written->claims, &*claim, how);
          EXPECT_EQ(verdict.valid, verdict.error.empty());
          EXPECT_TRUE(round > 0 || verdict.valid) << verdict.error;
          (verdict.valid ? accepted : rejected) += round > 0;
          if (!verdict.valid)
            continue;
          EXPECT_TRUE(simulate(s.problem, written->plan, s.budget).valid);
          EXPECT_GE(verdict.simulation.time, truth.time);
          if (verdict.boundOrder == s.order || s.order == Order::Program) {
            EXPECT_LE(verdict.bound, truth.time);
          }
          EXPECT_EQ(verdict.unproven, -1);
        }
      });
  EXPECT_GT(rejected, 1000);
  EXPECT_GT(accepted, 300);
}

INSTANTIATE_TEST_SUITE_P(Shard, BruteForce, testing::Range(0u, kShards));
