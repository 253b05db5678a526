//===- ExactEstimate.h - Time that is still to be spent ---------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SOLVERS_EXACTESTIMATE_H
#define CKPT_LIB_PLANNER_SOLVERS_EXACTESTIMATE_H

#include "Bounds/MomentModel.h"
#include "Solvers/OpMasks.h"

#include <vector>

namespace ckpt::planner {

/// Lower bounds on the time from a state of the search forwards (ops that ran,
/// values in memory) to the end, and on that of recomputation before a state of
/// the search backwards (values in memory, ops that run before).
///
/// To the time of the first runs that are left it adds that of ops that must
/// certainly run again: producers of values that are dead and still needed, and
/// what they in turn need. And it looks at one *moment* that is still to come,
/// the one just before the first run of some op: of the values that are needed
/// after it, what does not fit beside the op is recomputed. The least time of
/// that is both
///
/// - what the moment proves of every plan (MomentModel), a constant, beside the
///   runs that are certain before the moment, and
/// - a knapsack with parts over the values whose producers do not run again for
///   certain, beside all runs that do; backwards, this alone, over the values
///   that the state and the ops before it need.
template <typename Mask>
class ExactEstimate {
public:
  /// `deadline` cuts the search for moments short. Those before ops that are
  /// `done` at the start are not asked for.
  ExactEstimate(const Graph &g, const OpMasks<Mask> &masks, Order order,
                int64_t budget, const Deadline &deadline, Mask done = 0);

  /// Does some moment prove that there is no plan?
  bool infeasible() const { return noPlan; }

private:
  static constexpr Mask bit(int32_t i) { return OpMasks<Mask>::bit(i); }

  struct Item {
    ValueId value;
    OpId producer;
    double bytes, time;
  };
  struct Moment {
    OpId op;
    /// Time of recomputation after it in every plan.
    int64_t again;
    /// Beside the op.
    int64_t room;
    /// Ops that come after it, it included.
    Mask after;
    /// Values that are in memory at it, or are where they are needed later.
    Mask there, once;
    /// The others that are made before it and may be needed later, most time
    /// per byte first.
    std::vector<Item> items;
  };

public:
  /// What is to come when certain ops have run.
  struct Future {
    /// Of the first runs.
    int64_t time = 0;
    /// What these read, those before and those after the moment in particular,
    /// and what they make.
    Mask needed = 0, neededBefore = 0, neededAfter = 0, made = 0;
    /// May be null.
    const Moment *moment = nullptr;
  };
  Future futureOf(Mask done) const;

  /// The bound where `live` is in memory; negative: nothing leads to the end.
  int64_t remaining(const Future &future, Mask live) const;

  /// For the search backwards: lower bound on the time of recomputation before
  /// a state in which `values` are in memory, where ops `left` run before it.
  int64_t againBefore(Mask values, Mask left) const;

private:
  const Graph &g;
  const OpMasks<Mask> &masks;
  Mask outputs = 0;
  /// Those that prove most first.
  std::vector<Moment> moments;
  bool noPlan = false;

  Moment makeMoment(const MomentModel &model, OpId op, int64_t budget) const;
  int64_t timeOfRest(const Moment &moment, Mask needed, Mask runs) const;
  int64_t runAgain(Mask missing, Mask there, Mask &runs) const;
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SOLVERS_EXACTESTIMATE_H
