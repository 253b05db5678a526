//===- Blocks.h - Repeated blocks of ops ------------------------*- C++ -*-===//
//
// Deep networks repeat a block of ops many times, forwards and, mirrored,
// backwards. Ops at the same place of their blocks are of one class: what is
// good for one is nearly always good for all, so a decision per class costs the
// same at every depth. docs/Planner.md says where that is used.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_LIB_PLANNER_SEARCH_BLOCKS_H
#define CKPT_LIB_PLANNER_SEARCH_BLOCKS_H

#include "Graph.h"

namespace ckpt::planner {

/// `count` blocks of `period` ops each, from `first` on: the ops at the same
/// place of each block are alike.
struct Repetition {
  OpId first;
  int32_t period, count;
};

/// A hash per op of what it is (time, workspace, sizes of results, flags) and
/// of the ops that its inputs come from, to a depth of some ops (Merkle 1987):
/// equal for ops that do the same in the same surroundings, wherever they are.
/// Deterministic. O(size).
std::vector<uint64_t> structuralHashes(const Graph &g);

/// The repetitions of the base order, disjoint and in order: the smallest
/// periods that hold for at least two blocks. O(n) where few ops are alike
/// within a block; work is limited to O(n) otherwise, and some may be missed.
std::vector<Repetition> findRepetitions(const Graph &g);

/// Ops and values that are alike.
struct Classes {
  /// Of each op and each value; an op outside of all repetitions has a class of
  /// its own. Ops of one class have the same times and numbers of results,
  /// values of one class the same sizes.
  std::vector<int32_t> ofOp, ofValue;
  int32_t numOps = 0, numValues = 0;

  /// Are there few enough classes to be worth while? Not where there are none.
  bool help() const { return 4 * static_cast<size_t>(numOps) < ofOp.size(); }
};

Classes findClasses(const Graph &g);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SEARCH_BLOCKS_H
