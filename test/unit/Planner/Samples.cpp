//===- Samples.cpp - What property tests draw and expect ------------------===//
#include "Samples.h"
#include "ckpt/Planner/TextFormat.h"

#include "gtest/gtest.h"

namespace ckpt::planner::test {

Options optionsFor(const std::string &solver, int64_t budget, Order order) {
  Options options;
  options.solver = solver;
  options.budget = budget;
  options.order = order;
  options.effort = solver == "auto" ? 60 : -1;
  return options;
}

void expectHonest(const Problem &problem, const Result &result,
                  const Options &options) {
  ASSERT_TRUE(result.solved());
  Simulation simulation = simulate(problem, result.plan, options.budget);
  EXPECT_TRUE(simulation.valid) << simulation.error;
  EXPECT_EQ(simulation.peak, result.peak);
  EXPECT_EQ(simulation.time, result.time);
  EXPECT_EQ(simulation.recomputations, result.recomputations);
  EXPECT_LE(result.bound.time, result.time);
  EXPECT_GE(result.peak, result.floor.bytes);
  EXPECT_FALSE(result.bound.infeasible);
}

int64_t someBudget(std::mt19937 &random, const Problem &problem) {
  int64_t peak = storeAllPeak(problem);
  int64_t low = random() % 10 == 0 ? 0 : peakFloor(problem).bytes;
  low = std::min(low, peak);
  auto above = [&] {
    return static_cast<int64_t>(random() %
                                static_cast<unsigned>(peak - low + 1));
  };
  int64_t first = above(), second = above();
  return low + (random() % 2 ? first : std::min(first, second));
}

std::string Sample::text() const {
  return printProblem(problem) + "budget " + std::to_string(budget) +
         (order == Order::Program ? " program order" : "");
}

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

} // namespace ckpt::planner::test
