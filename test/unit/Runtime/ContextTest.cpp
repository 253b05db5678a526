//===- ContextTest.cpp - The C ABI: arguments, accounts, errors -----------===//

#include "TestDevice.h"
#include "ckpt/Runtime/Device.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <cstring>
#include <set>

using namespace ckpt;
using namespace ckpt::test;
using runtime::Status;
using testing::AllOf;
using testing::HasSubstr;

namespace {

/// Host memory, no kernels: what the context does shows without a real device.
class FakeDevice final : public runtime::Device {
public:
  ~FakeDevice() override { EXPECT_TRUE(live.empty()); }
  std::string name() const override { return "fake"; }
  bool isEmulated() const override { return false; }
  Status allocate(int64_t bytes, void *&address) override {
    if (bytes > 1 << 20)
      return Status::error("fake out of memory");
    address = std::aligned_alloc(256, size_t(bytes) / 256 * 256 + 256);
    live.insert(address);
    return Status();
  }
  Status free(void *address) override {
    EXPECT_EQ(live.erase(address), 1u);
    std::free(address);
    return Status();
  }
  Status upload(void *to, const void *from, int64_t bytes) override {
    std::memcpy(to, from, size_t(bytes));
    return Status();
  }
  Status download(void *to, const void *from, int64_t bytes) override {
    std::memcpy(to, from, size_t(bytes));
    return Status();
  }
  Status loadImage(const void *, int64_t) override { return Status(); }
  Status launch(const char *kernel, const runtime::LaunchConfig &, void **,
                int32_t) override {
    return std::strcmp(kernel, "bad") == 0 ? Status::error("fake launch error")
                                           : Status();
  }
  Status synchronize() override { return Status(); }

private:
  std::set<void *> live;
};

class Context : public testing::Test {
protected:
  Context() : device((registerFake(), "fake")) {}

  static void registerFake() {
    runtime::registerDeviceKind("fake", [](int, uint64_t, std::string &) {
      return std::unique_ptr<runtime::Device>(new FakeDevice);
    });
  }

  TestDevice device;
};

} // namespace

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

TEST(Open, UnknownDevice) {
  TestDevice device("quantum");
  EXPECT_THAT(device.openError, HasSubstr("unknown device 'quantum'"));
}

TEST(Open, NullName) {
  TestDevice device(nullptr);
  EXPECT_NE(device.openError, "");
}

TEST(Open, ShortErrorBuffer) {
  char error[8];
  EXPECT_EQ(ckptOpen("quantum", 0, error, sizeof(error)), nullptr);
  EXPECT_EQ(std::strlen(error), 7u);
  EXPECT_EQ(ckptOpen("quantum", 0, nullptr, 0), nullptr);
}

TEST(Open, NullContextIsAnErrorEverywhere) {
  EXPECT_NE(ckptLoadImage(nullptr, "x", 1), 0);
  EXPECT_EQ(ckptAllocate(nullptr, 1), nullptr);
  EXPECT_NE(ckptFree(nullptr, nullptr), 0);
  EXPECT_NE(ckptUpload(nullptr, nullptr, nullptr, 0), 0);
  EXPECT_NE(ckptDownload(nullptr, nullptr, nullptr, 0), 0);
  EXPECT_NE(ckptRun(nullptr, nullptr, nullptr), 0);
  EXPECT_NE(ckptLaunch(nullptr, "k", 1, 1, 1, 1, 1, 1, 0, 0, nullptr, 0), 0);
  EXPECT_EQ(ckptArenaAcquire(nullptr, 1), nullptr);
  EXPECT_EQ(ckptStatusWord(nullptr), nullptr);
  EXPECT_STREQ(ckptLastError(nullptr), "null context");
  ckptArenaRelease(nullptr, nullptr);
  ckptResetCounters(nullptr);
  ckptClose(nullptr);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_F(Context, CallersBytes) {
  void *a = ckptAllocate(device, 100);
  void *b = ckptAllocate(device, 50);
  EXPECT_EQ(ckptCounters(device).callerBytes, 150);
  EXPECT_EQ(ckptCounters(device).stepBytes, 0);
  EXPECT_EQ(ckptFree(device, a), 0);
  EXPECT_EQ(ckptCounters(device).callerBytes, 50);
  EXPECT_EQ(ckptFree(device, nullptr), 0);
  EXPECT_EQ(ckptFree(device, b), 0);
}

TEST_F(Context, StepsBytesAndPeak) {
  void *a = ckptArenaAcquire(device, 100);
  void *b = ckptArenaAcquire(device, 50);
  EXPECT_EQ(ckptCounters(device).stepBytes, 150);
  ckptArenaRelease(device, a);
  EXPECT_EQ(ckptCounters(device).stepBytes, 50);
  EXPECT_EQ(ckptCounters(device).stepPeakBytes, 150);
  ckptResetCounters(device);
  EXPECT_EQ(ckptCounters(device).stepPeakBytes, 50);
  ckptArenaRelease(device, b);
  EXPECT_EQ(device.error(), "");
}

TEST_F(Context, NegativeSizes) {
  EXPECT_EQ(ckptAllocate(device, -1), nullptr);
  EXPECT_THAT(device.error(), HasSubstr("a buffer of -1 bytes"));
}

TEST_F(Context, NegativeArena) {
  EXPECT_EQ(ckptArenaAcquire(device, -8), nullptr);
  EXPECT_THAT(device.error(), HasSubstr("an arena of -8 bytes"));
}

TEST_F(Context, OutOfMemory) {
  EXPECT_EQ(ckptAllocate(device, 2 << 20), nullptr);
  EXPECT_EQ(device.error(), "fake out of memory");
  EXPECT_EQ(ckptCounters(device).callerBytes, 0);
}

TEST_F(Context, DoubleFree) {
  void *a = ckptAllocate(device, 16);
  EXPECT_EQ(ckptFree(device, a), 0);
  EXPECT_NE(ckptFree(device, a), 0);
  EXPECT_THAT(device.error(), HasSubstr("released twice, or not its own"));
}

TEST_F(Context, ForeignPointer) {
  int local = 0;
  EXPECT_NE(ckptFree(device, &local), 0);
  EXPECT_NE(device.error(), "");
}

TEST_F(Context, PointerIntoABuffer) {
  char *a = static_cast<char *>(ckptAllocate(device, 16));
  EXPECT_NE(ckptFree(device, a + 4), 0);
}

TEST_F(Context, ArenaIsNoBuffer) {
  void *arena = ckptArenaAcquire(device, 16);
  EXPECT_NE(ckptFree(device, arena), 0);
}

TEST_F(Context, CopyPastTheEnd) {
  void *a = ckptAllocate(device, 16);
  char host[32] = {};
  EXPECT_EQ(ckptUpload(device, a, host, 16), 0);
  EXPECT_NE(ckptUpload(device, a, host, 17), 0);
  EXPECT_THAT(device.error(), AllOf(HasSubstr("cannot upload 17 bytes"),
                                    HasSubstr("not inside one live buffer")));
}

TEST_F(Context, CopyOfPart) {
  char *a = static_cast<char *>(ckptAllocate(device, 16));
  char host[8] = {};
  EXPECT_EQ(ckptUpload(device, a + 8, host, 8), 0);
  EXPECT_NE(ckptDownload(device, host, a + 9, 8), 0);
}

TEST_F(Context, CopyOfNegativeSize) {
  void *a = ckptAllocate(device, 16);
  char host[8];
  EXPECT_NE(ckptDownload(device, host, a, -4), 0);
  EXPECT_THAT(device.error(), HasSubstr("negative"));
}

TEST_F(Context, CopyFromNull) {
  void *a = ckptAllocate(device, 16);
  EXPECT_NE(ckptUpload(device, a, nullptr, 4), 0);
  EXPECT_THAT(device.error(), HasSubstr("host address is null"));
}

TEST_F(Context, CopyAfterFree) {
  void *a = ckptAllocate(device, 16);
  ASSERT_EQ(ckptFree(device, a), 0);
  char host[8] = {};
  EXPECT_NE(ckptUpload(device, a, host, 8), 0);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

TEST_F(Context, LaunchWithoutAnImage) {
  EXPECT_NE(device.launch("k", {1}, {1}, 0), 0);
  EXPECT_THAT(device.error(), HasSubstr("no kernel image is loaded"));
}

TEST_F(Context, EmptyImage) {
  EXPECT_NE(ckptLoadImage(device, "", 0), 0);
  EXPECT_NE(device.error(), "");
}

TEST_F(Context, CountsLaunches) {
  device.load("image");
  EXPECT_EQ(device.launch("k", {1}, {1}, 0), 0);
  EXPECT_EQ(device.launch("k", {1}, {1}, 0), 0);
  EXPECT_EQ(ckptCounters(device).launches, 2);
  ckptResetCounters(device);
  EXPECT_EQ(ckptCounters(device).launches, 0);
}

TEST_F(Context, FailedLaunchIsNotCounted) {
  device.load("image");
  EXPECT_NE(device.launch("bad", {1}, {1}, 0), 0);
  EXPECT_EQ(device.error(), "fake launch error");
  EXPECT_EQ(ckptCounters(device).launches, 0);
}

TEST_F(Context, UnknownStream) {
  device.load("image");
  EXPECT_NE(ckptLaunch(device, "k", 1, 1, 1, 1, 1, 1, 0, 3, nullptr, 0), 0);
  EXPECT_THAT(device.error(), HasSubstr("stream 3"));
}

TEST_F(Context, ParametersThatAreMissing) {
  device.load("image");
  void *params[] = {nullptr};
  EXPECT_NE(ckptLaunch(device, "k", 1, 1, 1, 1, 1, 1, 0, 0, params, 1), 0);
  EXPECT_THAT(device.error(), HasSubstr("parameter 0 has no value"));
}

TEST_F(Context, KernelWithoutAName) {
  device.load("image");
  EXPECT_NE(ckptLaunch(device, nullptr, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, 0), 0);
}

namespace {
struct LimitCase {
  Grid grid;
  Grid block;
  uint32_t sharedBytes;
  const char *message;
};
class LaunchLimits : public testing::TestWithParam<LimitCase> {};
} // namespace

INSTANTIATE_TEST_SUITE_P(
    Cases, LaunchLimits,
    testing::Values(
        LimitCase{{0}, {1}, 0, "grid size x is 0"},
        LimitCase{{2147483648u}, {1}, 0, "must be 1 to 2147483647"},
        LimitCase{{1, 65536}, {1}, 0, "grid size y is 65536"},
        LimitCase{{1, 1, 65536}, {1}, 0, "grid size z is 65536"},
        LimitCase{{1}, {1025}, 0, "block size x is 1025"},
        LimitCase{{1}, {1, 1025}, 0, "block size y is 1025"},
        LimitCase{{1}, {1, 1, 65}, 0, "block size z is 65"},
        LimitCase{{1}, {64, 32}, 0, "a block of 2048 threads"},
        LimitCase{{1}, {1}, 300000, "300000 bytes of dynamic shared memory"}));

TEST_P(LaunchLimits, AreErrorsThatNameTheKernel) {
  const LimitCase &limit = GetParam();
  runtime::LaunchConfig config;
  config.grid = {limit.grid.x, limit.grid.y, limit.grid.z};
  config.block = {limit.block.x, limit.block.y, limit.block.z};
  config.sharedBytes = limit.sharedBytes;
  Status status = runtime::checkLaunch("gemm", config, runtime::LaunchLimits());
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr("kernel 'gemm'"), HasSubstr(limit.message)));
}

TEST(LaunchLimitsAtTheEdge, AreAllowed) {
  runtime::LaunchConfig config;
  config.grid = {2147483647u, 65535, 65535};
  config.block = {16, 1, 64};
  config.sharedBytes = 227 * 1024;
  EXPECT_TRUE(runtime::checkLaunch("k", config, runtime::LaunchLimits()).ok());
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static int32_t succeed(CkptContext *, void *const *) { return 0; }
static int32_t fail(CkptContext *, void *const *) { return 7; }
static int32_t leak(CkptContext *context, void *const *) {
  ckptArenaAcquire(context, 64);
  return 0;
}
static int32_t writeStatus(CkptContext *context, void *const *buffers) {
  // Device memory of the fake is host memory.
  std::memcpy(ckptStatusWord(context), buffers[0], 4);
  return 0;
}

namespace {
class Steps : public Context {
protected:
  Steps() {
    step.abiVersion = CKPT_ABI_VERSION;
    step.numArguments = 1;
    step.numMessages = 2;
    step.arguments = &argument;
    step.messages = messages;
    step.run = succeed;
  }

  const int64_t shape[1] = {1};
  CkptBufferInfo argument = {"i32", 1, shape, 4};
  const char *messages[2] = {"model.mlir:3: first", "model.mlir:9: second"};
  CkptStepInfo step = {};
};
} // namespace

TEST_F(Steps, Succeeds) {
  void *buffer = device.buffer(std::vector<int32_t>{0});
  EXPECT_EQ(ckptRun(device, &step, &buffer), 0) << device.error();
}

TEST_F(Steps, FailedCheckIsNamed) {
  step.run = writeStatus;
  void *buffer = device.buffer(std::vector<int32_t>{2});
  EXPECT_NE(ckptRun(device, &step, &buffer), 0);
  EXPECT_EQ(device.error(), "model.mlir:9: second");
}

TEST_F(Steps, StatusWordStartsAtZero) {
  const int32_t seven = 7;
  std::memcpy(ckptStatusWord(device), &seven, 4);
  void *buffer = device.buffer(std::vector<int32_t>{0});
  EXPECT_EQ(ckptRun(device, &step, &buffer), 0) << device.error();
}

TEST_F(Steps, UnknownCheck) {
  step.run = writeStatus;
  void *buffer = device.buffer(std::vector<int32_t>{3});
  EXPECT_NE(ckptRun(device, &step, &buffer), 0);
  EXPECT_THAT(device.error(), HasSubstr("unknown id, 3"));
}

TEST_F(Steps, ErrorCode) {
  step.run = fail;
  void *buffer = device.buffer(std::vector<int32_t>{0});
  EXPECT_NE(ckptRun(device, &step, &buffer), 0);
  EXPECT_THAT(device.error(), HasSubstr("error 7"));
}

TEST_F(Steps, LeakedArena) {
  step.run = leak;
  void *buffer = device.buffer(std::vector<int32_t>{0});
  EXPECT_NE(ckptRun(device, &step, &buffer), 0);
  EXPECT_THAT(device.error(), HasSubstr("without releasing its arena"));
  EXPECT_EQ(ckptCounters(device).stepBytes, 0);
}

TEST_F(Steps, NullStep) {
  EXPECT_NE(ckptRun(device, nullptr, nullptr), 0);
  EXPECT_NE(device.error(), "");
}

TEST_F(Steps, OtherAbi) {
  step.abiVersion = CKPT_ABI_VERSION + 1;
  void *buffer = device.buffer(std::vector<int32_t>{0});
  EXPECT_NE(ckptRun(device, &step, &buffer), 0);
  EXPECT_THAT(device.error(), HasSubstr("ABI"));
}

TEST_F(Steps, MissingBuffers) {
  EXPECT_NE(ckptRun(device, &step, nullptr), 0);
  EXPECT_THAT(device.error(), HasSubstr("without its buffers"));
}

TEST_F(Steps, SmallBuffer) {
  void *buffer = ckptAllocate(device, 3);
  EXPECT_NE(ckptRun(device, &step, &buffer), 0);
  EXPECT_THAT(device.error(), HasSubstr("argument 0: 4 bytes"));
}

TEST_F(Steps, NullBuffer) {
  void *buffer = nullptr;
  EXPECT_NE(ckptRun(device, &step, &buffer), 0);
  EXPECT_THAT(device.error(), HasSubstr("argument 0"));
}

TEST_F(Steps, IncompleteDescription) {
  step.run = nullptr;
  void *buffer = device.buffer(std::vector<int32_t>{0});
  EXPECT_NE(ckptRun(device, &step, &buffer), 0);
  EXPECT_THAT(device.error(), HasSubstr("incomplete"));
}

TEST_F(Steps, FirstErrorStays) {
  EXPECT_NE(ckptRun(device, nullptr, nullptr), 0);
  const std::string first = device.error();
  EXPECT_EQ(ckptAllocate(device, -1), nullptr);
  EXPECT_EQ(ckptArenaAcquire(device, 1), nullptr);
  EXPECT_EQ(ckptStatusWord(device), nullptr);
  EXPECT_EQ(device.error(), first);
}
