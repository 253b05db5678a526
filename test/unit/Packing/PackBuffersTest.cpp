//===- PackBuffersTest.cpp - Offsets of buffers in an arena ---------------===//

#include "PackBuffers.h"

#include "llvm/ADT/SmallVector.h"
#include "gtest/gtest.h"

#include <random>

using namespace ckpt;

namespace {

using Lives = llvm::SmallVector<BufferLife>;

/// What no packing may get wrong.
void expectValid(const Lives &buffers, int64_t arena) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const BufferLife &a = buffers[i];
    EXPECT_GE(a.offset, 0);
    EXPECT_LE(a.offset + a.bytes, arena);
    for (size_t j = 0; j < i; ++j) {
      const BufferLife &b = buffers[j];
      bool apart =
          a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
      EXPECT_TRUE(apart || !a.overlaps(b) || a.bytes == 0 || b.bytes == 0)
          << "buffers " << i << " and " << j;
    }
  }
}

Lives drawLives(unsigned seed, unsigned count, int64_t maxLength) {
  std::minstd_rand random(seed);
  Lives buffers;
  for (unsigned i = 0; i < count; ++i) {
    BufferLife life;
    life.bytes = 256 * static_cast<int64_t>(1 + random() % 64);
    life.begin = static_cast<int64_t>(random() % 200);
    life.end = life.begin + static_cast<int64_t>(random() % maxLength);
    buffers.push_back(life);
  }
  return buffers;
}

TEST(PackBuffers, Nothing) {
  Lives none;
  EXPECT_EQ(packBuffers(none), 0);
  EXPECT_EQ(getLivePeak(none), 0);
}

TEST(PackBuffers, LivePeak) {
  // Two alive at 1, three at 2 (the end is included), one at 5.
  Lives buffers = {{256, 0, 2}, {512, 1, 3}, {1024, 2, 2}, {256, 5, 5}};
  EXPECT_EQ(getLivePeak(buffers), 256 + 512 + 1024);
  int64_t arena = packBuffers(buffers);
  EXPECT_EQ(arena, 256 + 512 + 1024);
  expectValid(buffers, arena);
}

TEST(PackBuffers, EmptyBuffersTakeNothing) {
  Lives buffers = {{0, 0, 9}, {256, 0, 9}, {0, 3, 4}};
  EXPECT_EQ(packBuffers(buffers), 256);
}

// Placing by size alone leaves a hole here: the search must find the peak.
TEST(PackBuffers, SearchFillsHoles) {
  Lives buffers = {
      {192 * 256, 54, 72},  {192 * 256, 69, 157}, {128 * 256, 44, 85},
      {128 * 256, 82, 135}, {96 * 256, 11, 56},   {96 * 256, 137, 163},
      {96 * 256, 140, 159}, {96 * 256, 153, 157}, {64 * 256, 58, 167},
      {64 * 256, 34, 98},   {64 * 256, 65, 72},   {96 * 256, 74, 80}};
  int64_t arena = packBuffers(buffers);
  EXPECT_EQ(arena, getLivePeak(buffers));
  expectValid(buffers, arena);
}

TEST(PackBuffers, DrawnLives) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Lives buffers = drawLives(seed, 5 + seed, seed % 2 ? 20 : 120);
    Lives again = buffers;
    int64_t arena = packBuffers(buffers);
    expectValid(buffers, arena);
    EXPECT_GE(arena, getLivePeak(buffers));
    EXPECT_LE(static_cast<double>(arena),
              1.1 * static_cast<double>(getLivePeak(buffers)));
    // The same input gives the same offsets.
    EXPECT_EQ(packBuffers(again), arena);
    for (size_t i = 0; i < buffers.size(); ++i)
      EXPECT_EQ(buffers[i].offset, again[i].offset);
  }
}

} // namespace
