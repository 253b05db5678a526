//===- StoredSet.h - Solvers that choose what to store ----------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SOLVERS_STOREDSET_H
#define CKPT_LIB_PLANNER_SOLVERS_STOREDSET_H

#include "Search/Construct.h"
#include "Solvers/Candidates.h"

namespace ckpt::planner {

/// What the classical solvers share: they see a training step as a forward pass
/// and a backward pass in program order, and choose the values that are stored
/// across.
class StoredSetSolver {
public:
  StoredSetSolver(const Problem &problem, const Options &options)
      : g(Graph::build(problem)), storeAll(g, options.budget),
        candidates(problem, options), until(options.timeLimit),
        costLimit(hopelessCost(g, options.timeOfInterest)) {
    stage = options.backward != kNone ? options.backward
                                      : storeAll.peaks().argMax();
    stage = std::min(stage, g.numOps - 1);
  }

  const Graph &graph() const { return g; }
  /// First op of the backward pass; -1 where there are no ops.
  int32_t boundary() const { return stage; }
  bool isTrivial() const { return stage <= 0; }
  /// Judges the plan that stores everything. Returns whether it fits.
  bool offerStoreAll() {
    offered = true;
    return candidates.offer(storeAll.runs());
  }

  /// Judges the plan that stores `stored` and recomputes the rest where it is
  /// used. Returns whether it fits.
  bool offer(const std::vector<char> &stored) {
    offered = true;
    ScheduleState state(storeAll);
    return evictAcross(state, stage, stored, costLimit, until) &&
           candidates.offer(state.runs());
  }
  const Deadline &deadline() const { return until; }

  /// A solver that had nothing to offer stores everything.
  Result finish() {
    if (!offered)
      offerStoreAll();
    return candidates.finish(StopReason::Finished);
  }

private:
  const Graph g;
  ScheduleState storeAll;
  Candidates candidates;
  const Deadline until;
  const __int128 costLimit;
  int32_t stage;
  bool offered = false;
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SOLVERS_STOREDSET_H
