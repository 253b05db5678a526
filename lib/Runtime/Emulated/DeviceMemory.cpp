//===- DeviceMemory.cpp - Global memory of the emulated device ------------===//

#include "DeviceMemory.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace ckpt;
using namespace ckpt::emulated;

/// cudaMalloc aligns to 256; code must not count on more.
static constexpr uint64_t alignment = 256;
/// Inaccessible bytes on either side of an allocation, at least.
static constexpr uint64_t redZoneBytes = 4096;
/// Address space that freed allocations may keep reserved.
static constexpr uint64_t maxRetiredBytes = uint64_t(1) << 42;
static constexpr size_t maxRetired = 4096;

static void *pointer(uint64_t address) {
  return reinterpret_cast<void *>(uintptr_t(address));
}

DeviceMemory::~DeviceMemory() {
  for (const auto &[begin, mapping] : live)
    munmap(pointer(mapping.mapBegin), mapping.mapBytes);
  for (const auto &[begin, mapping] : retired)
    munmap(pointer(mapping.mapBegin), mapping.mapBytes);
}

runtime::Status DeviceMemory::allocate(int64_t bytes, void *&address) {
  const uint64_t page = uint64_t(sysconf(_SC_PAGESIZE));
  const uint64_t redZone = (redZoneBytes + page - 1) / page * page;
  const uint64_t wanted = static_cast<uint64_t>(bytes);
  // One more multiple of the alignment, so that it is the exact one.
  const uint64_t inner = (wanted + alignment + page - 1) / page * page;
  Mapping mapping;
  mapping.bytes = wanted;
  mapping.mapBytes = inner + 2 * redZone;
  void *base = mmap(nullptr, mapping.mapBytes, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    return runtime::Status::error("out of memory: the emulated device cannot "
                                  "allocate " +
                                  std::to_string(bytes) + " bytes");
  mapping.mapBegin = reinterpret_cast<uintptr_t>(base);
  char *usable = static_cast<char *>(base) + redZone;
  // Linux refuses what cannot be backed here, not at the first write.
  void *backed = mmap(usable, inner, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (backed == MAP_FAILED) {
    munmap(base, mapping.mapBytes);
    return runtime::Status::error("out of memory: the emulated device cannot "
                                  "allocate " +
                                  std::to_string(bytes) + " bytes");
  }
  address = usable + alignment;
  std::memset(address, fillByte, wanted);
  live[reinterpret_cast<uintptr_t>(address)] = mapping;
  return runtime::Status();
}

runtime::Status DeviceMemory::free(void *address) {
  auto it = live.find(reinterpret_cast<uintptr_t>(address));
  if (it == live.end())
    return runtime::Status::error("the emulated device has no such allocation");
  Mapping mapping = it->second;
  uint64_t begin = it->first;
  live.erase(it);
  retire(begin, mapping);
  return runtime::Status();
}

void DeviceMemory::retire(uint64_t begin, const Mapping &mapping) {
  // Gives back the memory and keeps the addresses.
  mmap(pointer(mapping.mapBegin), mapping.mapBytes, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  retired.push_back({begin, mapping});
  retiredBytes += mapping.mapBytes;
  while (retired.size() > maxRetired || retiredBytes > maxRetiredBytes) {
    const Mapping &oldest = retired.front().second;
    munmap(pointer(oldest.mapBegin), oldest.mapBytes);
    retiredBytes -= oldest.mapBytes;
    retired.pop_front();
  }
}

MemoryRange DeviceMemory::rangeOf(uint64_t address) const {
  auto it = live.upper_bound(address);
  if (it == live.begin())
    return {};
  --it;
  if (address - it->first >= it->second.bytes)
    return {};
  return {it->first, it->second.bytes};
}

bool DeviceMemory::contains(uint64_t address, uint64_t bytes) const {
  MemoryRange range = rangeOf(address);
  return range.bytes > 0 && bytes <= range.bytes - (address - range.begin);
}

static std::string bytesText(uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string DeviceMemory::describe(uint64_t address) const {
  for (const auto &[begin, mapping] : retired)
    if (address - mapping.mapBegin < mapping.mapBytes)
      return "in or beside a freed buffer of " + bytesText(mapping.bytes);
  if (MemoryRange range = rangeOf(address); range.bytes > 0)
    return bytesText(address - range.begin) + " into a live buffer of " +
           bytesText(range.bytes);
  auto next = live.upper_bound(address);
  uint64_t before = next == live.end() ? UINT64_MAX : next->first - address;
  if (next != live.begin()) {
    auto previous = std::prev(next);
    uint64_t past = address - previous->first - previous->second.bytes;
    if (past <= before)
      return bytesText(past) + " past the end of a live buffer of " +
             bytesText(previous->second.bytes);
  }
  if (next != live.end())
    return bytesText(before) + " before a live buffer of " +
           bytesText(next->second.bytes);
  return "outside of all buffers";
}
