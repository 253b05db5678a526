//===- Graph.h - A problem in the form solvers want -------------*- C++ -*-===//
//
// A Problem relabelled so that op ids are positions in a chosen base order, in
// flat arrays, with the buffers below views among the inputs. Private.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_LIB_PLANNER_GRAPH_H
#define CKPT_LIB_PLANNER_GRAPH_H

#include "ckpt/Planner/Bounds.h"
#include "ckpt/Planner/Problem.h"

namespace ckpt::planner {

/// Rows of int32 in one array.
class Rows {
public:
  struct Range {
    const int32_t *first, *last;
    const int32_t *begin() const { return first; }
    const int32_t *end() const { return last; }
    size_t size() const { return last - first; }
    bool empty() const { return first == last; }
    int32_t operator[](size_t i) const { return first[i]; }
    int32_t back() const { return last[-1]; }
  };
  Rows() : starts(1, 0) {}
  Range operator[](int32_t row) const {
    return {items.data() + starts[row], items.data() + starts[row + 1]};
  }
  int32_t size() const { return static_cast<int32_t>(starts.size()) - 1; }
  void push(int32_t item) { items.push_back(item); }
  void closeRow() { starts.push_back(static_cast<int32_t>(items.size())); }
  /// The transpose: row j lists, in increasing order, the rows that hold j.
  Rows transposed(int32_t rows) const;

private:
  std::vector<int32_t> starts, items;
};

struct Graph {
  int32_t numOps = 0, numValues = 0;
  std::vector<int64_t> time, workspace;
  std::vector<char> recomputable;
  /// Results of op o: values firstResult[o] to firstResult[o + 1].
  std::vector<ValueId> firstResult;
  std::vector<OpId> producer;
  std::vector<int64_t> bytes;
  /// Time of the producer per byte; 0 for values without bytes.
  std::vector<double> timePerByte;
  /// Outputs are what must be there at the end, what must stay included.
  std::vector<char> output, mustStay;
  std::vector<ValueId> outputs;
  std::vector<ValueId> inPlaceOf;
  /// Of each op: values read, buffers below views included; sorted, no twins.
  Rows inputs;
  /// Of each value: ops that read it, in order.
  Rows users;
  /// Of each op: ops whose first run must precede (effects, unmovable ops).
  Rows before;
  /// Sum of `time`.
  int64_t totalTime = 0;
  /// Ids in the Problem of this graph's ops and values.
  std::vector<OpId> problemOp;
  std::vector<ValueId> problemValue;

  /// The graph of `problem` for a base order (a permutation of its ops that
  /// respects data and effects; empty for the program order).
  static Graph build(const Problem &problem,
                     const std::vector<OpId> &order = {});

  /// Bytes of all results of `op`.
  int64_t resultBytes(OpId op) const;
  /// Is value `v` never worth evicting or impossible to bring back?
  bool pinned(ValueId v) const {
    return mustStay[v] || !recomputable[producer[v]];
  }
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_GRAPH_H
