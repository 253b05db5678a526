//===- Accounting.cpp - Every byte a context has allocated ----------------===//

#include "Accounting.h"

#include <algorithm>

using namespace ckpt::runtime;

static uint64_t key(const void *address) {
  return reinterpret_cast<uintptr_t>(address);
}

void Accounting::add(void *address, int64_t bytes, Owner owner) {
  live[key(address)] = {key(address), bytes, owner};
  if (owner == Owner::Caller) {
    counters.callerBytes += bytes;
    return;
  }
  counters.stepBytes += bytes;
  counters.stepPeakBytes = std::max(counters.stepPeakBytes, counters.stepBytes);
}

bool Accounting::remove(void *address, Owner owner) {
  auto it = live.find(key(address));
  if (it == live.end() || it->second.owner != owner)
    return false;
  int64_t &counter =
      owner == Owner::Caller ? counters.callerBytes : counters.stepBytes;
  counter -= it->second.bytes;
  live.erase(it);
  return true;
}

const Allocation *Accounting::find(const void *address) const {
  auto it = live.find(key(address));
  return it == live.end() ? nullptr : &it->second;
}

const Allocation *Accounting::containing(const void *address,
                                         int64_t bytes) const {
  auto it = live.upper_bound(key(address));
  if (it == live.begin())
    return nullptr;
  const Allocation &allocation = std::prev(it)->second;
  uint64_t offset = key(address) - allocation.begin;
  uint64_t size = static_cast<uint64_t>(allocation.bytes);
  if (offset > size || static_cast<uint64_t>(bytes) > size - offset)
    return nullptr;
  return &allocation;
}

std::vector<void *> Accounting::addresses(Owner owner) const {
  std::vector<void *> result;
  for (const auto &[address, allocation] : live)
    if (allocation.owner == owner)
      result.push_back(reinterpret_cast<void *>(uintptr_t(address)));
  return result;
}

void Accounting::reset() {
  counters.stepPeakBytes = counters.stepBytes;
  counters.launches = 0;
}
