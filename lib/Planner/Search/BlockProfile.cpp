//===- BlockProfile.cpp - What the blocks of a chain take -----------------===//
#include "Search/BlockProfile.h"

#include <algorithm>

namespace ckpt::planner {

BlockProfile::BlockProfile(const Graph &g, const BlockChain &chain,
                           const BlockLevels &levels)
    : g(g), chain(chain), levels(levels), runner(g, chain, levels),
      profile(chain.numBlocks() + 1), lastReader(g.numValues, kNone),
      counts(g.numValues, false) {
  computeEntering();
  const int32_t turn = chain.numBlocks();
  // Values that the backward ops of a block are given by the blocks after it.
  std::vector<ValueId> given;
  auto leave = [&](int32_t b, OpId from, OpId to) {
    for (ValueId v = g.firstResult[from]; v < g.firstResult[to]; ++v) {
      if (g.output[v])
        profile[b].outputBytes += g.bytes[v];
      if (readAfter(g, chain, v, b))
        given.push_back(v);
    }
  };
  auto gradientBytes = [&] {
    int64_t bytes = 0;
    for (ValueId v : given)
      bytes += g.output[v] ? 0 : g.bytes[v];
    return bytes;
  };
  runner.runTurn();
  const OpId end = chain.backward[turn];
  leave(turn, chain.forward[turn], end);
  profile[turn].forwardPeak.push_back(
      peak({}, [&](ValueId v) { return leavesBlock(g, chain, v, turn); }));
  profile[turn].gradientBytes = gradientBytes();
  for (int32_t b = turn - 1; b >= 0; --b) {
    profileBlock(b, given);
    given.erase(
        std::remove_if(given.begin(), given.end(),
                       [&](ValueId v) { return !readAfter(g, chain, v, b); }),
        given.end());
    leave(b, chain.forward[b], chain.forward[b + 1]);
    leave(b, chain.backward[b + 1], chain.backward[b]);
    profile[b].gradientBytes = gradientBytes();
  }
}

void BlockProfile::computeEntering() {
  const size_t row = profile.size();
  entering.assign(row * row, 0);
  // First what is made in block i alone, then sums over i from the right.
  for (int32_t b = 0; b < chain.numBlocks(); ++b) {
    const ValueId from = g.firstResult[chain.forward[b]];
    const ValueId to = g.firstResult[chain.forward[b + 1]];
    for (ValueId v = from; v < to; ++v)
      for (int32_t next = b + 1; next <= chain.numBlocks(); ++next) {
        // What no forward op reads any more enters as long as the backward
        // positions are beyond its first reader.
        if (!entersBlock(g, chain, v, next))
          break;
        entering[b * row + next] += g.bytes[v];
      }
  }
  for (int32_t b = chain.numBlocks() - 2; b >= 0; --b)
    for (int32_t next = b + 2; next <= chain.numBlocks(); ++next)
      entering[b * row + next] += entering[(b + 1) * row + next];
}

int64_t BlockProfile::time() const {
  int64_t sum = 0;
  for (OpId op : runner.runs())
    sum += g.time[op];
  return sum;
}

template <typename Fn>
int64_t BlockProfile::peak(const std::vector<ValueId> &initial, Fn kept) {
  const std::vector<OpId> &runs = runner.runs();
  for (int32_t k = 0; k < static_cast<int32_t>(runs.size()); ++k)
    for (ValueId v : g.inputs[runs[k]])
      lastReader[v] = k;
  int64_t bytes = 0, most = 0;
  auto begin = [&](ValueId v) {
    bytes += counts[v] ? 0 : g.bytes[v];
    counts[v] = true;
  };
  auto end = [&](ValueId v, int32_t k) {
    if (counts[v] && lastReader[v] <= k && !kept(v)) {
      counts[v] = false;
      bytes -= g.bytes[v];
    }
  };
  for (ValueId v : initial)
    begin(v);
  for (ValueId v : initial)
    end(v, -1);
  for (int32_t k = 0; k < static_cast<int32_t>(runs.size()); ++k) {
    const OpId op = runs[k];
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
      begin(v);
    most = std::max(most, bytes + g.workspace[op]);
    for (ValueId v : g.inputs[op])
      end(v, k);
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
      end(v, k);
  }
  most = std::max(most, bytes);
  for (ValueId v : initial)
    counts[v] = false;
  for (OpId op : runs) {
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v) {
      counts[v] = false;
      lastReader[v] = kNone;
    }
    for (ValueId v : g.inputs[op])
      lastReader[v] = kNone;
  }
  return most;
}

void BlockProfile::profileBlock(int32_t b, const std::vector<ValueId> &given) {
  Block &block = profile[b];
  const OpId first = chain.forward[b], end = chain.forward[b + 1];
  // What enters the block is held and does not count.
  std::vector<ValueId> entering;
  for (OpId op = first; op < end; ++op)
    for (ValueId v : g.inputs[op])
      if (g.producer[v] < first)
        entering.push_back(v);
  for (OpId op = chain.backward[b + 1]; op < chain.backward[b]; ++op)
    for (ValueId v : g.inputs[op])
      if (g.producer[v] < first)
        entering.push_back(v);
  auto hold = [&](const std::vector<ValueId> &values, bool yes) {
    for (ValueId v : values)
      runner.setHeld(v, yes);
  };
  hold(entering, true);
  // What a level keeps, and what enters the next block besides.
  auto keptBy = [&](int32_t level, bool withNext) {
    std::vector<ValueId> values;
    for (ValueId v = g.firstResult[first]; v < g.firstResult[end]; ++v)
      if (levels.keeps(level, v) ||
          (withNext && entersBlock(g, chain, v, b + 1)))
        values.push_back(v);
    return values;
  };
  auto startFrom = [&](const std::vector<ValueId> &values) {
    for (ValueId v = g.firstResult[first]; v < g.firstResult[end]; ++v)
      runner.setHeld(v, false);
    hold(values, true);
    runner.clearRuns();
  };
  block.again.resize(static_cast<size_t>(levels.count) * levels.count);
  for (int32_t to = 0; to < levels.count; ++to) {
    auto kept = [&](ValueId v) {
      return levels.keeps(to, v) || entersBlock(g, chain, v, b + 1);
    };
    block.keptBytes.push_back(0);
    for (ValueId v : keptBy(to, false))
      block.keptBytes.back() += g.bytes[v];
    startFrom({});
    runner.runForward(b);
    block.forwardPeak.push_back(peak({}, kept));
    for (int32_t from = 0; from <= to; ++from) {
      const std::vector<ValueId> initial = keptBy(from, false);
      startFrom(initial);
      runner.runAgain(b, to);
      block.again[static_cast<size_t>(from) * levels.count + to] = {
          time(), peak(initial, kept)};
    }
    for (bool withNext : {false, true}) {
      std::vector<ValueId> initial = keptBy(to, withNext);
      startFrom(initial);
      hold(given, true);
      runner.runBackward(b);
      for (ValueId v : given)
        if (!g.output[v])
          initial.push_back(v);
      int64_t backwardTime = time();
      for (OpId op = chain.backward[b + 1]; op < chain.backward[b]; ++op)
        backwardTime -= g.time[op];
      block.backward[withNext].push_back(
          {backwardTime, peak(initial, [&](ValueId v) {
             return leavesBlock(g, chain, v, b);
           })});
    }
  }
  startFrom({});
  hold(entering, false);
  hold(given, false);
}

} // namespace ckpt::planner
