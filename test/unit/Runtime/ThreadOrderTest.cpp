//===- ThreadOrderTest.cpp - Seeded orders --------------------------------===//

#include "Emulated/ThreadOrder.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace ckpt::emulated;

/// The numbers of a stride, in order.
static std::vector<uint64_t> numbers(const Stride &stride) {
  std::vector<uint64_t> result;
  uint64_t number = stride.first;
  for (uint64_t i = 0; i < stride.count; ++i) {
    result.push_back(number);
    number = stride.next(number);
  }
  return result;
}

TEST(ThreadOrder, SeedZeroIsAscending) {
  ThreadOrder order(0);
  std::vector<uint32_t> drawn;
  order.draw(drawn, 5);
  EXPECT_EQ(drawn, (std::vector<uint32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(numbers(order.drawStride(5)),
            (std::vector<uint64_t>{0, 1, 2, 3, 4}));
}

TEST(ThreadOrder, EveryNumberOnce) {
  for (uint64_t seed = 1; seed < 50; ++seed) {
    ThreadOrder order(seed);
    for (uint32_t count = 1; count < 40; ++count) {
      std::vector<uint32_t> drawn;
      order.draw(drawn, count);
      std::sort(drawn.begin(), drawn.end());
      std::vector<uint64_t> strided = numbers(order.drawStride(count));
      std::sort(strided.begin(), strided.end());
      for (uint32_t i = 0; i < count; ++i) {
        EXPECT_EQ(drawn[i], i);
        EXPECT_EQ(strided[i], i);
      }
    }
  }
}

TEST(ThreadOrder, StrideOfTheLargestGrid) {
  ThreadOrder order(3);
  const Stride stride = order.drawStride(uint64_t(2147483647) * 65535 * 65535);
  uint64_t number = stride.first;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LT(number, stride.count);
    number = stride.next(number);
  }
}

TEST(ThreadOrder, SameSeedSameOrder) {
  ThreadOrder a(9), b(9), c(10);
  std::vector<uint32_t> fromA, fromB, fromC;
  a.draw(fromA, 100);
  b.draw(fromB, 100);
  c.draw(fromC, 100);
  EXPECT_EQ(fromA, fromB);
  EXPECT_NE(fromA, fromC);
}
