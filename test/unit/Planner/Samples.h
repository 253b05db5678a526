//===- Samples.h - What property tests draw and expect ----------*- C++ -*-===//
#ifndef CKPT_TEST_UNIT_PLANNER_SAMPLES_H
#define CKPT_TEST_UNIT_PLANNER_SAMPLES_H

#include "RandomProblems.h"

#include <string>

namespace ckpt::planner::test {

/// Options of a test: little effort for solver auto.
Options optionsFor(const std::string &solver, int64_t budget,
                   Order order = Order::Free);

/// Replays the result's plan and compares what it claims.
void expectHonest(const Problem &problem, const Result &result,
                  const Options &options);

/// A budget up to storing everything, often little above the floor, now and
/// then below it.
int64_t someBudget(std::mt19937 &random, const Problem &problem);

struct Sample {
  Problem problem;
  int64_t budget;
  Order order;
  /// The problem as a graph file, with the rest.
  std::string text() const;
};

/// A random problem (which features it has depends on the last bits of the
/// seed), a budget and an order.
Sample sample(unsigned seed, int maxOps);

} // namespace ckpt::planner::test

#endif // CKPT_TEST_UNIT_PLANNER_SAMPLES_H
