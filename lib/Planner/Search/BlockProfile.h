//===- BlockProfile.h - What the blocks of a chain take ---------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SEARCH_BLOCKPROFILE_H
#define CKPT_LIB_PLANNER_SEARCH_BLOCKPROFILE_H

#include "Search/BlockRunner.h"

namespace ckpt::planner {

/// Bytes and times of all that a schedule over blocks does with one block,
/// found by making the runs and measuring them. Peaks count what is made in the
/// block and the gradients that it is given, not what enters it.
class BlockProfile {
public:
  BlockProfile(const Graph &g, const BlockChain &chain,
               const BlockLevels &levels);

  struct Cost {
    int64_t time = 0, peak = 0;
  };
  struct Block {
    /// Of each level: what is kept, and the peak of the first run of the
    /// forward ops, results kept included.
    std::vector<int64_t> keptBytes, forwardPeak;
    /// Running forward again to keep what `to` does, with what `from` keeps at
    /// hand; element from * levels + to, for from <= to.
    std::vector<Cost> again;
    /// The backward ops and what is recomputed for them, with what the level
    /// keeps at hand, and without or with what enters the next block.
    std::vector<Cost> backward[2];
    /// Of values that are read after the backward position, without outputs;
    /// and of outputs.
    int64_t gradientBytes = 0, outputBytes = 0;
  };

  /// The last one is the turn, which only has a `forwardPeak`, of all of it.
  const std::vector<Block> &blocks() const { return profile; }
  /// Bytes that are made in the blocks first .. end - 1 and enter block `end`.
  int64_t enteringBytes(int32_t first, int32_t end) const {
    return entering[static_cast<size_t>(first) * profile.size() + end];
  }

private:
  const Graph &g;
  const BlockChain &chain;
  const BlockLevels &levels;
  BlockRunner runner;
  std::vector<Block> profile;
  std::vector<int64_t> entering;
  // Scratch of peak(): the last reader of each value, and whether it counts.
  std::vector<int32_t> lastReader;
  std::vector<char> counts;

  void computeEntering();
  void profileBlock(int32_t b, const std::vector<ValueId> &given);
  int64_t time() const;
  /// The most bytes that the runs need, where `initial` is there at first and
  /// what `kept` says at the end.
  template <typename Fn>
  int64_t peak(const std::vector<ValueId> &initial, Fn kept);
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SEARCH_BLOCKPROFILE_H
