//===- ContainersTest.cpp - Containers and trees of the planner -----------===//
#include "Bounds/SlicedMatrix.h"
#include "Search/InlineVector.h"
#include "Search/StagePeaks.h"

#include "gtest/gtest.h"

#include <random>
#include <vector>

using namespace ckpt::planner;

namespace {

TEST(InlineVector, BehavesLikeAVector) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    InlineVector<int32_t> tested;
    std::vector<int32_t> expected;
    // Mostly inserts at the front, at the back or anywhere.
    const int kind = trial % 3;
    for (int step = 0; step < 200; ++step) {
      const size_t size = expected.size();
      const int item = static_cast<int>(random() % 1000);
      if (size > 0 && random() % 4 == 0) {
        size_t at = random() % size;
        tested.erase(tested.begin() + at);
        expected.erase(expected.begin() + at);
      } else if (random() % 8 == 0) {
        tested.push_back(item);
        expected.push_back(item);
      } else {
        size_t at = kind == 0 ? 0 : kind == 1 ? size : random() % (size + 1);
        tested.insert(tested.begin() + at, item);
        expected.insert(expected.begin() + at, item);
      }
      ASSERT_EQ(std::vector<int32_t>(tested.begin(), tested.end()), expected);
      if (step % 50 == 0) {
        InlineVector<int32_t> copy(tested), moved(std::move(copy));
        tested = moved;
        copy = std::move(moved);
        ASSERT_EQ(std::vector<int32_t>(copy.begin(), copy.end()), expected);
      }
    }
  }
}

/// Rows of all lengths, none and many, in any order.
TEST(SlicedMatrix, MultipliesLikeRows) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 60; ++trial) {
    const int numRows = trial % 20, numColumns = 1 + trial % 7;
    std::vector<int32_t> starts = {0}, columns;
    std::vector<double> coefficients, x, expected(numRows, 0);
    for (int c = 0; c < numColumns; ++c)
      x.push_back(static_cast<double>(random() % 100) / 8);
    for (int r = 0; r < numRows; ++r) {
      for (int k = static_cast<int>(random() % 5); k > 0; --k) {
        columns.push_back(static_cast<int32_t>(random() % numColumns));
        coefficients.push_back(static_cast<double>(random() % 9) - 4);
        expected[r] += coefficients.back() * x[columns.back()];
      }
      starts.push_back(static_cast<int32_t>(columns.size()));
    }
    std::vector<double> y(numRows, 77);
    SlicedMatrix(starts, columns, coefficients).multiply(x, y);
    EXPECT_EQ(y, expected);
  }
}

TEST(StagePeaks, AgreesWithAnArray) {
  std::mt19937 random(2);
  for (int stages : {1, 2, 3, 7, 8, 33}) {
    StagePeaks tested(stages);
    std::vector<int64_t> expected(stages, 0);
    for (int64_t &bytes : expected)
      bytes = random() % 100;
    tested.assign(expected);
    for (int step = 0; step < 300; ++step) {
      int from = static_cast<int>(random() % stages);
      int to = static_cast<int>(random() % stages);
      int64_t bytes = static_cast<int64_t>(random() % 41) - 20;
      tested.add(from, to, bytes);
      for (int i = from; i <= to; ++i)
        expected[i] += bytes;
      auto most = std::max_element(expected.begin(), expected.end());
      ASSERT_EQ(tested.max(), *most);
      ASSERT_EQ(tested.argMax(), most - expected.begin());
      ASSERT_EQ(tested.at(from), expected[from]);
      if (from <= to)
        ASSERT_EQ(tested.max(from, to),
                  *std::max_element(expected.begin() + from,
                                    expected.begin() + to + 1));
      int64_t level = static_cast<int64_t>(random() % 150);
      int above = from;
      while (above < stages && expected[above] <= level)
        ++above;
      ASSERT_EQ(tested.firstAbove(level, from), above == stages ? -1 : above);
    }
  }
}

} // namespace
