//===- EmulatedFaultsTest.cpp - Every kind of fault is caught -------------===//

#include "TestDevice.h"
#include "ckpt/Runtime/Emulated.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <set>

using namespace ckpt::test;
using testing::AllOf;
using testing::HasSubstr;

namespace {

class FaultyDevice : public TestDevice {
public:
  explicit FaultyDevice(uint64_t seed = 0) : TestDevice(registered(), seed) {
    load(readFile(CKPT_TEST_INPUTS "/faults.ll"));
    EXPECT_EQ(error(), "");
  }

private:
  static const char *registered() {
    ckptRegisterEmulatedDevice();
    return "emulated";
  }
};

class EmulatedFaults : public testing::Test {
protected:
  FaultyDevice device;
  std::vector<float> ramp = [] {
    std::vector<float> values(64);
    std::iota(values.begin(), values.end(), 0.f);
    return values;
  }();
};

} // namespace

TEST_F(EmulatedFaults, ReadPastTheEnd) {
  void *x = device.buffer(ramp);
  void *y = device.buffer(ramp);
  EXPECT_NE(device.launch("shifted_copy", {1}, {64}, 0, x, y, int64_t(8)), 0);
  EXPECT_THAT(device.error(),
              AllOf(HasSubstr("kernel 'shifted_copy'"),
                    HasSubstr("out-of-bounds read of 4 bytes of argument 0"),
                    HasSubstr("0 bytes past the end of a live buffer of 256"),
                    HasSubstr("block (0,0,0), thread (56,0,0)")));
}

TEST_F(EmulatedFaults, ReadBeforeTheBeginning) {
  void *x = device.buffer(ramp);
  void *y = device.buffer(ramp);
  EXPECT_NE(device.launch("shifted_copy", {1}, {64}, 0, x, y, int64_t(-1)), 0);
  EXPECT_THAT(device.error(), HasSubstr("4 bytes before a live buffer"));
}

TEST_F(EmulatedFaults, ReadOfAnotherBuffer) {
  // Far enough to hit y, which is alive, but is not what x points to.
  void *x = device.buffer(ramp);
  void *y = device.buffer(ramp);
  const int64_t distance =
      (static_cast<char *>(y) - static_cast<char *>(x)) / 4;
  EXPECT_NE(device.launch("shifted_copy", {1}, {64}, 0, x, y, distance), 0);
  EXPECT_THAT(device.error(), HasSubstr("out-of-bounds read"));
}

TEST_F(EmulatedFaults, WritePastTheEnd) {
  void *y = device.buffer(ramp);
  EXPECT_NE(device.launch("fill", {2}, {64}, 0, y), 0);
  EXPECT_THAT(device.error(),
              AllOf(HasSubstr("out-of-bounds write of 4 bytes of argument 0"),
                    HasSubstr("block (1,0,0), thread (0,0,0)")));
}

TEST_F(EmulatedFaults, IndexFromMemory) {
  void *x = device.buffer(ramp);
  void *y = device.buffer(ramp);
  std::vector<int32_t> indices(64, 3);
  indices[40] = 64;
  void *index = device.buffer(indices);
  EXPECT_NE(device.launch("gather", {1}, {64}, 0, x, index, y), 0);
  EXPECT_THAT(device.error(), HasSubstr("thread (40,0,0)"));
}

TEST_F(EmulatedFaults, UninitialisedIndex) {
  void *x = device.buffer(ramp);
  void *y = device.buffer(ramp);
  void *index = ckptAllocate(device, 256);
  EXPECT_NE(device.launch("gather", {1}, {64}, 0, x, index, y), 0);
  EXPECT_THAT(device.error(), HasSubstr("4 bytes before a live buffer"));
}

TEST_F(EmulatedFaults, MisalignedVector) {
  void *x = device.buffer(ramp);
  void *y = device.buffer(ramp);
  EXPECT_NE(device.launch("misaligned", {1}, {1}, 0, x, y), 0);
  EXPECT_THAT(device.error(),
              AllOf(HasSubstr("misaligned read of 16 bytes of argument 0"),
                    HasSubstr("is no multiple of 16")));
}

TEST_F(EmulatedFaults, MisalignedArgument) {
  char *x = static_cast<char *>(device.buffer(ramp));
  EXPECT_NE(device.launch("vector_store", {1}, {1}, 0, x + 8), 0);
  EXPECT_THAT(device.error(), HasSubstr("misaligned write of 16 bytes"));
}

TEST_F(EmulatedFaults, SharedMemoryOverrun) {
  void *y = device.buffer(ramp);
  EXPECT_NE(device.launch("shared_overrun", {1}, {64}, 0, y), 0);
  EXPECT_THAT(device.error(),
              AllOf(HasSubstr("out-of-bounds write of 4 bytes of shared buffer "
                              "'tile'"),
                    HasSubstr("thread (32,0,0)")));
}

TEST_F(EmulatedFaults, SharedBufferAlignedTooLittle) {
  void *y = device.buffer(ramp);
  EXPECT_NE(device.launch("shared_misaligned", {1}, {32}, 0, y), 0);
  EXPECT_THAT(device.error(),
              HasSubstr("misaligned read of 16 bytes of shared buffer 'rows'"));
}

TEST_F(EmulatedFaults, LocalArrayOverrun) {
  void *y = device.buffer(ramp);
  EXPECT_EQ(device.launch("local_overrun", {1}, {1}, 0, y, int64_t(7)), 0);
  EXPECT_NE(device.launch("local_overrun", {1}, {1}, 0, y, int64_t(8)), 0);
  EXPECT_THAT(device.error(), HasSubstr("a local array"));
}

TEST_F(EmulatedFaults, UseAfterFree) {
  void *x = device.buffer(ramp);
  void *y = device.buffer(ramp);
  ASSERT_EQ(ckptFree(device, x), 0);
  EXPECT_NE(device.launch("shifted_copy", {1}, {64}, 0, x, y, int64_t(0)), 0);
  EXPECT_THAT(device.error(),
              AllOf(HasSubstr("out-of-bounds read of 4 bytes of argument 0"),
                    HasSubstr("freed buffer of 256 bytes")));
}

TEST_F(EmulatedFaults, NullPointer) {
  void *y = device.buffer(ramp);
  void *x = nullptr;
  EXPECT_NE(device.launch("shifted_copy", {1}, {64}, 0, x, y, int64_t(0)), 0);
  EXPECT_THAT(device.error(), HasSubstr("out-of-bounds read"));
}

/// The bytes of y after a kernel, for each of several seeds.
template <typename Run>
static std::set<std::vector<float>> resultsOverSeeds(Run run) {
  std::set<std::vector<float>> results;
  for (uint64_t seed : {0, 1, 2, 3}) {
    FaultyDevice device(seed);
    std::vector<float> result = run(device);
    EXPECT_EQ(device.error(), "");
    for (float &value : result)
      if (std::isnan(value)) // Comparable.
        value = -1.f;
    results.insert(result);
  }
  return results;
}

TEST_F(EmulatedFaults, MissingBarrierDiffersBetweenSeeds) {
  auto results = resultsOverSeeds([&](FaultyDevice &device) {
    void *x = device.buffer(ramp);
    void *y = device.buffer(ramp);
    device.launch("missing_barrier", {1}, {64}, 0, x, y);
    return device.read<float>(y, 64);
  });
  EXPECT_GT(results.size(), 1u);
}

TEST_F(EmulatedFaults, GlobalRaceDiffersBetweenSeeds) {
  for (uint32_t blocks : {1u, 5u}) {
    auto results = resultsOverSeeds([&](FaultyDevice &device) {
      void *y = ckptAllocate(device, 4);
      device.launch("last_writer", {blocks}, {64}, 0, y);
      return std::vector<float>{float(device.read<int32_t>(y, 1)[0])};
    });
    EXPECT_GT(results.size(), 1u) << blocks;
  }
}

TEST_F(EmulatedFaults, ResultsWithoutFaultsAreEqualBetweenSeeds) {
  auto results = resultsOverSeeds([&](FaultyDevice &device) {
    void *x = device.buffer(ramp);
    void *y = device.buffer(ramp);
    device.launch("shifted_copy", {1}, {64}, 0, x, y, int64_t(0));
    return device.read<float>(y, 64);
  });
  EXPECT_EQ(results.size(), 1u);
}

TEST_F(EmulatedFaults, MissingWaitForAsyncCopy) {
  void *x = device.buffer(ramp);
  void *y = device.buffer(ramp);
  ASSERT_EQ(device.launch("async_copy", {1}, {64}, 0, x, y, true), 0)
      << device.error();
  EXPECT_EQ(device.read<float>(y, 64), ramp);
  ASSERT_EQ(device.launch("async_copy", {1}, {64}, 0, x, y, false), 0);
  for (float value : device.read<float>(y, 64))
    EXPECT_TRUE(std::isnan(value));
}

TEST_F(EmulatedFaults, DivergentBarrier) {
  EXPECT_NE(device.launch("divergent_barrier", {1}, {32}, 0), 0);
  EXPECT_THAT(device.error(),
              AllOf(HasSubstr("kernel 'divergent_barrier': divergent barrier"),
                    HasSubstr("16 of 32 threads wait"),
                    HasSubstr("block (0,0,0), thread (0,0,0)")));
}

TEST_F(EmulatedFaults, LanesAtDifferentBarriers) {
  void *y = device.buffer(ramp);
  EXPECT_NE(device.launch("two_barriers", {1}, {32}, 0, y), 0);
  EXPECT_THAT(device.error(), HasSubstr("divergent barrier: threads of one "
                                        "warp are at different barriers"));
}

TEST_F(EmulatedFaults, DivergentShuffle) {
  void *y = device.buffer(ramp);
  EXPECT_NE(device.launch("divergent_shuffle", {1}, {32}, 0, y), 0);
  EXPECT_THAT(device.error(),
              AllOf(HasSubstr("divergent warp operation"),
                    HasSubstr("mask 0xffffffff"), HasSubstr("thread (0,0,0)")));
}

TEST_F(EmulatedFaults, LaneOutsideOfItsMask) {
  void *y = device.buffer(ramp);
  EXPECT_NE(device.launch("wrong_mask", {1}, {32}, 0, y), 0);
  EXPECT_THAT(device.error(), AllOf(HasSubstr("lacks the calling lane"),
                                    HasSubstr("thread (1,0,0)")));
}

TEST_F(EmulatedFaults, IncompleteWarp) {
  void *a = ckptAllocate(device, 512);
  device.load(readFile(CKPT_TEST_INPUTS "/basic.ll"));
  EXPECT_NE(device.launch("mma", {1}, {16}, 0, a, a, a), 0);
  EXPECT_THAT(device.error(), HasSubstr("needs all 32 lanes"));
}

TEST_F(EmulatedFaults, Trap) {
  EXPECT_EQ(device.launch("traps", {1}, {7}, 0), 0);
  EXPECT_NE(device.launch("traps", {1}, {8}, 0), 0);
  EXPECT_THAT(device.error(), AllOf(HasSubstr("the kernel trapped"),
                                    HasSubstr("thread (7,0,0)")));
}

TEST_F(EmulatedFaults, UninitialisedSharedMemoryIsNaN) {
  void *y = device.buffer(ramp);
  ASSERT_EQ(device.launch("uninitialised_shared", {1}, {64}, 0, y), 0);
  for (float value : device.read<float>(y, 64))
    EXPECT_TRUE(std::isnan(value));
}

TEST_F(EmulatedFaults, ErrorsAreSticky) {
  void *y = device.buffer(ramp);
  EXPECT_NE(device.launch("fill", {2}, {64}, 0, y), 0);
  const std::string first = device.error();
  EXPECT_NE(device.launch("fill", {1}, {64}, 0, y), 0);
  EXPECT_EQ(ckptAllocate(device, 4), nullptr);
  EXPECT_EQ(device.error(), first);
}

TEST_F(EmulatedFaults, FaultsInEveryThreadOrder) {
  for (uint64_t seed = 1; seed < 20; ++seed) {
    FaultyDevice seeded(seed);
    void *y = seeded.buffer(ramp);
    EXPECT_NE(seeded.launch("fill", {2}, {64}, 0, y), 0);
    EXPECT_THAT(seeded.error(), HasSubstr("block (1,0,0)"));
  }
}

TEST_F(EmulatedFaults, InLargeLaunches) {
  // Compiled with more effort; the checks must survive it.
  for (uint64_t seed : {0, 7}) {
    FaultyDevice seeded(seed);
    void *y = ckptAllocate(seeded, 256 * 9000);
    EXPECT_EQ(seeded.launch("fill", {9000}, {64}, 0, y), 0) << seeded.error();
    EXPECT_NE(seeded.launch("fill", {9001}, {64}, 0, y), 0);
    EXPECT_THAT(seeded.error(),
                AllOf(HasSubstr("out-of-bounds write of 4 bytes"),
                      HasSubstr("block (9000,0,0)")));
  }
}

TEST_F(EmulatedFaults, MisalignedArgumentOfALargeLaunch) {
  char *x = static_cast<char *>(device.buffer(ramp));
  EXPECT_NE(device.launch("vector_store", {1 << 20}, {32}, 0, x + 4), 0);
  EXPECT_THAT(device.error(), HasSubstr("misaligned write of 16 bytes"));
}
