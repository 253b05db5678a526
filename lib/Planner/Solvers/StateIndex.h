//===- StateIndex.h - States of a search by what they are -------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SOLVERS_STATEINDEX_H
#define CKPT_LIB_PLANNER_SOLVERS_STATEINDEX_H

#include "Solvers/OpMasks.h"

#include <vector>

namespace ckpt::planner {

/// Mixes two words into one whose low bits differ.
inline uint64_t hashOf(SmallMask first, SmallMask second) {
  uint64_t h = first * 0x9E3779B97F4A7C15ull;
  h = (h ^ (h >> 29)) + second;
  h *= 0xBF58476D1CE4E5B9ull;
  return h ^ (h >> 32);
}
inline uint64_t hashOf(LargeMask first, LargeMask second) {
  auto hash = [](LargeMask mask) {
    return hashOf(static_cast<SmallMask>(mask),
                  static_cast<SmallMask>(mask >> 64));
  };
  return hashOf(hash(first), hash(second));
}

/// Finds entries of a growing list by their state (members `state`, with ==
/// and `hash()`). A table with open addressing of at most half its slots: a
/// search looks up some ten states for each that it keeps.
template <typename Entry, typename State>
class StateIndex {
public:
  /// The index of the entry with `state`, or kNone.
  int32_t find(const std::vector<Entry> &entries, State state) const {
    return slots.empty() ? kNone : slots[slotOf(entries, state)];
  }

  /// Puts an entry into the list, in place of a dearer one (`cost`) with its
  /// state. Returns where it is; kNone: there is one that costs no more.
  int32_t keepCheaper(std::vector<Entry> &entries, const Entry &entry) {
    const int32_t old = find(entries, entry.state);
    if (old == kNone) {
      entries.push_back(entry);
      noteLast(entries);
      return static_cast<int32_t>(entries.size()) - 1;
    }
    if (entry.cost >= entries[old].cost)
      return kNone;
    entries[old] = entry;
    return old;
  }

private:
  std::vector<int32_t> slots;

  void noteLast(const std::vector<Entry> &entries) {
    const size_t count = entries.size();
    if (2 * count > slots.size()) {
      slots.assign(slots.empty() ? 1024 : 2 * slots.size(), kNone);
      for (size_t i = 0; i + 1 < count; ++i)
        slots[slotOf(entries, entries[i].state)] = static_cast<int32_t>(i);
    }
    slots[slotOf(entries, entries.back().state)] =
        static_cast<int32_t>(count - 1);
  }

  /// Where the state is, or would be.
  size_t slotOf(const std::vector<Entry> &entries, State state) const {
    const size_t mask = slots.size() - 1;
    size_t slot = state.hash() & mask;
    while (slots[slot] != kNone && !(entries[slots[slot]].state == state))
      slot = (slot + 1) & mask;
    return slot;
  }
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SOLVERS_STATEINDEX_H
