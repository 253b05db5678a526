//===- Blocks.cpp - Repeated blocks of ops --------------------------------===//
#include "Search/Blocks.h"

#include <algorithm>
#include <unordered_map>

namespace ckpt::planner {

/// Mixes `item` into `hash` (the finaliser of SplitMix64; Steele, Lea, Flood
/// 2014).
static uint64_t mixed(uint64_t hash, uint64_t item) {
  uint64_t z = (hash ^ item) + 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

static uint64_t hashOfOp(const Graph &g, OpId op) {
  uint64_t hash = mixed(static_cast<uint64_t>(g.time[op]),
                        static_cast<uint64_t>(g.workspace[op]));
  hash = mixed(hash, static_cast<uint64_t>(g.recomputable[op]));
  for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v) {
    hash = mixed(hash, static_cast<uint64_t>(g.bytes[v]));
    hash = mixed(hash, static_cast<uint64_t>(2 * g.output[v] + g.mustStay[v]));
  }
  return mixed(hash, g.inputs[op].size());
}

std::vector<uint64_t> structuralHashes(const Graph &g) {
  // Deep enough to tell equal ops at different places of a block; at the border
  // of a repetition, hashes differ to this depth.
  constexpr int depth = 4;
  std::vector<uint64_t> hashes(g.numOps), next(g.numOps);
  for (OpId op = 0; op < g.numOps; ++op)
    hashes[op] = hashOfOp(g, op);
  for (int round = 0; round < depth; ++round) {
    for (OpId op = 0; op < g.numOps; ++op) {
      next[op] = hashes[op];
      // Inputs are sorted by id, which a mirrored backward pass turns round:
      // the order of inputs must not count.
      uint64_t sum = 0;
      for (ValueId v : g.inputs[op]) {
        OpId from = g.producer[v];
        sum +=
            mixed(hashes[from], static_cast<uint64_t>(v - g.firstResult[from]));
      }
      next[op] = mixed(next[op], sum);
    }
    hashes.swap(next);
  }
  return hashes;
}

std::vector<Repetition> findRepetitions(const Graph &g) {
  const std::vector<uint64_t> hashes = structuralHashes(g);
  // Of each op: the next one with the same hash.
  std::vector<OpId> nextAlike(g.numOps, kNone);
  std::unordered_map<uint64_t, OpId> seen;
  for (OpId op = g.numOps - 1; op >= 0; --op) {
    auto [place, isNew] = seen.emplace(hashes[op], op);
    if (!isNew) {
      nextAlike[op] = place->second;
      place->second = op;
    }
  }
  std::vector<Repetition> result;
  int64_t workLeft = 64 * static_cast<int64_t>(g.numOps);
  for (OpId first = 0; first < g.numOps;) {
    Repetition best{first, 0, 0};
    constexpr int candidates = 8;
    OpId alike = nextAlike[first];
    for (int i = 0; i < candidates && alike != kNone && workLeft > 0; ++i) {
      const int32_t period = alike - first;
      OpId end = first;
      while (end + period < g.numOps && hashes[end] == hashes[end + period])
        ++end;
      workLeft -= end - first + 1;
      if (int32_t count = (end - first) / period + 1; count >= 2) {
        best = {first, period, count};
        break;
      }
      alike = nextAlike[alike];
    }
    if (best.count == 0) {
      ++first;
      continue;
    }
    result.push_back(best);
    first += best.period * best.count;
  }
  return result;
}

Classes findClasses(const Graph &g) {
  Classes classes;
  classes.ofOp.assign(g.numOps, kNone);
  classes.ofValue.assign(g.numValues, kNone);
  // Of each class of ops: the class of its first result.
  std::vector<int32_t> firstValue;
  auto newClass = [&](OpId op) {
    firstValue.push_back(classes.numValues);
    classes.numValues += g.firstResult[op + 1] - g.firstResult[op];
    return classes.numOps++;
  };
  for (const Repetition &repetition : findRepetitions(g))
    for (int32_t place = 0; place < repetition.period; ++place) {
      const int32_t number = newClass(repetition.first + place);
      for (int32_t block = 0; block < repetition.count; ++block)
        classes.ofOp[repetition.first + block * repetition.period + place] =
            number;
    }
  for (OpId op = 0; op < g.numOps; ++op) {
    if (classes.ofOp[op] == kNone)
      classes.ofOp[op] = newClass(op);
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
      classes.ofValue[v] = firstValue[classes.ofOp[op]] + v - g.firstResult[op];
  }
  return classes;
}

} // namespace ckpt::planner
