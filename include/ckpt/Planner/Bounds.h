//===- Bounds.h - Proven bounds and their certificates ----------*- C++ -*-===//
//
// A bound travels with a certificate: prices from which anybody can recompute
// the bound without knowing how they were found. See docs/Planner.md.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_PLANNER_BOUNDS_H
#define CKPT_PLANNER_BOUNDS_H

#include "ckpt/Planner/Problem.h"

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
  /// Price of having a value at that moment that the time before must provide;
  /// empty, or one entry (not negative) per value. All zero at the first
  /// moment.
  std::vector<double> linkPrices;
};

/// One case of a case distinction over ops that run once or more than once.
struct BoundCase {
  /// Ops assumed to run exactly once.
  std::vector<OpId> once;
  /// Ops assumed to run at least twice: their second run is paid for.
  std::vector<OpId> again;
  /// In increasing order of time. Empty where `once` alone is infeasible.
  std::vector<PricedMoment> moments;
};

/// Proof of a lower bound on time: the least of the bounds of its cases, which
/// together cover all plans.
struct Certificate {
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
};

/// Best lower bound on the time of a plan within `budget` bytes that Lagrangian
/// relaxation of memory at the critical moments proves (minimum cuts, one per
/// price). Never below the time of one run of every op. Deterministic unless
/// `timeLimit` ends it.
TimeBound boundTime(const Problem &problem, int64_t budget,
                    const BoundOptions &options);

} // namespace ckpt::planner

#endif // CKPT_PLANNER_BOUNDS_H
