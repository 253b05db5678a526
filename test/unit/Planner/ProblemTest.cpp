//===- ProblemTest.cpp - What check() finds -------------------------------===//
#include "ckpt/Planner/Problem.h"

#include "gtest/gtest.h"

using namespace ckpt::planner;

static Problem two() {
  Problem problem;
  problem.addOp(1, {});
  problem.addResult(10);
  problem.addOp(2, {0}, 3);
  problem.addResult(5);
  return problem;
}

TEST(Problem, Fine) {
  Problem problem = two();
  EXPECT_EQ(problem.check(), "");
  EXPECT_EQ(problem.totalTime(), 3);
  EXPECT_EQ(Problem().check(), "");
}

TEST(Problem, NegativeNumbers) {
  Problem problem = two();
  problem.ops[1].time = -1;
  EXPECT_EQ(problem.check(), "op 1 has a negative time");
  problem = two();
  problem.ops[0].workspace = -1;
  EXPECT_EQ(problem.check(), "op 0 has a negative workspace");
  problem = two();
  problem.values[1].bytes = -5;
  EXPECT_EQ(problem.check(), "result 0 of op 1 has a negative size");
  problem = two();
  problem.fixedBytes = -1;
  EXPECT_EQ(problem.check(), "the fixed bytes are negative");
}

TEST(Problem, DanglingAndForward) {
  Problem problem = two();
  problem.ops[1].inputs = {7};
  EXPECT_EQ(problem.check(), "op 1 reads value 7, which does not exist");
  problem = two();
  problem.ops[0].inputs = {1};
  problem.opNames = {"a", "b"};
  EXPECT_EQ(problem.check(), "op 0 'a' reads a result of op 1 'b', which does "
                             "not come before it");
  problem = two();
  problem.ops[1].after = {1};
  EXPECT_EQ(problem.check(), "op 1 must come after op 1, which is not before "
                             "it");
}

TEST(Problem, Sums) {
  Problem problem = two();
  problem.values[0].bytes = int64_t(1) << 62;
  EXPECT_EQ(problem.check(), "");
  problem.values[1].bytes = int64_t(1) << 62;
  EXPECT_EQ(problem.check(), "the sizes add up to more than 2^63-1 bytes");
  problem = two();
  problem.ops[0].time = problem.ops[1].time = int64_t(1) << 62;
  EXPECT_EQ(problem.check(), "the times add up to more than 2^63-1");
}

TEST(Problem, ViewsAndInPlace) {
  Problem problem = two();
  problem.values[1].aliasOf = 0;
  EXPECT_EQ(problem.check(),
            "result 0 of op 1 is a view and has bytes of its own");
  problem.values[1].bytes = 0;
  EXPECT_EQ(problem.check(), "");
  problem.values[1].aliasOf = 1;
  EXPECT_EQ(problem.check(), "result 0 of op 1 is a view of a value that does "
                             "not come before it");
  problem = two();
  problem.values[1].inPlaceOf = 0;
  EXPECT_EQ(problem.check(), "");
  problem.values[1].bytes = 11;
  EXPECT_EQ(problem.check(),
            "result 0 of op 1 is larger than the buffer that it takes over");
  problem.values[1].bytes = 1;
  problem.values[0].output = true;
  EXPECT_EQ(problem.check(),
            "result 0 of op 1 is in place of a value that must stay");
  problem.values[0].output = false;
  problem.ops[1].inputs.clear();
  EXPECT_EQ(problem.check(), "result 0 of op 1 is in place of a value that its "
                             "op does not read");
}
