//===- BlockRunner.cpp - Runs a kernel's blocks, one after another --------===//

#include "BlockRunner.h"

#include <algorithm>
#include <cstring>

using namespace ckpt;
using namespace ckpt::emulated;

/// Stack of a thread beside its local arrays: spills, calls of libm and of the
/// functions here.
static constexpr size_t baseStackBytes = 64 * 1024;
/// Shared memory starts at an odd multiple of this, so that no buffer in it is
/// aligned better than its own alignment says.
static constexpr size_t sharedAlignment = 128;
/// Inaccessible bytes after the shared memory of a block.
static constexpr size_t sharedRedZone = 128;

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

runtime::Status BlockRunner::run(const CompiledKernel &launched,
                                 const runtime::LaunchConfig &launchConfig,
                                 void **params, const MemoryRange *ranges) {
  kernel = &launched;
  config = launchConfig;
  numThreads = uint32_t(config.block.count());
  block.params = params;
  block.ranges = ranges;
  block.runner = this;
  block.sharedDynamicBytes = config.sharedBytes;
  faultText.clear();
  prepareShared();
  if (kernel->thread && !prepareThreads())
    return runtime::Status::error("kernel '" + kernel->name +
                                  "': out of memory for the threads' stacks");

  const uint64_t numBlocks = config.grid.count();
  std::vector<uint32_t> blockOrder;
  const bool shuffleBlocks = order.isShuffled() && numBlocks <= UINT32_MAX;
  if (shuffleBlocks)
    order.draw(blockOrder, uint32_t(numBlocks));
  for (uint64_t i = 0; i < numBlocks; ++i) {
    const uint64_t index = shuffleBlocks ? blockOrder[i] : i;
    block.blockIdx[0] = uint32_t(index % config.grid.x);
    block.blockIdx[1] = uint32_t(index / config.grid.x % config.grid.y);
    block.blockIdx[2] = uint32_t(index / config.grid.x / config.grid.y);
    if (sharedBytes)
      std::memset(block.shared, DeviceMemory::fillByte, sharedBytes);
    if (kernel->loop)
      runLoop();
    else
      runFibers();
    if (!faultText.empty())
      return runtime::Status::error(faultText);
  }
  return runtime::Status();
}

void BlockRunner::prepareShared() {
  sharedBytes = kernel->sharedStaticBytes + config.sharedBytes;
  const size_t needed = sharedBytes + 2 * sharedAlignment + sharedRedZone;
  if (sharedStorage.size() < needed)
    sharedStorage.resize(needed);
  const uintptr_t base = reinterpret_cast<uintptr_t>(sharedStorage.data());
  uintptr_t start =
      (base + sharedAlignment - 1) / sharedAlignment * sharedAlignment;
  if (start / sharedAlignment % 2 == 0)
    start += sharedAlignment;
  block.shared = sharedStorage.data() + (start - base);
}

bool BlockRunner::prepareThreads() {
  const size_t stackBytes = baseStackBytes + 2 * kernel->localBytes;
  if (!fibers || fibers->size() < numThreads ||
      fibers->stackSize() < stackBytes) {
    fibers.reset();
    fibers = std::make_unique<FiberPool>(numThreads, stackBytes);
  }
  if (threads.size() < numThreads)
    threads.resize(numThreads);
  for (uint32_t i = 0; i < numThreads; ++i) {
    Thread &thread = threads[i];
    thread.threadIdx[0] = i % config.block.x;
    thread.threadIdx[1] = i / config.block.x % config.block.y;
    thread.threadIdx[2] = i / config.block.x / config.block.y;
    thread.linear = i;
    thread.block = &block;
  }
  return fibers->valid();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void BlockRunner::runLoop() {
  if (!order.isShuffled()) {
    kernel->loop(&block, 0, numThreads);
    return;
  }
  // Pieces that start anywhere, in any order: single threads would cost the
  // vectorisation of the loop.
  const uint32_t piece = std::min<uint32_t>(warpSize, (numThreads + 1) / 2);
  const uint32_t first = uint32_t(order.below(piece));
  std::vector<uint32_t> pieces;
  order.draw(pieces, numThreads / piece + 2);
  for (uint32_t index : pieces) {
    const int64_t begin = int64_t(index) * piece - first;
    const int64_t end = std::min<int64_t>(begin + piece, numThreads);
    if (std::max<int64_t>(begin, 0) < end)
      kernel->loop(&block, uint32_t(std::max<int64_t>(begin, 0)),
                   uint32_t(end));
  }
}

void BlockRunner::threadBody(void *argument) {
  Thread &thread = *static_cast<Thread *>(argument);
  thread.block->runner->kernel->thread(&thread);
  thread.phase = Thread::Phase::Done;
}

void BlockRunner::runFibers() {
  for (Barrier &barrier : barriers)
    barrier = Barrier();
  for (uint32_t i = 0; i < numThreads; ++i) {
    threads[i].phase = Thread::Phase::Ready;
    threads[i].copies.clear();
    threads[i].groupEnds.clear();
    fibers->start(i, threadBody, &threads[i]);
  }
  for (;;) {
    bool progressed = false;
    runRound(progressed);
    if (!faultText.empty())
      return;
    if (!progressed)
      break;
  }
  const auto end = threads.begin() + numThreads;
  if (!std::all_of(threads.begin(), end, [](const Thread &thread) {
        return thread.phase == Thread::Phase::Done;
      }))
    reportDeadlock();
}

void BlockRunner::runRound(bool &progressed) {
  const uint32_t numWarps = (numThreads + warpSize - 1) / warpSize;
  std::vector<uint32_t> warps;
  order.draw(warps, numWarps);
  for (uint32_t warp : warps) {
    runWarp(warp, progressed);
    if (!faultText.empty())
      return;
  }
}

void BlockRunner::runWarp(uint32_t warp, bool &progressed) {
  const uint32_t first = warp * warpSize;
  const uint32_t count = std::min(warpSize, numThreads - first);
  std::vector<uint32_t> lanes;
  for (bool ran = true; ran;) {
    ran = false;
    order.draw(lanes, count);
    for (uint32_t lane : lanes) {
      if (threads[first + lane].phase != Thread::Phase::Ready)
        continue;
      ran = progressed = true;
      fibers->resume(first + lane);
      if (!faultText.empty())
        return;
    }
  }
}

//===----------------------------------------------------------------------===//
// Synchronisation
//===----------------------------------------------------------------------===//

void BlockRunner::waitAtBarrier(Thread &thread, uint32_t id, uint32_t expected,
                                uint32_t site) {
  if (id >= numBarriers) {
    recordFault(thread.linear, site,
                "barrier " + std::to_string(id) + " does not exist");
    return abandonThread();
  }
  if (expected == 0)
    expected = numThreads;
  thread.phase = Thread::Phase::AtBarrier;
  thread.barrier = id;
  thread.site = site;
  if (++barriers[id].arrived < expected)
    return fibers->yield();
  releaseBarrier(id);
}

void BlockRunner::releaseBarrier(uint32_t id) {
  uint32_t numTrue = 0;
  const Thread *previous = nullptr;
  for (uint32_t i = 0; i < numThreads; ++i) {
    const Thread &thread = threads[i];
    if (thread.phase != Thread::Phase::AtBarrier || thread.barrier != id)
      continue;
    numTrue += thread.in[0] != 0;
    // The lanes of a warp must come to a barrier together.
    if (previous && previous->linear / warpSize == i / warpSize &&
        previous->site != thread.site) {
      recordFault(i, thread.site,
                  "divergent barrier: threads of one warp are at different "
                  "barriers");
      return abandonThread();
    }
    previous = &thread;
  }
  for (uint32_t i = 0; i < numThreads; ++i) {
    Thread &thread = threads[i];
    if (thread.phase != Thread::Phase::AtBarrier || thread.barrier != id)
      continue;
    thread.out[0] = numTrue;
    thread.phase = Thread::Phase::Ready;
  }
  barriers[id].arrived = 0;
}

void BlockRunner::meet(Thread &thread, uint32_t mask, WarpOperation operation) {
  if (!(mask >> thread.lane() & 1)) {
    recordFault(thread.linear, noSite,
                "warp operation whose member mask lacks the calling lane");
    return abandonThread();
  }
  thread.phase = Thread::Phase::InWarpOperation;
  thread.mask = mask;
  thread.operation = operation;
  const uint32_t first = thread.linear - thread.lane();
  const uint32_t count = std::min(warpSize, numThreads - first);
  uint32_t active = 0;
  for (uint32_t lane = 0; lane < count; ++lane) {
    const Thread &other = threads[first + lane];
    if (!(mask >> lane & 1) || other.phase == Thread::Phase::Done)
      continue;
    if (other.phase != Thread::Phase::InWarpOperation || other.mask != mask ||
        other.operation != operation)
      return fibers->yield();
    active |= 1u << lane;
  }
  operation(&threads[first], active);
  for (uint32_t lane = 0; lane < count; ++lane)
    if (active >> lane & 1)
      threads[first + lane].phase = Thread::Phase::Ready;
}

void BlockRunner::meetFullWarp(Thread &thread, WarpOperation operation) {
  const uint32_t first = thread.linear - thread.lane();
  bool full = numThreads - first >= warpSize;
  for (uint32_t lane = 0; full && lane < warpSize; ++lane)
    full = threads[first + lane].phase != Thread::Phase::Done;
  if (!full) {
    recordFault(thread.linear, noSite,
                "warp operation that needs all 32 lanes in an incomplete warp");
    return abandonThread();
  }
  meet(thread, UINT32_MAX, operation);
}

bool BlockRunner::isAccessible(uint64_t address, uint64_t bytes) const {
  const uint64_t offset = address - reinterpret_cast<uintptr_t>(block.shared);
  if (offset < sharedBytes)
    return bytes <= sharedBytes - offset;
  return memory.contains(address, bytes);
}
