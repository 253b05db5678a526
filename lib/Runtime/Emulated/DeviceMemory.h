//===- DeviceMemory.h - Global memory of the emulated device ----*- C++ -*-===//
//
// Host memory that plays a GPU's global memory, so laid out that mistakes show:
// every allocation has inaccessible pages of its own on both sides, starts at
// an address that is a multiple of 256 and of no more, is filled with bytes
// 0xFF (a NaN in every float type, -1 in every integer type), and a freed
// address stays unused for long.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_LIB_RUNTIME_EMULATED_DEVICEMEMORY_H
#define CKPT_LIB_RUNTIME_EMULATED_DEVICEMEMORY_H

#include "ckpt/Runtime/Device.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace ckpt::emulated {

/// Addresses [begin, begin + bytes). Generated code reads this layout.
struct MemoryRange {
  uint64_t begin = 0;
  uint64_t bytes = 0;
};

class DeviceMemory {
public:
  /// What fresh memory, global or shared, is filled with.
  static constexpr int fillByte = 0xFF;

  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;
  ~DeviceMemory();

  runtime::Status allocate(int64_t bytes, void *&address);
  runtime::Status free(void *address);

  /// The live allocation that holds `address`, or an empty range.
  MemoryRange rangeOf(uint64_t address) const;
  /// Whether [address, address + bytes) lies inside one live allocation.
  bool contains(uint64_t address, uint64_t bytes) const;
  /// Where `address` lies, for an error message: "16 bytes past the end of a
  /// live buffer of 1024 bytes", "inside a freed buffer of 1024 bytes", ....
  std::string describe(uint64_t address) const;

private:
  struct Mapping {
    uint64_t bytes = 0;
    uint64_t mapBegin = 0;
    uint64_t mapBytes = 0;
  };
  void retire(uint64_t begin, const Mapping &mapping);

  /// By address of the first byte.
  std::map<uint64_t, Mapping> live;
  /// Freed allocations whose addresses are still reserved, oldest first.
  std::deque<std::pair<uint64_t, Mapping>> retired;
  uint64_t retiredBytes = 0;
};

} // namespace ckpt::emulated

#endif // CKPT_LIB_RUNTIME_EMULATED_DEVICEMEMORY_H
