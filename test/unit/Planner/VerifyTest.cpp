//===- VerifyTest.cpp - What is let through, and what is not --------------===//
#include "ckpt/Planner/Verify.h"
#include "RandomProblems.h"

#include "gtest/gtest.h"

using namespace ckpt::planner;
using namespace ckpt::planner::test;

namespace {
/// A training step at half of its memory, solved, with a bound from prices.
struct Solved {
  Problem problem = trainingStep(6, 2, 1);
  VerifyOptions options;
  Result result;
  BoundClaim claim;
  PlanClaims claims;

  Solved() {
    options.budget = storeAllPeak(problem) * 6 / 10;
    Options how;
    how.budget = options.budget;
    how.effort = 1000;
    result = solve(problem, how);
    claim.budget = options.budget;
    claim.bound = boundTime(problem, options.budget, {});
    claims.peak = result.peak;
    claims.time = result.time;
    claims.recomputations = result.recomputations;
    claims.budget = options.budget;
    claims.bound = claim.bound.time;
  }

  Verdict verdict() const {
    return verify(problem, result.plan, claims, &claim, options);
  }
  std::string error() const {
    Verdict found = verdict();
    EXPECT_EQ(found.valid, found.error.empty());
    return found.error;
  }
};
} // namespace

TEST(Verify, AcceptsWhatIsTrue) {
  Solved s;
  ASSERT_TRUE(s.result.solved());
  ASSERT_GT(s.claim.bound.time, s.problem.totalTime());
  Verdict verdict = s.verdict();
  EXPECT_TRUE(verdict.valid) << verdict.error;
  EXPECT_EQ(verdict.simulation.peak, s.result.peak);
  EXPECT_EQ(verdict.bound, s.claim.bound.time);
  EXPECT_EQ(verdict.proof, Proof::Prices);
  EXPECT_EQ(verdict.unproven, -1);
  EXPECT_EQ(verdict.searched, 0);
  EXPECT_GE(verdict.gap(s.problem), 0);
  // Nothing claimed is nothing to refute.
  verdict = verify(s.problem, s.result.plan, {}, nullptr, s.options);
  EXPECT_TRUE(verdict.valid);
  EXPECT_EQ(verdict.bound, s.problem.totalTime());
  EXPECT_EQ(verdict.proof, Proof::Runs);
}

TEST(Verify, Numbers) {
  Solved s;
  ++*s.claims.peak;
  EXPECT_EQ(s.error(), "the plan claims the peak " +
                           std::to_string(*s.claims.peak) + "; it is " +
                           std::to_string(s.result.peak));
  s = Solved();
  --*s.claims.time;
  EXPECT_NE(s.error().find("claims the time"), std::string::npos);
  s = Solved();
  ++*s.claims.recomputations;
  EXPECT_NE(s.error().find("the number of recomputations"), std::string::npos);
  s = Solved();
  s.claims.budget = s.result.peak - 1;
  EXPECT_NE(s.error().find("claims a budget of"), std::string::npos);
  s = Solved();
  s.options.budget = s.result.peak - 1;
  EXPECT_NE(s.error().find("more than the budget"), std::string::npos);
}

TEST(Verify, Plans) {
  Solved s;
  s.result.plan.events.pop_back();
  s.result.plan.events.erase(s.result.plan.events.begin());
  EXPECT_NE(s.error().find("the plan is invalid: event "), std::string::npos);
  s = Solved();
  s.options.order = Order::Program;
  std::vector<OpId> runs = s.result.plan.runs();
  if (runs[0] < runs[1])
    std::swap(runs[0], runs[1]);
  s.result.plan = planFromRuns(s.problem, runs);
  s.options.budget = storeAllPeak(s.problem);
  EXPECT_EQ(s.error(), "the plan is invalid: its first runs do not follow the "
                       "program order");
}

TEST(Verify, Certificates) {
  Solved s;
  int64_t proven = s.claim.bound.time;
  ++s.claim.bound.time;
  EXPECT_EQ(s.error(), "the certificate claims a bound of " +
                           std::to_string(proven + 1) + " and proves " +
                           std::to_string(proven));
  s = Solved();
  *s.claims.bound = s.result.time;
  if (s.result.time > proven) {
    EXPECT_EQ(s.error(), "the claimed bound of " +
                             std::to_string(s.result.time) +
                             " is not what the certificate proves");
  }
  s = Solved();
  s.claim.bound.certificate.cases.clear();
  EXPECT_EQ(s.error(), "the certificate claims a bound of " +
                           std::to_string(proven) + " and has no cases");
  s = Solved();
  s.claim.bound.certificate.cases[0].moment.bytePrice = -1;
  EXPECT_EQ(s.error(),
            "the certificate is invalid: a price is negative or not finite");
  s = Solved();
  s.claim.bound.infeasible = true;
  EXPECT_EQ(s.error(), "the certificate claims that no plan exists");
  // A certificate for less memory says nothing for more.
  s = Solved();
  s.options.budget = storeAllPeak(s.problem);
  s.claims.budget = s.options.budget;
  EXPECT_NE(s.error().find("is not what the certificate proves"),
            std::string::npos);
  s.claims.bound.reset();
  EXPECT_EQ(s.error(), "");
  EXPECT_EQ(s.verdict().bound, s.problem.totalTime());
}

/// A bound without a certificate is searched for again, or not proven.
TEST(Verify, BoundsBySearch) {
  Problem problem =
      chain(std::vector<int64_t>(6, 10), std::vector<int64_t>(7, 10));
  Options exact;
  exact.solver = "exact";
  exact.budget = storeAllPeak(problem) * 7 / 10;
  Result best = solve(problem, exact);
  ASSERT_EQ(best.stop, StopReason::Optimal);
  ASSERT_GT(best.time, problem.totalTime());
  VerifyOptions options;
  options.budget = exact.budget;
  PlanClaims claims;
  claims.bound = best.time;
  Verdict verdict = verify(problem, best.plan, claims, nullptr, options);
  EXPECT_TRUE(verdict.valid);
  EXPECT_EQ(verdict.unproven, best.time);
  EXPECT_EQ(verdict.bound, problem.totalTime());
  EXPECT_FALSE(verdict.optimal());

  options.searchStates = 100'000;
  verdict = verify(problem, best.plan, claims, nullptr, options);
  EXPECT_TRUE(verdict.valid);
  EXPECT_EQ(verdict.unproven, -1);
  EXPECT_EQ(verdict.bound, best.time);
  EXPECT_EQ(verdict.proof, Proof::Search);
  EXPECT_TRUE(verdict.optimal());

  BoundClaim claim;
  claim.bound.time = best.time;
  claim.bound.bySearch = true;
  claim.budget = options.budget;
  verdict = verify(problem, best.plan, {}, &claim, options);
  EXPECT_TRUE(verdict.optimal());

  // One state proves little, but says so.
  options.searchStates = 1;
  verdict = verify(problem, best.plan, {}, &claim, options);
  EXPECT_TRUE(verdict.valid);
  EXPECT_EQ(verdict.unproven, best.time);

  // A dear plan, and a bound as high: the search finds a cheaper one.
  options.searchStates = 100'000;
  Options all = exact;
  all.solver = "all";
  all.budget = storeAllPeak(problem);
  Result other = solve(problem, all);
  ASSERT_TRUE(other.solved());
  ASSERT_GT(other.time, best.time);
  options.budget = other.peak;
  claims.bound = other.time;
  verdict = verify(problem, other.plan, claims, nullptr, options);
  EXPECT_FALSE(verdict.valid);
  EXPECT_NE(verdict.error.find("is refuted by a plan that takes"),
            std::string::npos);
  ++*claims.bound;
  verdict = verify(problem, other.plan, claims, nullptr, options);
  EXPECT_NE(verdict.error.find("is above the time of the plan"),
            std::string::npos);
}
