//===- StubDriver.h - A CUDA driver that checks its caller ------*- C++ -*-===//
//
// A shared library with the driver's functions, on host memory. It executes no
// kernels. Whatever a real driver would refuse, or would take and crash later,
// is noted in `violations`; tests end by looking that there are none.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_TEST_UNIT_RUNTIME_STUBDRIVER_H
#define CKPT_TEST_UNIT_RUNTIME_STUBDRIVER_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ckpt::test {

struct StubLaunch {
  std::string kernel;
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  /// The first eight bytes of each parameter.
  std::vector<uint64_t> params;
};

/// A line "kernel NAME PARAMS MAXTHREADS SHARED" of a module's text.
struct StubKernel {
  std::string name;
  size_t numParams = 0;
  int maxThreads = 0;
  int staticSharedBytes = 0;
  int dynamicSharedLimit = 48 * 1024;
  const void *module = nullptr;
};

struct StubState {
  // What the driver shall be.
  int version = 12040;
  int deviceCount = 1;
  size_t capacity = size_t(1) << 30;
  /// Calls of this function return this error, after so many that succeed.
  std::string failing;
  int failureCode = 0;
  int callsBeforeFailure = 0;

  // What was done.
  std::vector<std::string> violations;
  std::vector<StubLaunch> launches;
  std::map<uint64_t, size_t> allocations;
  size_t bytes = 0;
  size_t peakBytes = 0;
  size_t uploadedBytes = 0;
  size_t downloadedBytes = 0;
  int contexts = 0;
  std::set<const void *> streams;
  std::set<const void *> modules;
  std::map<const void *, StubKernel> kernels;
  int synchronisations = 0;

  /// Nothing is left open.
  bool isClean() const {
    return allocations.empty() && streams.empty() && modules.empty() &&
           contexts == 0;
  }
};

} // namespace ckpt::test

/// The library's one state.
extern "C" ckpt::test::StubState *ckptStubState();

#endif // CKPT_TEST_UNIT_RUNTIME_STUBDRIVER_H
