//===- BlockRunner.h - Runs a kernel's blocks, one after another -*- C++
//-*-===//
//
// A kernel whose threads never wait for each other is a loop over them. Any
// other runs with a fiber per thread: a thread goes on until it waits, at a
// barrier for its block or in a warp operation for the lanes of the operation's
// mask, and the last one to come makes the others ready. Where nobody is ready
// and somebody waits, the kernel's synchronisation is divergent, and an error
// says who waits for whom.
//
// With seed 0 threads and blocks run in ascending order; any other seed gives
// an order of its own, anew at every round, so that results which depend on it
// differ between seeds.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_LIB_RUNTIME_EMULATED_BLOCKRUNNER_H
#define CKPT_LIB_RUNTIME_EMULATED_BLOCKRUNNER_H

#include "Fibers.h"
#include "KernelInfo.h"
#include "ThreadOrder.h"

#include <memory>
#include <string>
#include <vector>

namespace ckpt::emulated {

inline constexpr uint32_t warpSize = 32;

/// A cp.async that was issued and not yet waited for.
struct AsyncCopy {
  char *destination;
  const char *source;
  uint32_t bytes;
  /// Bytes to read; the rest of the destination becomes zero.
  uint32_t sourceBytes;
};

struct Thread;
/// Does a warp operation for the lanes in `active`, all of which have come.
using WarpOperation = void (*)(Thread *lanes, uint32_t active);

/// A thread with a fiber.
struct Thread : ThreadState {
  /// Of the warp operation that the thread waits in.
  uint32_t mask = 0;
  WarpOperation operation = nullptr;
  uint32_t in[12] = {};
  uint32_t out[8] = {};
  const void *address = nullptr;
  /// Copies of committed groups end at the positions in groupEnds.
  std::vector<AsyncCopy> copies;
  std::vector<size_t> groupEnds;

  uint32_t lane() const { return linear % warpSize; }
  uint32_t warp() const { return linear / warpSize; }
};

inline constexpr uint32_t numBarriers = 16;

/// What the lanes of a warp are doing, as masks. A lane that is in none of them
/// is the one that runs.
struct Warp {
  uint32_t lanes = 0;
  uint32_t ready = 0;
  uint32_t done = 0;
  uint32_t inOperation = 0;
  uint32_t atBarrier[numBarriers] = {};
  /// Where the lanes that are at a barrier came to it.
  uint32_t barrierSite[numBarriers] = {};
};

class BlockRunner {
public:
  BlockRunner(const DeviceMemory &memory, uint64_t seed)
      : memory(memory), order(seed) {}

  /// Runs all blocks of a launch; the error names kernel, block and thread.
  runtime::Status run(const CompiledKernel &kernel,
                      const runtime::LaunchConfig &config, void **params,
                      const KernelArgument *arguments);

  //===--------------------------------------------------------------------===//
  // What kernels call
  //===--------------------------------------------------------------------===//

  /// Keeps the launch's first fault: an access at `address`, or a trap.
  void recordFault(uint32_t thread, uint32_t site, uint64_t address);
  /// The same, for what has a text of its own; `site` may be noSite.
  void recordFault(uint32_t thread, uint32_t site, const std::string &text);
  static constexpr uint32_t noSite = UINT32_MAX;
  /// To be called after recordFault(), with nothing on the stack that owns
  /// memory: a fiber stays here for good, a thread loop's thread ends itself.
  void abandonThread();

  /// Waits at barrier `id` until `expected` threads (0: all) have come. Returns
  /// how many of them had a `predicate` that is not zero.
  uint32_t waitAtBarrier(Thread &thread, uint32_t id, uint32_t expected,
                         uint32_t site, uint32_t predicate);

  /// Waits for all live lanes in `mask` to come to the same operation.
  void meet(Thread &thread, uint32_t mask, WarpOperation operation);
  /// The same, for what needs all 32 lanes of the warp.
  void meetFullWarp(Thread &thread, WarpOperation operation);

  /// Whether a kernel may access [address, address + bytes) at all: a live
  /// allocation or the block's shared memory.
  bool isAccessible(uint64_t address, uint64_t bytes) const;

private:
  struct Barrier {
    uint32_t arrived = 0;
    uint32_t arrivedTrue = 0;
    /// Of the last time that all had come.
    uint32_t result = 0;
  };

  void prepareShared();
  bool prepareThreads();
  void runLoop();
  void runFibers();
  void runThread(Thread &thread);
  static void fiberBody(void *runner, uint32_t index);
  /// Goes on with a ready lane of the warp.
  void resumeLane(uint32_t warp);
  /// From a fiber that waits: lets somebody else run.
  void leave(Thread &thread);
  bool completeOperation(Thread &thread);
  void reportDeadlock();
  std::string positionText(uint32_t thread) const;
  std::string accessText(const FaultSite &site, uint64_t address) const;
  const Thread *firstThread(uint32_t Warp::*mask) const;

  const DeviceMemory &memory;
  ThreadOrder order;
  const CompiledKernel *kernel = nullptr;
  runtime::LaunchConfig config;
  BlockState block;
  uint32_t numThreads = 0;
  std::vector<char> sharedStorage;
  size_t sharedBytes = 0;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::unique_ptr<FiberPool> fibers;
  Barrier barriers[numBarriers];
  std::string faultText;
};

} // namespace ckpt::emulated

#endif // CKPT_LIB_RUNTIME_EMULATED_BLOCKRUNNER_H
