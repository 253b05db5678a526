//===- BlockRunner.h - Runs of the blocks of a chain ------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SEARCH_BLOCKRUNNER_H
#define CKPT_LIB_PLANNER_SEARCH_BLOCKRUNNER_H

#include "Search/BlockLevels.h"

namespace ckpt::planner {

/// Makes the sequence of runs of a schedule over blocks: knows which values are
/// held, and runs again what is missing.
class BlockRunner {
public:
  BlockRunner(const Graph &g, const BlockChain &chain,
              const BlockLevels &levels);

  /// The first run of the forward ops of `b`.
  void runForward(int32_t b);
  /// From what is held, makes what `level` keeps of block `b` and what enters
  /// block `end` (after `b`) or the next one.
  void runAgain(int32_t b, int32_t level);
  /// Of the blocks first .. end - 1, holds no more than what `level` keeps and,
  /// `withNext`, what enters block `end`.
  void dropAllBut(int32_t first, int32_t end, int32_t level, bool withNext);
  /// The backward ops of `b`, and what they need again; drops the rest of `b`.
  void runBackward(int32_t b);
  void runTurn();

  void setHeld(ValueId v, bool yes) { held[v] = yes; }
  bool isHeld(ValueId v) const { return held[v]; }
  const std::vector<OpId> &runs() const { return sequence; }
  void clearRuns() { sequence.clear(); }

private:
  const Graph &g;
  const BlockChain &chain;
  const BlockLevels &levels;
  std::vector<char> held;
  std::vector<OpId> sequence, pending;

  void run(OpId op);
  /// Runs `op` after all that it needs and that is not held.
  void runWithInputs(OpId op);
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SEARCH_BLOCKRUNNER_H
