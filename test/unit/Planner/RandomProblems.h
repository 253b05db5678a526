//===- RandomProblems.h - Problems for property tests -----------*- C++ -*-===//
#ifndef CKPT_TEST_UNIT_PLANNER_RANDOMPROBLEMS_H
#define CKPT_TEST_UNIT_PLANNER_RANDOMPROBLEMS_H

#include "ckpt/Planner/Solvers.h"

#include <random>
#include <string>

namespace ckpt::planner::test {

/// Which features of problems may occur.
struct Features {
  bool severalResults = true;
  bool views = true;
  bool inPlace = true;
  bool effects = true;
};

/// A problem of up to `maxOps` ops that passes check().
Problem randomProblem(std::mt19937 &random, int maxOps,
                      const Features &features = {});

/// A layered forward pass and its backward pass: `width` values per layer.
Problem trainingStep(int layers, int width, unsigned seed);

/// x0, F1 ... FL, loss, BL ... B1 with the given times and sizes.
Problem chain(const std::vector<int64_t> &times,
              const std::vector<int64_t> &bytes);

/// Changes a number, or drops, repeats or swaps parts of a list.
void tamper(std::string &text, std::mt19937 &random);

} // namespace ckpt::planner::test

#endif // CKPT_TEST_UNIT_PLANNER_RANDOMPROBLEMS_H
