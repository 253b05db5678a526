//===- Plan.h - A schedule of computations and frees ------------*- C++ -*-===//
#ifndef CKPT_PLANNER_PLAN_H
#define CKPT_PLANNER_PLAN_H

#include "ckpt/Planner/Problem.h"

namespace ckpt::planner {

/// One step of a plan. Kinds for moving a value to another tier (offload,
/// fetch) and for storing it in another form (compress, expand) will be added
/// here; each acts on one value, as Free does.
struct Event {
  enum class Kind : uint8_t {
    /// Runs op `id`: all results come into being. A result that is in memory
    /// already keeps its copy; the new one is scratch and gone after the op.
    Compute,
    /// The same, but each result with an `inPlaceOf` takes over the buffer of
    /// that input, which is gone afterwards.
    ComputeInPlace,
    /// Ends value `id`.
    Free,
  };
  Kind kind = Kind::Compute;
  int32_t id = kNone;

  static Event compute(OpId op) { return {Kind::Compute, op}; }
  static Event computeInPlace(OpId op) { return {Kind::ComputeInPlace, op}; }
  static Event free(ValueId value) { return {Kind::Free, value}; }
  bool isFree() const { return kind == Kind::Free; }
};

inline bool operator==(Event a, Event b) {
  return a.kind == b.kind && a.id == b.id;
}

/// A schedule, all frees explicit: a plan in which a value dies without a Free
/// keeps it to the end.
struct Plan {
  std::vector<Event> events;

  /// Number of computations, first runs included.
  int64_t numRuns() const;
  /// The computations, in order.
  std::vector<OpId> runs() const;
};

/// A sequence of ops (first runs and recomputations) with the frees that keep
/// memory smallest: each copy of a value dies right after its last use, buffers
/// are taken over in place where that is allowed. Ops whose results nobody
/// reads before they are computed again are kept. O(total inputs).
/// Where an input was not computed before, the plan is invalid as well.
Plan planFromRuns(const Problem &problem, const std::vector<OpId> &runs);

/// The runs without those that nobody reads, of ops that run again: a search
/// that keeps the order of first runs may compute a value long before its use,
/// and once more there. Where any order is allowed, the later run becomes the
/// first one. O(total inputs).
std::vector<OpId> dropUnreadRuns(const Problem &problem,
                                 const std::vector<OpId> &runs);

} // namespace ckpt::planner

#endif // CKPT_PLANNER_PLAN_H
