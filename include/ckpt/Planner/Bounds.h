//===- Bounds.h - Proven bounds and their certificates ----------*- C++ -*-===//
//
// A bound travels with a certificate: prices from which anybody can recompute
// the bound without knowing how they were found. See docs/Planner.md.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_PLANNER_BOUNDS_H
#define CKPT_PLANNER_BOUNDS_H

#include "ckpt/Planner/Plan.h"

namespace ckpt::planner {

/// Which orders of first runs are allowed, or which a bound speaks of.
/// Recomputations may be anywhere in both.
enum class Order : uint8_t {
  /// Every order that data, effects and unmovable ops allow.
  Free,
  /// First runs in the base order.
  Program,
};

/// The moment just before the first run of `op`, with what memory costs then.
struct PricedMoment {
  OpId op = kNone;
  /// Price of a byte at that moment, in time units; finite and not negative.
  double bytePrice = 0;
  /// Sizes and room are rounded down to multiples of this (0: not rounded):
  /// where most sizes are multiples of one, no set of values fills what is left
  /// over of the room.
  int64_t granularity = 0;
};

/// The time from one moment of a WindowGrid to a later one, or to the end.
struct Window {
  /// Indices of moments, first < last; last may be the number of moments.
  int32_t first = 0, last = 0;
};

/// Several moments, and the windows between them, of which a linear program
/// says what must run again: see docs/Planner.md.
struct WindowGrid {
  /// Just before the first runs of these, in order of time.
  std::vector<OpId> moments;
  std::vector<Window> windows;
  /// Memory is counted at each moment once per entry, with sizes and room in
  /// multiples of it, rounded down (0 or 1: in bytes).
  std::vector<int64_t> granularities;
};

/// What is assumed of a moment.
struct Fact {
  enum class Kind : uint8_t {
    /// Value `id` is in memory.
    Held,
    /// Op `id` ran before.
    Ran,
  };
  Kind kind = Kind::Held;
  /// Just before the first run of this.
  OpId moment = kNone;
  int32_t id = kNone;
  /// It is so, or it is not.
  bool holds = false;
};

/// One case of a case distinction.
struct BoundCase {
  /// Ops assumed to run exactly once (for moments; windows ask for facts).
  std::vector<OpId> once;
  /// Ops assumed to run at least twice: their second run is paid for.
  std::vector<OpId> again;
  std::vector<Fact> facts;
  /// The proof for this case: a moment (op kNone: none), by minimum cut;
  PricedMoment moment;
  /// or else, if this is no less than 0, the windows of that grid, with one
  /// multiplier per row of their program.
  int32_t grid = -1;
  std::vector<double> multipliers;
};

/// Proof of a lower bound on time: the least of the bounds of its cases, which
/// together cover all plans.
struct Certificate {
  std::vector<WindowGrid> grids;
  std::vector<BoundCase> cases;
};

/// A proven lower bound on the time of every plan within a budget.
struct TimeBound {
  int64_t time = 0;
  /// The orders for which it holds.
  Order order = Order::Free;
  /// No plan within the budget exists at all.
  bool infeasible = false;
  /// Proven by complete search, not by the certificate.
  bool bySearch = false;
  Certificate certificate;
};

/// A proven lower bound on the peak of every plan in any order.
struct PeakFloor {
  int64_t bytes = 0;
  /// The op that needs that much while it runs; kNone where the outputs at the
  /// end do.
  OpId op = kNone;
};

/// The most that any single op needs at once (with what must be in memory
/// besides), or the outputs. O(size).
PeakFloor peakFloor(const Problem &problem);

/// Recomputes the bound that a certificate proves, trusting none of it: -1 and
/// a reason in `error` if it proves nothing.
int64_t evaluateCertificate(const Problem &problem, int64_t budget, Order order,
                            const Certificate &certificate, std::string &error);

struct BoundOptions {
  Order order = Order::Free;
  /// Most minimum cuts to compute; negative: some hundreds, more on small
  /// problems.
  int64_t maxCuts = -1;
  /// Seconds; 0 means no limit.
  double timeLimit = 0;
  /// Stop when the bound is at least this: nothing better can be proven.
  int64_t knownTime = -1;
  /// The best plan known: it shows the moments at which memory is scarce.
  const Plan *plan = nullptr;
};

/// Best lower bound on the time of a plan within `budget` bytes that Lagrangian
/// relaxation of memory at a critical moment proves (minimum cuts, one per
/// price), or, where a plan is given and the problem has at most 5,000 ops, a
/// linear program over windows between several moments. Never below the time of
/// one run of every op. Deterministic unless `timeLimit` ends it.
TimeBound boundTime(const Problem &problem, int64_t budget,
                    const BoundOptions &options);

} // namespace ckpt::planner

#endif // CKPT_PLANNER_BOUNDS_H
