//===- Graph.cpp - A problem in the form solvers want ---------------------===//
#include "Graph.h"

#include <algorithm>
#include <numeric>

namespace ckpt::planner {

Rows Rows::transposed(int32_t rows) const {
  Rows result;
  result.starts.assign(rows + 1, 0);
  for (int32_t item : items)
    ++result.starts[item + 1];
  for (int32_t row = 0; row < rows; ++row)
    result.starts[row + 1] += result.starts[row];
  result.items.resize(items.size());
  std::vector<int32_t> next(result.starts.begin(), result.starts.end() - 1);
  for (int32_t row = 0; row < size(); ++row)
    for (int32_t item : (*this)[row])
      result.items[next[item]++] = row;
  return result;
}

Graph Graph::build(const Problem &problem, const std::vector<OpId> &order) {
  Graph g;
  g.numOps = problem.numOps();
  g.numValues = problem.numValues();
  g.problemOp = order;
  if (order.empty()) {
    g.problemOp.resize(g.numOps);
    std::iota(g.problemOp.begin(), g.problemOp.end(), 0);
  }
  std::vector<ValueId> newValue(g.numValues);
  std::vector<OpId> newOp(g.numOps);
  g.firstResult.push_back(0);
  for (OpId op = 0; op < g.numOps; ++op) {
    const Op &source = problem.ops[g.problemOp[op]];
    newOp[g.problemOp[op]] = op;
    g.time.push_back(source.time);
    g.totalTime += source.time;
    g.workspace.push_back(source.workspace);
    g.recomputable.push_back(source.recomputable);
    for (int32_t i = 0; i < source.numResults; ++i) {
      const Value &value = problem.values[source.firstResult + i];
      newValue[source.firstResult + i] =
          static_cast<ValueId>(g.producer.size());
      g.problemValue.push_back(source.firstResult + i);
      g.producer.push_back(op);
      g.bytes.push_back(value.bytes);
      g.timePerByte.push_back(value.bytes > 0
                                  ? (static_cast<double>(source.time) + 1) /
                                        static_cast<double>(value.bytes)
                                  : 0);
      g.output.push_back(value.output || value.mustStay);
      g.mustStay.push_back(value.mustStay);
      if (g.output.back())
        g.outputs.push_back(newValue[source.firstResult + i]);
    }
    g.firstResult.push_back(static_cast<ValueId>(g.producer.size()));
  }
  g.inPlaceOf.resize(g.numValues, kNone);
  for (ValueId v = 0; v < g.numValues; ++v)
    if (ValueId old = problem.values[g.problemValue[v]].inPlaceOf; old != kNone)
      g.inPlaceOf[v] = newValue[old];

  // Inputs closed under views, and the order of effects; the unmovable ops form
  // one chain in program order.
  std::vector<OpId> previousUnmovable(g.numOps, kNone);
  OpId lastUnmovable = kNone;
  for (OpId op = 0; op < g.numOps; ++op)
    if (!problem.ops[op].movable) {
      previousUnmovable[op] = lastUnmovable;
      lastUnmovable = op;
    }
  std::vector<int32_t> row;
  auto flushRow = [&row](Rows &rows) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (int32_t item : row)
      rows.push(item);
    rows.closeRow();
    row.clear();
  };
  for (OpId op = 0; op < g.numOps; ++op) {
    OpId id = g.problemOp[op];
    for (ValueId v : problem.ops[id].inputs)
      for (; v != kNone; v = problem.values[v].aliasOf)
        row.push_back(newValue[v]);
    flushRow(g.inputs);
    for (OpId before : problem.ops[id].after)
      row.push_back(newOp[before]);
    if (previousUnmovable[id] != kNone)
      row.push_back(newOp[previousUnmovable[id]]);
    flushRow(g.before);
  }
  g.users = g.inputs.transposed(g.numValues);
  return g;
}

int64_t Graph::resultBytes(OpId op) const {
  int64_t sum = 0;
  for (ValueId v = firstResult[op]; v < firstResult[op + 1]; ++v)
    sum += bytes[v];
  return sum;
}

} // namespace ckpt::planner
