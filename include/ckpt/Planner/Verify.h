//===- Verify.h - Checking plans and bounds without trust -------*- C++ -*-===//
//
// Says of a plan, and of a claimed lower bound, what holds: from the
// definitions alone, whoever made them.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_PLANNER_VERIFY_H
#define CKPT_PLANNER_VERIFY_H

#include "ckpt/Planner/Bounds.h"
#include "ckpt/Planner/Plan.h"
#include "ckpt/Planner/Simulator.h"

#include <limits>
#include <optional>
#include <string>

namespace ckpt::planner {

/// Numbers that are said to go with a plan. Absent: nothing is said.
struct PlanClaims {
  std::optional<int64_t> peak, time, recomputations;
  /// The budget that the plan was made for, and that `bound` speaks of.
  std::optional<int64_t> budget;
  /// Lower bound on the time of every plan within `budget`.
  std::optional<int64_t> bound;
  Order boundOrder = Order::Free;
};

/// A lower bound on time as somebody claims it, with what is to prove it.
struct BoundClaim {
  TimeBound bound;
  /// The budget that it speaks of; it then holds for every smaller one.
  int64_t budget = 0;
};

struct VerifyOptions {
  /// Most bytes in memory at once, without the problem's fixed bytes.
  int64_t budget = std::numeric_limits<int64_t>::max();
  /// Order::Program: first runs of the plan must follow the program order.
  Order order = Order::Free;
  /// States of a complete search for a plan that is cheaper than a bound which
  /// no certificate proves; 0: such a bound is not checked.
  int64_t searchStates = 0;
};

/// What shows that no plan is cheaper than a bound.
enum class Proof : uint8_t {
  /// Every op runs once at least.
  Runs,
  /// The prices of the certificate.
  Prices,
  /// A complete search, done while verifying.
  Search,
};

/// What was found to hold.
struct Verdict {
  /// The plan is valid and within the budget, and no claim is refuted.
  bool valid = false;
  /// What is wrong, in one line; empty when valid.
  std::string error;
  /// Of the plan; its numbers are meaningful where it is valid.
  Simulation simulation;
  /// The best bound that was proven here, and the orders for which it holds.
  int64_t bound = 0;
  Order boundOrder = Order::Free;
  Proof proof = Proof::Runs;
  /// A bound that was claimed and neither proven nor refuted; -1: none.
  int64_t unproven = -1;
  /// States of the search.
  int64_t searched = 0;

  /// (time of the plan - bound) / time of one run of every op.
  double gap(const Problem &problem) const;
  /// Is it proven that no plan (in the orders of the bound) is cheaper?
  bool optimal() const { return valid && simulation.time <= bound; }
};

/// Checks a plan, what is claimed of it, and (unless null) the claimed bound.
/// Trusts no solver: the Simulator replays the plan, evaluateCertificate()
/// computes what the prices prove, and where a bound comes from a search,
/// another search that knows nothing of the plan looks for a cheaper one.
/// O(events x inputs) for the plan, one minimum cut per moment of the
/// certificate.
Verdict verify(const Problem &problem, const Plan &plan,
               const PlanClaims &claims, const BoundClaim *bound,
               const VerifyOptions &options);

} // namespace ckpt::planner

#endif // CKPT_PLANNER_VERIFY_H
