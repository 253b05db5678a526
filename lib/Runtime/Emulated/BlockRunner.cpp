//===- BlockRunner.cpp - Runs a kernel's blocks, one after another --------===//

#include "BlockRunner.h"

#include "../GeneratedCode.h"

#include <algorithm>
#include <cstring>

using namespace ckpt;
using namespace ckpt::emulated;

/// Stack of a thread beside its own frame: calls of libm and of the functions
/// here.
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
                                 void **params,
                                 const KernelArgument *arguments) {
  kernel = &launched;
  config = launchConfig;
  numThreads = uint32_t(config.block.count());
  block.params = params;
  block.arguments = arguments;
  block.runner = this;
  block.sharedDynamicBytes = config.sharedBytes;
  faultText.clear();
  prepareShared();
  if (kernel->thread && !prepareThreads())
    return runtime::Status::error("kernel '" + kernel->name +
                                  "': out of memory for the threads' stacks");

  const uint64_t numBlocks = config.grid.count();
  const Stride stride = order.drawStride(numBlocks);
  uint64_t index = stride.first;
  for (uint64_t i = 0; i < numBlocks; ++i) {
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
    index = stride.next(index);
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
  const size_t stackBytes = baseStackBytes + kernel->stackBytes;
  if (!fibers || fibers->size() < numThreads ||
      fibers->stackSize() < stackBytes) {
    fibers.reset();
    fibers =
        std::make_unique<FiberPool>(numThreads, stackBytes, fiberBody, this);
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
  warps.assign((numThreads + warpSize - 1) / warpSize, Warp());
  for (uint32_t i = 0; i < warps.size(); ++i) {
    const uint32_t count = std::min(warpSize, numThreads - i * warpSize);
    warps[i].lanes = UINT32_MAX >> (warpSize - count);
  }
  return fibers->valid();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

CKPT_CALLS_GENERATED_CODE
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

void BlockRunner::runFibers() {
  for (Barrier &barrier : barriers)
    barrier = Barrier();
  for (Warp &warp : warps) {
    warp.ready = warp.lanes;
    warp.done = 0;
  }
  std::vector<uint32_t> warpOrder;
  for (bool progressed = true; progressed;) {
    progressed = false;
    order.draw(warpOrder, uint32_t(warps.size()));
    for (uint32_t warp : warpOrder)
      while (warps[warp].ready) {
        progressed = true;
        resumeLane(warp);
        if (!faultText.empty())
          return;
      }
  }
  for (const Warp &warp : warps)
    if (warp.done != warp.lanes)
      return reportDeadlock();
}

void BlockRunner::resumeLane(uint32_t index) {
  Warp &warp = warps[index];
  const uint32_t start = uint32_t(order.below(warpSize));
  // The first ready lane from `start` on, around the warp.
  const uint32_t after = warp.ready >> start << start;
  const uint32_t lane = uint32_t(__builtin_ctz(after ? after : warp.ready));
  warp.ready &= ~(1u << lane);
  fibers->switchTo(index * warpSize + lane);
}

void BlockRunner::leave(Thread &thread) {
  if (warps[thread.warp()].ready)
    resumeLane(thread.warp());
  else
    fibers->switchToScheduler();
}

void BlockRunner::fiberBody(void *argument, uint32_t index) {
  BlockRunner &runner = *static_cast<BlockRunner *>(argument);
  runner.runThread(runner.threads[index]);
}

CKPT_CALLS_GENERATED_CODE
void BlockRunner::runThread(Thread &thread) {
  thread.copies.clear();
  thread.groupEnds.clear();
  kernel->thread(&thread);
  Warp &warp = warps[thread.warp()];
  warp.done |= 1u << thread.lane();
  // Lanes that have ended are not waited for.
  for (uint32_t waiting = warp.inOperation; waiting; waiting &= waiting - 1) {
    const uint32_t lane = uint32_t(__builtin_ctz(waiting));
    if (completeOperation(threads[thread.warp() * warpSize + lane]))
      break;
  }
  leave(thread);
}

//===----------------------------------------------------------------------===//
// Synchronisation
//===----------------------------------------------------------------------===//

uint32_t BlockRunner::waitAtBarrier(Thread &thread, uint32_t id,
                                    uint32_t expected, uint32_t site,
                                    uint32_t predicate) {
  if (id >= numBarriers) {
    recordFault(thread.linear, site,
                "barrier " + std::to_string(id) + " does not exist");
    abandonThread();
  }
  Warp &warp = warps[thread.warp()];
  // The lanes of a warp must come to a barrier together.
  if (warp.atBarrier[id] && warp.barrierSite[id] != site) {
    recordFault(thread.linear, site,
                "divergent barrier: threads of one warp are at different "
                "barriers");
    abandonThread();
  }
  Barrier &barrier = barriers[id];
  barrier.arrivedTrue += predicate != 0;
  warp.barrierSite[id] = site;
  warp.atBarrier[id] |= 1u << thread.lane();
  if (++barrier.arrived < (expected ? expected : numThreads)) {
    leave(thread);
    return barrier.result;
  }
  for (Warp &other : warps) {
    other.ready |= other.atBarrier[id];
    other.atBarrier[id] = 0;
  }
  warp.ready &= ~(1u << thread.lane());
  barrier.result = barrier.arrivedTrue;
  barrier.arrived = barrier.arrivedTrue = 0;
  return barrier.result;
}

/// Does the operation that `thread` waits in, if all its lanes have come; they
/// are ready then.
bool BlockRunner::completeOperation(Thread &thread) {
  Warp &warp = warps[thread.warp()];
  const uint32_t active = thread.mask & warp.lanes & ~warp.done;
  if (active & ~warp.inOperation)
    return false;
  Thread *lanes = &threads[thread.warp() * warpSize];
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const Thread &other = lanes[__builtin_ctz(rest)];
    if (other.mask != thread.mask || other.operation != thread.operation)
      return false;
  }
  thread.operation(lanes, active);
  warp.inOperation &= ~active;
  warp.ready |= active;
  return true;
}

void BlockRunner::meet(Thread &thread, uint32_t mask, WarpOperation operation) {
  const uint32_t self = 1u << thread.lane();
  if (!(mask & self)) {
    recordFault(thread.linear, noSite,
                "warp operation whose member mask lacks the calling lane");
    abandonThread();
  }
  thread.mask = mask;
  thread.operation = operation;
  Warp &warp = warps[thread.warp()];
  warp.inOperation |= self;
  if (completeOperation(thread))
    warp.ready &= ~self;
  else
    leave(thread);
}

void BlockRunner::meetFullWarp(Thread &thread, WarpOperation operation) {
  const Warp &warp = warps[thread.warp()];
  if ((warp.lanes & ~warp.done) != UINT32_MAX) {
    recordFault(thread.linear, noSite,
                "warp operation that needs all 32 lanes in an incomplete warp");
    abandonThread();
  }
  meet(thread, UINT32_MAX, operation);
}

bool BlockRunner::isAccessible(uint64_t address, uint64_t bytes) const {
  const uint64_t offset = address - reinterpret_cast<uintptr_t>(block.shared);
  if (offset < sharedBytes)
    return bytes <= sharedBytes - offset;
  return memory.contains(address, bytes);
}
