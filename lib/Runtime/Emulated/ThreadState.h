//===- ThreadState.h - What generated code and the emulator share -*- C++
//-*-===//
//
// Kernels are rewritten to take their position in the grid and their memory
// from these structures, and to call the functions below for whatever one
// thread cannot do alone. The layout of the leading members is known to the
// rewriter.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_LIB_RUNTIME_EMULATED_THREADSTATE_H
#define CKPT_LIB_RUNTIME_EMULATED_THREADSTATE_H

#include "DeviceMemory.h"

#include <cstddef>
#include <cstdint>

namespace ckpt::emulated {

class BlockRunner;

/// What a launch gives for a kernel parameter that is a pointer; zero for
/// others.
struct KernelArgument {
  uint64_t address = 0;
  /// The live allocation that holds the address.
  MemoryRange range;
};

/// One block on its way through a kernel.
struct BlockState {
  uint32_t blockIdx[3] = {0, 0, 0};
  uint32_t sharedDynamicBytes = 0;
  /// The block's shared memory: static buffers, then the dynamic one.
  char *shared = nullptr;
  /// One pointer per kernel parameter.
  void **params = nullptr;
  /// One per kernel parameter.
  const KernelArgument *arguments = nullptr;
  BlockRunner *runner = nullptr;
};

/// One thread, where every thread has a stack of its own.
struct ThreadState {
  uint32_t threadIdx[3] = {0, 0, 0};
  /// Position in the block, x fastest: warp = linear / 32, lane = linear % 32.
  uint32_t linear = 0;
  BlockState *block = nullptr;
};

namespace layout {
inline constexpr size_t blockIdx = offsetof(BlockState, blockIdx);
inline constexpr size_t sharedDynamicBytes =
    offsetof(BlockState, sharedDynamicBytes);
inline constexpr size_t shared = offsetof(BlockState, shared);
inline constexpr size_t params = offsetof(BlockState, params);
inline constexpr size_t arguments = offsetof(BlockState, arguments);
inline constexpr size_t threadIdx = offsetof(ThreadState, threadIdx);
inline constexpr size_t linear = offsetof(ThreadState, linear);
inline constexpr size_t block = offsetof(ThreadState, block);
} // namespace layout

/// A kernel's entry point where its threads need not wait for each other: runs
/// the threads [begin, end) of a block, by linear position.
using ThreadLoop = void (*)(BlockState *block, uint32_t begin, uint32_t end);
/// A kernel's entry point where they do: runs one thread.
using ThreadFunction = void (*)(ThreadState *thread);

} // namespace ckpt::emulated

#endif // CKPT_LIB_RUNTIME_EMULATED_THREADSTATE_H
