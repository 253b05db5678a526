//===- ConformanceTest.cpp - What every device must do --------------------===//
//
// The emulated device always runs it; a GPU where there is one.
//
//===----------------------------------------------------------------------===//

#include "TestDevice.h"
#include "ckpt/Runtime/Emulated.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>

using namespace ckpt::test;
using testing::HasSubstr;

namespace {

class Conformance : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    ckptRegisterEmulatedDevice();
    device.emplace(GetParam());
    if (*device)
      return;
    ASSERT_STRNE(GetParam(), "emulated") << device->openError;
    GTEST_SKIP() << device->openError;
  }

  void load() {
    device->load(
        readFile(ckptIsEmulated(*device) ? CKPT_KERNELS_IR : CKPT_KERNELS_PTX));
    ASSERT_EQ(device->error(), "");
  }
  CkptContext *context() { return *device; }

  std::optional<TestDevice> device;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, Conformance,
                         testing::Values("emulated", "cuda"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_P(Conformance, AllocationsAreAlignedAndApart) {
  char *a = static_cast<char *>(ckptAllocate(context(), 1000));
  char *b = static_cast<char *>(ckptAllocate(context(), 1));
  ASSERT_NE(a, nullptr);
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a) % 256, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b) % 256, 0u);
  EXPECT_TRUE(b >= a + 1000 || b + 1 <= a);
}

TEST_P(Conformance, CopiesKeepBytes) {
  std::vector<uint8_t> bytes(100001);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = uint8_t(i * 31 + i / 256);
  void *buffer = device->buffer(bytes);
  EXPECT_EQ(device->read<uint8_t>(buffer, bytes.size()), bytes);
}

TEST_P(Conformance, EmptyBuffers) {
  void *a = ckptAllocate(context(), 0);
  void *b = ckptAllocate(context(), 0);
  EXPECT_NE(a, nullptr);
  EXPECT_NE(a, b);
  EXPECT_EQ(ckptUpload(context(), a, nullptr, 0), 0) << device->error();
  EXPECT_EQ(ckptFree(context(), a), 0);
}

TEST_P(Conformance, Counters) {
  void *a = ckptAllocate(context(), 1000);
  void *arena = ckptArenaAcquire(context(), 4096);
  CkptCounters counters = ckptCounters(context());
  EXPECT_EQ(counters.callerBytes, 1000);
  EXPECT_EQ(counters.stepBytes, 4096);
  ckptArenaRelease(context(), arena);
  EXPECT_EQ(ckptFree(context(), a), 0);
  counters = ckptCounters(context());
  EXPECT_EQ(counters.callerBytes, 0);
  EXPECT_EQ(counters.stepBytes, 0);
  EXPECT_EQ(counters.stepPeakBytes, 4096);
}

TEST_P(Conformance, OutOfMemory) {
  EXPECT_EQ(ckptAllocate(context(), int64_t(1) << 56), nullptr);
  EXPECT_THAT(device->error(), HasSubstr("72057594037927936 bytes"));
}

TEST_P(Conformance, DoubleFree) {
  void *a = ckptAllocate(context(), 16);
  EXPECT_EQ(ckptFree(context(), a), 0);
  EXPECT_NE(ckptFree(context(), a), 0);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

TEST_P(Conformance, Elementwise) {
  load();
  const int n = 12345;
  std::vector<float> x(n);
  std::iota(x.begin(), x.end(), -100.f);
  void *dx = device->buffer(x);
  void *dy = ckptAllocate(context(), n * 4);
  ASSERT_EQ(device->launch("affine", {(n + 127) / 128}, {128}, 0, dx, dy, n), 0)
      << device->error();
  std::vector<float> y = device->read<float>(dy, n);
  for (int i = 0; i < n; ++i)
    ASSERT_EQ(y[i], 2 * x[i] + 1) << i;
  EXPECT_EQ(ckptCounters(context()).launches, 1);
}

TEST_P(Conformance, LaunchesAreInOrder) {
  load();
  void *x = device->buffer(std::vector<float>{0});
  float expected = 0;
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(device->launch("affine", {1}, {1}, 0, x, x, 1), 0);
    expected = 2 * expected + 1;
  }
  EXPECT_EQ(device->read<float>(x, 1)[0], expected);
}

TEST_P(Conformance, SharedMemory) {
  load();
  std::vector<float> x(128);
  std::iota(x.begin(), x.end(), 0.f);
  const std::vector<float> reversed(x.rbegin(), x.rend());
  void *dx = device->buffer(x);
  ASSERT_EQ(device->launch("reverse_static", {1}, {128}, 0, dx), 0)
      << device->error();
  EXPECT_EQ(device->read<float>(dx, 128), reversed);
  ASSERT_EQ(device->launch("reverse_dynamic", {1}, {128}, 512, dx), 0)
      << device->error();
  EXPECT_EQ(device->read<float>(dx, 128), x);
}

TEST_P(Conformance, MuchDynamicSharedMemory) {
  load();
  std::vector<float> x(128, 1.f);
  void *dx = device->buffer(x);
  EXPECT_EQ(device->launch("reverse_dynamic", {1}, {128}, 90 * 1024, dx), 0)
      << device->error();
  EXPECT_EQ(device->read<float>(dx, 128), x);
}

TEST_P(Conformance, WarpOperations) {
  load();
  void *out = ckptAllocate(context(), 6 * 32 * 4);
  ASSERT_EQ(device->launch("warp_operations", {1}, {32}, 0, out), 0)
      << device->error();
  std::vector<uint32_t> r = device->read<uint32_t>(out, 6 * 32);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(r[lane], 100 * (lane + 3 < 32 ? lane + 3 : lane)) << lane;
    EXPECT_EQ(r[32 + lane], 100 * (lane >= 2 ? lane - 2 : lane)) << lane;
    EXPECT_EQ(r[64 + lane], 100 * ((lane & 16) + 7)) << lane;
    EXPECT_EQ(r[96 + lane], 100 * (lane ^ 5)) << lane;
    EXPECT_EQ(r[128 + lane], 0x3FFu) << lane;
    EXPECT_EQ(r[160 + lane], 0xFu << (lane / 4 * 4)) << lane;
  }
}

TEST_P(Conformance, MatrixLoads) {
  load();
  // 32 rows of 8 elements of 16 bits; matrix m has the rows 8 m to 8 m + 7.
  std::vector<uint16_t> x(256);
  std::iota(x.begin(), x.end(), uint16_t(0));
  void *dx = device->buffer(x);
  void *out = ckptAllocate(context(), 128 * 4);
  ASSERT_EQ(device->launch("load_matrices", {1}, {32}, 0, dx, out), 0)
      << device->error();
  std::vector<uint32_t> r = device->read<uint32_t>(out, 128);
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t m = 0; m < 4; ++m) {
      const uint32_t first = (m * 8 + lane / 4) * 8 + lane % 4 * 2;
      EXPECT_EQ(r[lane * 4 + m], first | (first + 1) << 16);
    }
}

TEST_P(Conformance, TensorCoreTF32) {
  load();
  auto valueA = [](int i, int k) { return float((i * 5 + k * 3) % 17 - 8); };
  auto valueB = [](int k, int j) { return float((k * 7 + j * 2) % 11 - 5); };
  std::vector<float> a(16 * 8), b(8 * 8);
  for (int k = 0; k < 8; ++k) {
    for (int i = 0; i < 16; ++i)
      a[i * 8 + k] = valueA(i, k);
    for (int j = 0; j < 8; ++j)
      b[j * 8 + k] = valueB(k, j);
  }
  void *da = device->buffer(a);
  void *db = device->buffer(b);
  void *dd = ckptAllocate(context(), 16 * 8 * 4);
  ASSERT_EQ(device->launch("mma_tf32", {1}, {32}, 0, da, db, dd), 0)
      << device->error();
  std::vector<float> d = device->read<float>(dd, 16 * 8);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      float sum = 0;
      for (int k = 0; k < 8; ++k)
        sum += valueA(i, k) * valueB(k, j);
      EXPECT_EQ(d[i * 8 + j], sum) << i << ' ' << j;
    }
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static int32_t runChecked(CkptContext *context, void *const *buffers) {
  void *index = buffers[0];
  void *status = ckptStatusWord(context);
  int32_t id = 2;
  void *params[] = {&index, &status, &id};
  return ckptLaunch(context, "checked", 1, 1, 1, 1, 1, 1, 0, 0, params, 3);
}

namespace {
struct CheckedStep : CkptStepInfo {
  CheckedStep() : CkptStepInfo() {
    abiVersion = CKPT_ABI_VERSION;
    numArguments = 1;
    numMessages = 2;
    arguments = &argument;
    messages = texts;
    run = runChecked;
  }
  const int64_t shape[1] = {1};
  const CkptBufferInfo argument = {"i32", 1, shape, 4};
  const char *const texts[2] = {"first check",
                                "index out of range at f.mlir:7"};
};
} // namespace

TEST_P(Conformance, StatusWord) {
  load();
  CheckedStep step;
  void *good = device->buffer(std::vector<int32_t>{99});
  EXPECT_EQ(ckptRun(context(), &step, &good), 0) << device->error();
  void *bad = device->buffer(std::vector<int32_t>{100});
  EXPECT_NE(ckptRun(context(), &step, &bad), 0);
  EXPECT_EQ(device->error(), "index out of range at f.mlir:7");
}

TEST_P(Conformance, StatusWordIsNobodysMemory) {
  EXPECT_NE(ckptStatusWord(context()), nullptr);
  EXPECT_EQ(ckptCounters(context()).callerBytes, 0);
  EXPECT_EQ(ckptCounters(context()).stepBytes, 0);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_P(Conformance, UnknownKernel) {
  load();
  EXPECT_NE(device->launch("nothing", {1}, {1}, 0), 0);
  EXPECT_THAT(device->error(), HasSubstr("'nothing'"));
}

TEST_P(Conformance, GridOutOfRange) {
  load();
  void *x = nullptr;
  EXPECT_NE(device->launch("affine", {1, 65536}, {1}, 0, x, x, 0), 0);
  EXPECT_THAT(device->error(), HasSubstr("kernel 'affine': grid size y"));
}

TEST_P(Conformance, BlockOutOfRange) {
  load();
  void *x = nullptr;
  EXPECT_NE(device->launch("affine", {1}, {2048}, 0, x, x, 0), 0);
  EXPECT_THAT(device->error(), HasSubstr("kernel 'affine': block size x"));
}

TEST_P(Conformance, SharedMemoryOutOfRange) {
  load();
  void *x = nullptr;
  EXPECT_NE(device->launch("reverse_dynamic", {1}, {128}, 4096 * 1024, x), 0);
  EXPECT_THAT(device->error(), HasSubstr("kernel 'reverse_dynamic'"));
}

TEST_P(Conformance, ErrorsStay) {
  load();
  EXPECT_NE(device->launch("nothing", {1}, {1}, 0), 0);
  const std::string first = device->error();
  EXPECT_EQ(ckptAllocate(context(), 16), nullptr);
  EXPECT_EQ(device->error(), first);
}

TEST_P(Conformance, TwoContexts) {
  load();
  TestDevice second(GetParam());
  void *a = device->buffer(std::vector<float>{1});
  void *b = second.buffer(std::vector<float>{2});
  EXPECT_NE(a, b);
  second.load(
      readFile(ckptIsEmulated(second) ? CKPT_KERNELS_IR : CKPT_KERNELS_PTX));
  EXPECT_EQ(device->launch("affine", {1}, {1}, 0, a, a, 1), 0);
  EXPECT_EQ(second.launch("affine", {1}, {1}, 0, b, b, 1), 0);
  EXPECT_EQ(device->read<float>(a, 1)[0], 3.f);
  EXPECT_EQ(second.read<float>(b, 1)[0], 5.f);
  EXPECT_NE(ckptFree(second, a), 0);
  EXPECT_EQ(device->error(), "");
}
