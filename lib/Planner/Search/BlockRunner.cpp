//===- BlockRunner.cpp - Runs of the blocks of a chain --------------------===//
#include "Search/BlockRunner.h"

#include <algorithm>

namespace ckpt::planner {

BlockRunner::BlockRunner(const Graph &g, const BlockChain &chain,
                         const BlockLevels &levels)
    : g(g), chain(chain), levels(levels), held(g.numValues, false) {}

void BlockRunner::run(OpId op) {
  sequence.push_back(op);
  std::fill(held.begin() + g.firstResult[op],
            held.begin() + g.firstResult[op + 1], true);
}

void BlockRunner::runWithInputs(OpId op) {
  pending.push_back(op);
  while (!pending.empty()) {
    const OpId next = pending.back();
    const size_t before = pending.size();
    for (ValueId v : g.inputs[next])
      if (!held[v])
        pending.push_back(g.producer[v]);
    if (pending.size() > before)
      continue;
    pending.pop_back();
    // It may have been pending twice.
    if (next == op || !std::all_of(held.begin() + g.firstResult[next],
                                   held.begin() + g.firstResult[next + 1],
                                   [](char yes) { return yes != 0; }))
      run(next);
  }
}

void BlockRunner::runForward(int32_t b) {
  for (OpId op = chain.forward[b]; op < chain.forward[b + 1]; ++op)
    run(op);
}

void BlockRunner::runAgain(int32_t b, int32_t level) {
  for (OpId op = chain.forward[b]; op < chain.forward[b + 1]; ++op)
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
      if (!held[v] &&
          (levels.keeps(level, v) || entersBlock(g, chain, v, b + 1))) {
        runWithInputs(op);
        break;
      }
}

void BlockRunner::dropAllBut(int32_t first, int32_t end, int32_t level,
                             bool withNext) {
  const ValueId from = g.firstResult[chain.forward[first]];
  const ValueId to = g.firstResult[chain.forward[end]];
  for (ValueId v = from; v < to; ++v)
    if (held[v] && !levels.keeps(level, v) &&
        !(withNext && entersBlock(g, chain, v, end)))
      held[v] = false;
}

void BlockRunner::runBackward(int32_t b) {
  for (OpId op = chain.backward[b + 1]; op < chain.backward[b]; ++op)
    runWithInputs(op);
  const ValueId from = g.firstResult[chain.forward[b]];
  const ValueId to = g.firstResult[chain.forward[b + 1]];
  for (ValueId v = from; v < to; ++v)
    held[v] = held[v] && leavesBlock(g, chain, v, b);
}

void BlockRunner::runTurn() {
  for (OpId op = chain.forward.back(); op < chain.backward.back(); ++op)
    run(op);
}

} // namespace ckpt::planner
