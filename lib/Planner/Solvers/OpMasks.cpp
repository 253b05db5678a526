//===- OpMasks.cpp - Small problems in machine words ----------------------===//
#include "Solvers/OpMasks.h"

namespace ckpt::planner {

OpMasks::OpMasks(const Graph &g)
    : inputs(g.numOps, 0), results(g.numOps, 0), before(g.numOps, 0),
      ancestors(g.numOps, 0) {
  for (OpId op = 0; op < g.numOps; ++op) {
    all |= bit(op);
    ancestors[op] = bit(op);
    for (ValueId v : g.inputs[op]) {
      inputs[op] |= bit(v);
      ancestors[op] |= ancestors[g.producer[v]];
    }
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
      results[op] |= bit(v);
    for (OpId other : g.before[op]) {
      before[op] |= bit(other);
      ancestors[op] |= ancestors[other];
    }
  }
}

} // namespace ckpt::planner
