//===- KernelInfo.h - What is known about a compiled kernel -----*- C++ -*-===//
#ifndef CKPT_LIB_RUNTIME_EMULATED_KERNELINFO_H
#define CKPT_LIB_RUNTIME_EMULATED_KERNELINFO_H

#include "ThreadState.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ckpt::emulated {

/// A place in a kernel that may fail, as error messages name it.
struct FaultSite {
  enum class Kind { Read, Write, Atomic, Barrier, Trap };
  Kind kind = Kind::Read;
  /// Accesses: size and required alignment, in bytes.
  uint64_t bytes = 0;
  uint64_t alignment = 1;
  /// What is accessed: "argument 2", "shared buffer 'tile'", or empty.
  std::string object;
  /// "file:line", or empty where the kernel has no debug information.
  std::string location;
};

/// What must hold at a launch for the accesses of a kernel without checks to be
/// in bounds: parameter `param` points to memory that is live from `low` to
/// `high` (bytes relative to it), and is a multiple of `alignment`.
struct LaunchRequirement {
  uint32_t param = 0;
  int64_t low = 0;
  int64_t high = 0;
  uint64_t alignment = 1;
};

/// A kernel compiled for one grid and block size.
struct CompiledKernel {
  std::string name;
  /// One of the two is set.
  ThreadLoop loop = nullptr;
  ThreadFunction thread = nullptr;
  /// Bytes of static shared memory, red zones included; the dynamic buffer
  /// starts there.
  uint64_t sharedStaticBytes = 0;
  /// Bytes of stack that one thread takes.
  uint64_t stackBytes = 0;
  std::vector<FaultSite> sites;
  std::vector<LaunchRequirement> requirements;
};

} // namespace ckpt::emulated

#endif // CKPT_LIB_RUNTIME_EMULATED_KERNELINFO_H
