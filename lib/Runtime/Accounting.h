//===- Accounting.h - Every byte a context has allocated --------*- C++ -*-===//
#ifndef CKPT_LIB_RUNTIME_ACCOUNTING_H
#define CKPT_LIB_RUNTIME_ACCOUNTING_H

#include "ckpt/Runtime/Runtime.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ckpt::runtime {

/// Whose memory an allocation is.
enum class Owner {
  /// The caller's arguments and results.
  Caller,
  /// What a running step has acquired.
  Step,
};

struct Allocation {
  uint64_t begin = 0;
  int64_t bytes = 0;
  Owner owner = Owner::Caller;
};

/// The live allocations of a context by address, and the counters over them.
class Accounting {
public:
  void add(void *address, int64_t bytes, Owner owner);
  /// Removes the allocation that starts at `address`; false if there is none
  /// with this owner.
  bool remove(void *address, Owner owner);

  /// The live allocation that starts exactly at `address`, or null.
  const Allocation *find(const void *address) const;
  /// The live allocation that holds all of [address, address + bytes), or null.
  const Allocation *containing(const void *address, int64_t bytes) const;
  /// Addresses of all live allocations of an owner, ascending.
  std::vector<void *> addresses(Owner owner) const;

  void countLaunch() { ++counters.launches; }
  const CkptCounters &current() const { return counters; }
  /// The peak becomes what is held now; the launches start from zero.
  void reset();

private:
  std::map<uint64_t, Allocation> live;
  CkptCounters counters = {};
};

} // namespace ckpt::runtime

#endif // CKPT_LIB_RUNTIME_ACCOUNTING_H
