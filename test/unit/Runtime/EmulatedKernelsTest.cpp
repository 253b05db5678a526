//===- EmulatedKernelsTest.cpp - Right kernels give right results ---------===//

#include "TestDevice.h"
#include "ckpt/Runtime/Emulated.h"

#include <cmath>
#include <cstring>
#include <numeric>
#include <thread>

using namespace ckpt::test;

namespace {

/// Each test runs with threads in ascending order and in two others.
class EmulatedKernels : public testing::TestWithParam<uint64_t> {
protected:
  EmulatedKernels() : device(registered(), GetParam()) {
    device.load(readFile(CKPT_TEST_INPUTS "/basic.ll"));
    EXPECT_EQ(device.error(), "");
  }

  static const char *registered() {
    ckptRegisterEmulatedDevice();
    return "emulated";
  }

  TestDevice device;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Seeds, EmulatedKernels, testing::Values(0, 1, 12345));

TEST_P(EmulatedKernels, Elementwise) {
  // A length that no block divides.
  const int n = 1000;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = float(i) * 0.5f;
    y[i] = float(n - i);
  }
  void *dx = device.buffer(x);
  void *dy = device.buffer(y);
  void *dz = ckptAllocate(device, n * 4);
  ASSERT_EQ(device.launch("axpy", {4}, {256}, 0, dx, dy, dz, 3.0f, n), 0)
      << device.error();
  std::vector<float> z = device.read<float>(dz, n);
  for (int i = 0; i < n; ++i)
    EXPECT_EQ(z[i], x[i] * 3.0f + y[i]) << i;
}

TEST_P(EmulatedKernels, BarriersAndSharedMemory) {
  std::vector<float> x(8 * 256);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i % 97);
  void *dx = device.buffer(x);
  void *dout = ckptAllocate(device, 8 * 4);
  ASSERT_EQ(device.launch("block_sum", {8}, {256}, 0, dx, dout), 0)
      << device.error();
  std::vector<float> sums = device.read<float>(dout, 8);
  for (int block = 0; block < 8; ++block)
    EXPECT_EQ(sums[block], std::accumulate(x.begin() + block * 256,
                                           x.begin() + block * 256 + 256, 0.f));
}

TEST_P(EmulatedKernels, Shuffles) {
  std::vector<float> x(96);
  std::iota(x.begin(), x.end(), 1.f);
  void *dx = device.buffer(x);
  void *dout = ckptAllocate(device, 3 * 4);
  ASSERT_EQ(device.launch("warp_sum", {1}, {96}, 0, dx, dout), 0)
      << device.error();
  EXPECT_EQ(device.read<float>(dout, 3),
            (std::vector<float>{528.f, 1552.f, 2576.f}));
}

TEST_P(EmulatedKernels, VotesAndReductions) {
  void *dout = ckptAllocate(device, 32 * 4);
  ASSERT_EQ(device.launch("votes", {1}, {32}, 0, dout), 0) << device.error();
  EXPECT_EQ(device.read<uint32_t>(dout, 32),
            std::vector<uint32_t>(32, 0xAAAAAAAAu + 496u));
}

/// The bits of small integers, which are exact.
static uint16_t bf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return uint16_t(bits >> 16);
}

TEST_P(EmulatedKernels, TensorCoreProduct) {
  std::vector<uint16_t> a(16 * 16), b(8 * 16);
  auto valueA = [](int i, int k) { return float((i * 7 + k * 3) % 11 - 5); };
  auto valueB = [](int k, int j) { return float((k * 5 + j * 2) % 13 - 6); };
  for (int i = 0; i < 16; ++i)
    for (int k = 0; k < 16; ++k)
      a[i * 16 + k] = bf16(valueA(i, k));
  for (int j = 0; j < 8; ++j)
    for (int k = 0; k < 16; ++k)
      b[j * 16 + k] = bf16(valueB(k, j));
  void *da = device.buffer(a);
  void *db = device.buffer(b);
  void *dd = ckptAllocate(device, 16 * 8 * 4);
  ASSERT_EQ(device.launch("mma", {1}, {32}, 0, da, db, dd), 0)
      << device.error();
  std::vector<float> d = device.read<float>(dd, 16 * 8);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      float sum = 1.f;
      for (int k = 0; k < 16; ++k)
        sum += valueA(i, k) * valueB(k, j);
      EXPECT_EQ(d[i * 8 + j], sum) << i << ' ' << j;
    }
}

TEST_P(EmulatedKernels, DynamicSharedMemory) {
  std::vector<float> x(64);
  std::iota(x.begin(), x.end(), 0.f);
  void *dx = device.buffer(x);
  ASSERT_EQ(device.launch("reverse_dynamic", {1}, {64}, 256, dx), 0)
      << device.error();
  EXPECT_EQ(device.read<float>(dx, 64),
            std::vector<float>(x.rbegin(), x.rend()));
}

TEST_P(EmulatedKernels, GridAndBlockDimensions) {
  const uint32_t count = 4 * 3 * 2 * 6;
  void *dout = ckptAllocate(device, count * 4);
  ASSERT_EQ(device.launch("positions", {4, 3, 2}, {3, 2}, 0, dout), 0)
      << device.error();
  std::vector<uint32_t> expected(count);
  std::iota(expected.begin(), expected.end(), 0u);
  EXPECT_EQ(device.read<uint32_t>(dout, count), expected);
}

TEST_P(EmulatedKernels, RoundsToBFloat16) {
  const float nan = std::nanf("");
  std::vector<float> x = {1.f,    1.00390625f, 1.01171875f, -0.f,
                          1e-40f, INFINITY,    nan,         3.4e38f};
  void *dx = device.buffer(x);
  void *dy = ckptAllocate(device, 16);
  ASSERT_EQ(device.launch("to_bf16", {1}, {2}, 0, dx, dy), 0) << device.error();
  std::vector<uint16_t> y = device.read<uint16_t>(dy, 8);
  // Ties go to even; denormals stay; NaN stays NaN; too large becomes infinite.
  EXPECT_EQ(y, (std::vector<uint16_t>{0x3F80, 0x3F80, 0x3F82, 0x8000, 0x0001,
                                      0x7F80, 0x7FC0, 0x7F80}));
}

TEST_P(EmulatedKernels, Atomics) {
  void *counter = device.buffer(std::vector<int32_t>{5});
  ASSERT_EQ(device.launch("count", {10}, {100}, 0, counter), 0)
      << device.error();
  EXPECT_EQ(device.read<int32_t>(counter, 1)[0], 1005);
}

TEST_P(EmulatedKernels, FreshMemoryIsNaN) {
  void *fresh = ckptAllocate(device, 16);
  for (float value : device.read<float>(fresh, 4))
    EXPECT_TRUE(std::isnan(value));
}

//===----------------------------------------------------------------------===//
// Large launches are compiled with more effort
//===----------------------------------------------------------------------===//

TEST_P(EmulatedKernels, LargeAndSmallLaunchesAgreeBitForBit) {
  const int n = 20000 * 256;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = std::sin(float(i)) * 3.7f;
    y[i] = std::cos(float(i) * 0.1f);
  }
  void *dx = device.buffer(x);
  void *dy = device.buffer(y);
  void *large = ckptAllocate(device, n * 4);
  void *small = ckptAllocate(device, 1024 * 4);
  const float s = 0.3f;
  ASSERT_EQ(device.launch("axpy", {20000}, {256}, 0, dx, dy, large, s, n), 0)
      << device.error();
  ASSERT_EQ(device.launch("axpy", {4}, {256}, 0, dx, dy, small, s, 1024), 0)
      << device.error();
  EXPECT_EQ(device.read<uint32_t>(large, 1024),
            device.read<uint32_t>(small, 1024));

  void *sums = ckptAllocate(device, 500 * 4);
  ASSERT_EQ(device.launch("block_sum", {500}, {256}, 0, dx, sums), 0)
      << device.error();
  ASSERT_EQ(device.launch("block_sum", {4}, {256}, 0, dx, small), 0)
      << device.error();
  EXPECT_EQ(device.read<uint32_t>(sums, 4), device.read<uint32_t>(small, 4));
}

//===----------------------------------------------------------------------===//
// Devices side by side
//===----------------------------------------------------------------------===//

TEST_P(EmulatedKernels, TwoDevicesInTwoThreads) {
  auto work = [](uint64_t seed, std::vector<float> &sums) {
    TestDevice own("emulated", seed);
    own.load(readFile(CKPT_TEST_INPUTS "/basic.ll"));
    std::vector<float> x(8 * 256);
    std::iota(x.begin(), x.end(), float(seed));
    void *dx = own.buffer(x);
    void *dout = ckptAllocate(own, 8 * 4);
    for (int i = 0; i < 20; ++i)
      own.launch("block_sum", {8}, {256}, 0, dx, dout);
    EXPECT_EQ(own.error(), "");
    sums = own.read<float>(dout, 8);
  };
  std::vector<float> first, second, alone;
  std::thread other([&] { work(GetParam(), first); });
  work(GetParam() + 1, second);
  other.join();
  work(GetParam(), alone);
  EXPECT_EQ(first, alone);
  EXPECT_NE(first, second);
}

TEST_P(EmulatedKernels, LocalArraysLargerThanAnyOther) {
  // 200 kB per thread, in fibers.
  device.load(R"(target triple = "nvptx64-nvidia-cuda"
    declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
    define ptx_kernel void @locals(ptr %out) {
      %a = alloca [50000 x i32], align 4
      %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
      %t64 = zext i32 %t to i64
      %p = getelementptr i32, ptr %a, i64 %t64
      %q = getelementptr i32, ptr %a, i64 49999
      store i32 7, ptr %p, align 4
      store i32 %t, ptr %q, align 4
      call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
      %v = load volatile i32, ptr %p, align 4
      %w = load volatile i32, ptr %q, align 4
      %s = add i32 %v, %w
      %o = getelementptr i32, ptr %out, i64 %t64
      store i32 %s, ptr %o, align 4
      ret void
    })");
  void *out = ckptAllocate(device, 64 * 4);
  ASSERT_EQ(device.launch("locals", {1}, {64}, 0, out), 0) << device.error();
  std::vector<int32_t> expected(64);
  std::iota(expected.begin(), expected.end(), 7);
  EXPECT_EQ(device.read<int32_t>(out, 64), expected);
}
