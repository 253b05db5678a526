//===- BlockChain.h - A training step as a chain of blocks ------*- C++ -*-===//
//
// A deep network cut where little crosses. Positions in the forward pass have
// counterparts in the backward pass, such that what lies between the two reads
// little that was made before, and little of what it makes is read after it:
//
//   block 0 | block 1 | ... | turn | ... | backward 1 | backward 0
//
// So the blocks from any position on can run, forwards and backwards, on their
// own, from few bytes to few bytes: that is what dynamic programmes over chains
// need. Each block may be any graph.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_LIB_PLANNER_SEARCH_BLOCKCHAIN_H
#define CKPT_LIB_PLANNER_SEARCH_BLOCKCHAIN_H

#include "Graph.h"

#include <algorithm>

namespace ckpt::planner {

struct BlockChain {
  /// Block b has the forward ops forward[b] .. forward[b + 1] - 1 and the
  /// backward ops backward[b + 1] .. backward[b] - 1. What lies between the
  /// last two positions, the turn, is a block of its own. Forward positions
  /// begin with 0, backward ones with the number of ops.
  std::vector<OpId> forward, backward;

  /// Blocks besides the turn.
  int32_t numBlocks() const { return static_cast<int32_t>(forward.size()) - 1; }
};

/// Is `v`, if made before it, read at or after the forward position of block
/// `b` and before its backward position?
inline bool entersBlock(const Graph &g, const BlockChain &chain, ValueId v,
                        int32_t b) {
  Rows::Range users = g.users[v];
  const int32_t *first =
      std::lower_bound(users.begin(), users.end(), chain.forward[b]);
  return first != users.end() && *first < chain.backward[b];
}

/// Is `v` read after the backward position of block `b`?
inline bool readAfter(const Graph &g, const BlockChain &chain, ValueId v,
                      int32_t b) {
  return !g.users[v].empty() && g.users[v].back() >= chain.backward[b];
}

/// The same, or is `v` an output?
inline bool leavesBlock(const Graph &g, const BlockChain &chain, ValueId v,
                        int32_t b) {
  return g.output[v] || readAfter(g, chain, v, b);
}

struct BlockChainOptions {
  /// An op between the forward and the backward pass, where memory is full.
  OpId turn = 0;
  /// No position is crossed by more.
  int64_t maxBytes = INT64_MAX;
  /// Narrowest places nearby are taken, over so wide windows that there are no
  /// more blocks than this.
  int32_t maxBlocks = 160;
};

/// The chain of blocks of the base order; no blocks where nothing narrow is
/// found. O(size log n).
BlockChain findBlockChain(const Graph &g, const BlockChainOptions &options);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SEARCH_BLOCKCHAIN_H
