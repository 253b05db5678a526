//===- CudaTest.cpp - The CUDA backend against a driver that checks it ----===//

#include "StubDriver.h"
#include "TestDevice.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <dlfcn.h>
#include <optional>

using namespace ckpt::test;
using testing::AllOf;
using testing::HasSubstr;

static const char image[] = "kernel axpy 3 1024 0\n"
                            "kernel heavy 1 256 1024\n";

namespace {

class Cuda : public testing::Test {
protected:
  void SetUp() override {
    use(CKPT_STUB_DRIVER);
    void *library = dlopen(CKPT_STUB_DRIVER, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    auto get =
        reinterpret_cast<StubState *(*)()>(dlsym(library, "ckptStubState"));
    ASSERT_NE(get, nullptr);
    state = get();
    *state = StubState();
  }

  void TearDown() override {
    device.reset();
    EXPECT_THAT(state->violations, testing::IsEmpty());
    EXPECT_TRUE(state->isClean());
    unsetenv("CKPT_CUDA_DRIVER");
  }

  static void use(const char *path) {
    setenv("CKPT_CUDA_DRIVER", path, /*overwrite=*/1);
  }

  TestDevice &open() {
    device.emplace("cuda");
    EXPECT_EQ(device->openError, "");
    return *device;
  }
  std::string openError(const char *name = "cuda") {
    TestDevice failed(name);
    EXPECT_EQ(static_cast<CkptContext *>(failed), nullptr);
    return failed.openError;
  }
  void failAt(const char *function, int code, int callsBefore = 0) {
    state->failing = function;
    state->failureCode = code;
    state->callsBeforeFailure = callsBefore;
  }

  StubState *state = nullptr;
  std::optional<TestDevice> device;
};

} // namespace

//===----------------------------------------------------------------------===//
// Drivers that are missing or unfit
//===----------------------------------------------------------------------===//

TEST_F(Cuda, NoDriver) {
  use("libckpt-no-such-driver.so");
  EXPECT_THAT(openError(), AllOf(HasSubstr("no CUDA driver"),
                                 HasSubstr("libckpt-no-such-driver.so")));
}

TEST_F(Cuda, DriverWithoutAFunction) {
  use(CKPT_STUB_DRIVER_INCOMPLETE);
  EXPECT_THAT(openError(), HasSubstr("has no function cuMemAlloc_v2"));
}

TEST_F(Cuda, OldDriver) {
  state->version = 10020;
  EXPECT_THAT(openError(),
              HasSubstr("is for CUDA 10.2, at least 11.0 is needed"));
}

TEST_F(Cuda, DriverThatDoesNotStart) {
  failAt("cuInit", 999);
  EXPECT_THAT(openError(), AllOf(HasSubstr("initialising the CUDA driver"),
                                 HasSubstr("999")));
}

TEST_F(Cuda, NoGpu) {
  state->deviceCount = 0;
  EXPECT_THAT(openError(), HasSubstr("there is no GPU number 0"));
}

TEST_F(Cuda, FewerGpus) {
  EXPECT_THAT(openError("cuda:1"),
              HasSubstr("there is no GPU number 1; the CUDA driver sees 1"));
}

TEST_F(Cuda, ContextCannotBeMade) {
  failAt("cuDevicePrimaryCtxRetain", 2);
  EXPECT_THAT(openError(), HasSubstr("creating a context"));
}

TEST_F(Cuda, StreamCannotBeMade) {
  failAt("cuStreamCreate", 2);
  EXPECT_THAT(openError(), HasSubstr("creating a stream"));
}

TEST_F(Cuda, NoMemoryForTheStatusWord) {
  state->capacity = 1;
  EXPECT_THAT(openError(), HasSubstr("out of memory"));
}

TEST_F(Cuda, BadNames) {
  for (const char *name : {"cuda:", "cuda:x", "cuda:-1", "cuda:1x", "gpu", ""})
    EXPECT_NE(openError(name), "") << name;
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

TEST_F(Cuda, NameAndKind) {
  TestDevice &gpu = open();
  EXPECT_STREQ(ckptDeviceName(gpu), "Stub GPU");
  EXPECT_EQ(ckptIsEmulated(gpu), 0);
}

TEST_F(Cuda, CopiesAndBytes) {
  TestDevice &gpu = open();
  const size_t before = state->bytes;
  const std::vector<int> values = {1, 2, 3, 4};
  void *buffer = gpu.buffer(values);
  EXPECT_EQ(state->bytes - before, 16u);
  EXPECT_EQ(ckptCounters(gpu).callerBytes, 16);
  EXPECT_EQ(gpu.read<int>(buffer, 4), values);
  EXPECT_EQ(state->uploadedBytes, 16u);
  EXPECT_EQ(state->downloadedBytes, 16u);
  EXPECT_EQ(ckptFree(gpu, buffer), 0);
  EXPECT_EQ(ckptCounters(gpu).callerBytes, 0);
}

TEST_F(Cuda, EmptyBuffers) {
  TestDevice &gpu = open();
  void *a = ckptAllocate(gpu, 0);
  void *b = ckptAllocate(gpu, 0);
  EXPECT_NE(a, nullptr);
  EXPECT_NE(a, b);
  EXPECT_EQ(ckptCounters(gpu).callerBytes, 0);
}

TEST_F(Cuda, Launch) {
  TestDevice &gpu = open();
  gpu.load(image);
  const uint64_t a = 7, b = 8, c = 9;
  ASSERT_EQ(gpu.launch("axpy", {3, 2, 1}, {64, 4, 1}, 128, a, b, c), 0)
      << gpu.error();
  ASSERT_EQ(state->launches.size(), 1u);
  const StubLaunch &launch = state->launches[0];
  EXPECT_EQ(launch.kernel, "axpy");
  EXPECT_EQ(launch.grid[1], 2u);
  EXPECT_EQ(launch.block[0], 64u);
  EXPECT_EQ(launch.sharedBytes, 128u);
  EXPECT_EQ(launch.params, (std::vector<uint64_t>{7, 8, 9}));
  EXPECT_EQ(ckptCounters(gpu).launches, 1);
}

TEST_F(Cuda, KernelsAreLookedUpOnce) {
  TestDevice &gpu = open();
  gpu.load(image);
  const uint64_t a = 0;
  ASSERT_EQ(gpu.launch("heavy", {1}, {32}, 0, a), 0);
  failAt("cuModuleGetFunction", 1);
  EXPECT_EQ(gpu.launch("heavy", {1}, {32}, 0, a), 0) << gpu.error();
}

TEST_F(Cuda, MuchSharedMemoryIsAskedFor) {
  TestDevice &gpu = open();
  gpu.load(image);
  const uint64_t a = 0;
  EXPECT_EQ(gpu.launch("heavy", {1}, {32}, 200 * 1024, a), 0) << gpu.error();
  EXPECT_EQ(gpu.launch("heavy", {1}, {32}, 64 * 1024, a), 0) << gpu.error();
}

TEST_F(Cuda, ImageIsReplaced) {
  TestDevice &gpu = open();
  gpu.load("kernel a 0 32 0");
  gpu.load("kernel b 0 32 0");
  EXPECT_EQ(state->modules.size(), 1u);
  EXPECT_EQ(gpu.launch("b", {1}, {32}, 0), 0) << gpu.error();
  EXPECT_NE(gpu.launch("a", {1}, {32}, 0), 0);
  EXPECT_THAT(gpu.error(), HasSubstr("no kernel 'a'"));
}

static int32_t acquireAndRelease(CkptContext *context, void *const *) {
  void *arena = ckptArenaAcquire(context, 1 << 20);
  ckptArenaRelease(context, arena);
  return 0;
}

TEST_F(Cuda, ArenaIsKeptForTheNextRun) {
  TestDevice &gpu = open();
  CkptStepInfo step = {};
  step.abiVersion = CKPT_ABI_VERSION;
  step.run = acquireAndRelease;
  ASSERT_EQ(ckptRun(gpu, &step, nullptr), 0) << gpu.error();
  failAt("cuMemAlloc_v2", 2);
  EXPECT_EQ(ckptRun(gpu, &step, nullptr), 0) << gpu.error();
  EXPECT_EQ(ckptCounters(gpu).stepPeakBytes, 1 << 20);
  EXPECT_EQ(ckptCounters(gpu).stepBytes, 0);
}

TEST_F(Cuda, KeptArenaMakesRoom) {
  TestDevice &gpu = open();
  state->capacity = 1 << 20;
  void *first = ckptAllocate(gpu, 900 << 10);
  ASSERT_NE(first, nullptr);
  ASSERT_EQ(ckptFree(gpu, first), 0);
  EXPECT_NE(ckptAllocate(gpu, 1000 << 10), nullptr) << gpu.error();
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

TEST_F(Cuda, OutOfMemory) {
  TestDevice &gpu = open();
  state->capacity = 1 << 20;
  EXPECT_EQ(ckptAllocate(gpu, 2 << 20), nullptr);
  EXPECT_THAT(gpu.error(), AllOf(HasSubstr("cannot allocate 2097152 bytes"),
                                 HasSubstr("CUDA_ERROR_OUT_OF_MEMORY")));
}

TEST_F(Cuda, ImageThatDoesNotCompile) {
  TestDevice &gpu = open();
  gpu.load("syntax error");
  EXPECT_THAT(gpu.error(), AllOf(HasSubstr("cannot load the kernel image"),
                                 HasSubstr("CUDA_ERROR_INVALID_PTX"),
                                 HasSubstr("syntax error near 'oops'")));
}

TEST_F(Cuda, LaunchFails) {
  TestDevice &gpu = open();
  gpu.load(image);
  failAt("cuLaunchKernel", 1);
  const uint64_t a = 0;
  EXPECT_NE(gpu.launch("heavy", {1}, {32}, 0, a), 0);
  EXPECT_THAT(gpu.error(), AllOf(HasSubstr("launching kernel 'heavy'"),
                                 HasSubstr("CUDA_ERROR_INVALID_VALUE")));
}

TEST_F(Cuda, KernelFails) {
  TestDevice &gpu = open();
  gpu.load(image);
  void *buffer = gpu.buffer(std::vector<int>{1});
  const uint64_t a = 0;
  ASSERT_EQ(gpu.launch("heavy", {1}, {32}, 0, a), 0);
  failAt("cuStreamSynchronize", 700);
  int value;
  EXPECT_NE(ckptDownload(gpu, &value, buffer, 4), 0);
  EXPECT_THAT(gpu.error(),
              AllOf(HasSubstr("illegal memory access"), HasSubstr("'heavy'")));
  state->failing.clear();
}

TEST_F(Cuda, WrongNumberOfParameters) {
  TestDevice &gpu = open();
  gpu.load(image);
  const uint64_t a = 0;
  EXPECT_NE(gpu.launch("axpy", {1}, {32}, 0, a), 0);
  EXPECT_THAT(gpu.error(), HasSubstr("takes 3 parameters, was given 1"));
}

TEST_F(Cuda, BlockLargerThanRegistersAllow) {
  TestDevice &gpu = open();
  gpu.load(image);
  const uint64_t a = 0;
  EXPECT_NE(gpu.launch("heavy", {1}, {512}, 0, a), 0);
  EXPECT_THAT(gpu.error(), AllOf(HasSubstr("kernel 'heavy'"),
                                 HasSubstr("its registers allow 256")));
}

TEST_F(Cuda, StaticAndDynamicSharedMemoryTogether) {
  TestDevice &gpu = open();
  gpu.load(image);
  const uint64_t a = 0;
  EXPECT_NE(gpu.launch("heavy", {1}, {32}, 227 * 1024, a), 0);
  EXPECT_THAT(gpu.error(), HasSubstr("bytes of shared memory"));
}
