//===- BlockLevels.h - What is kept of the blocks of a chain ----*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SEARCH_BLOCKLEVELS_H
#define CKPT_LIB_PLANNER_SEARCH_BLOCKLEVELS_H

#include "Effort.h"
#include "Search/BlockChain.h"

namespace ckpt::planner {

/// What is kept of each block while the blocks after it run, in levels from
/// little to all that the backward pass reads, each a superset of the last.
/// What enters the next block is not among it.
struct BlockLevels {
  static constexpr uint8_t kNever = 255;
  /// Of each value made in a block: the first level that keeps it.
  std::vector<uint8_t> firstLevel;
  int32_t count = 0;

  bool keeps(int32_t level, ValueId v) const { return firstLevel[v] <= level; }
};

/// Level 0 keeps what cannot be made again and what is read when the rest of
/// its block is done with. The others, `most` at most, are minimum cuts between
/// the passes at falling prices of a byte, with all that crosses between blocks
/// at hand: the last one keeps all that is read, those between are the corners
/// of the curve of bytes against time. Past the deadline, fewer.
BlockLevels findBlockLevels(const Graph &g, const BlockChain &chain,
                            int32_t most, const Deadline &deadline);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SEARCH_BLOCKLEVELS_H
