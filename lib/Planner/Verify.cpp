//===- Verify.cpp - Checking plans and bounds without trust ---------------===//
#include "ckpt/Planner/Verify.h"

#include "Solvers/Candidates.h"
#include "Solvers/Exact.h"

namespace ckpt::planner {

namespace {
class Verifier {
public:
  Verifier(const Problem &problem, const VerifyOptions &options)
      : problem(problem), options(options) {}

  Verdict run(const Plan &plan, const PlanClaims &claims,
              const BoundClaim *bound) {
    verdict.valid =
        checkPlan(plan) && checkClaims(claims) && checkBounds(claims, bound);
    return std::move(verdict);
  }

private:
  const Problem &problem;
  const VerifyOptions &options;
  Verdict verdict;
  bool inProgramOrder = false;

  bool fail(const std::string &what) {
    verdict.error = what;
    return false;
  }

  bool checkPlan(const Plan &plan) {
    verdict.bound = problem.totalTime();
    verdict.simulation = simulate(problem, plan, options.budget);
    if (!verdict.simulation.valid)
      return fail("the plan is invalid: " + verdict.simulation.error);
    inProgramOrder = followsProgramOrder(problem, plan);
    if (options.order == Order::Program && !inProgramOrder)
      return fail("the plan is invalid: its first runs do not follow the "
                  "program order");
    return true;
  }

  bool checkNumber(const char *what, std::optional<int64_t> claimed,
                   int64_t found) {
    if (!claimed || *claimed == found)
      return true;
    return fail("the plan claims " + std::string(what) + " " +
                std::to_string(*claimed) + "; it is " + std::to_string(found));
  }

  bool checkClaims(const PlanClaims &claims) {
    const Simulation &simulation = verdict.simulation;
    if (claims.budget && simulation.peak > *claims.budget)
      return fail("the plan claims a budget of " +
                  std::to_string(*claims.budget) + " bytes and takes " +
                  std::to_string(simulation.peak));
    return checkNumber("the peak", claims.peak, simulation.peak) &&
           checkNumber("the time", claims.time, simulation.time) &&
           checkNumber("the number of recomputations", claims.recomputations,
                       simulation.recomputations);
  }

  /// What is claimed holds for the budget of the claim, and so for all smaller
  /// ones: it says nothing about a larger one.
  bool speaksOfBudget(std::optional<int64_t> budget) const {
    return budget.value_or(options.budget) >= options.budget;
  }

  bool checkBounds(const PlanClaims &claims, const BoundClaim *claim) {
    if (claim && !checkCertificate(*claim))
      return false;
    bool bySearch = !claim || claim->bound.bySearch;
    if (claims.bound && speaksOfBudget(claims.budget) &&
        !checkBound(*claims.bound, claims.boundOrder, bySearch))
      return false;
    return !claim || !bySearch || !speaksOfBudget(claim->budget) ||
           checkBound(claim->bound.time, claim->bound.order, bySearch);
  }

  /// Is the plan one of those that a bound for `order` speaks of?
  bool speaksOfPlan(Order order) const {
    return order == Order::Free || inProgramOrder;
  }

  bool checkBound(int64_t claimed, Order order, bool bySearch) {
    bool forOrder =
        verdict.boundOrder == Order::Free || order == Order::Program;
    if (claimed <= problem.totalTime() ||
        (claimed <= verdict.bound && forOrder))
      return true;
    if (claimed > verdict.simulation.time && speaksOfPlan(order))
      return fail("the claimed bound of " + std::to_string(claimed) +
                  " is above the time of the plan, " +
                  std::to_string(verdict.simulation.time));
    if (!bySearch)
      return fail("the claimed bound of " + std::to_string(claimed) +
                  " is not what the certificate proves");
    return searchBelow(claimed, order);
  }

  /// Evaluates the certificate for its own budget: what it proves must be what
  /// it claims. For the budget of the options it then proves at least as much,
  /// if that is no larger.
  bool checkCertificate(const BoundClaim &claim) {
    const TimeBound &bound = claim.bound;
    if (bound.infeasible && speaksOfBudget(claim.budget))
      return fail("the certificate claims that no plan exists");
    if (bound.certificate.cases.empty()) {
      if (!bound.bySearch && bound.time > problem.totalTime())
        return fail("the certificate claims a bound of " +
                    std::to_string(bound.time) + " and has no cases");
      return true;
    }
    std::string error;
    int64_t proven = evaluateCertificate(problem, claim.budget, bound.order,
                                         bound.certificate, error);
    if (proven < 0)
      return fail("the certificate is invalid: " + error);
    if (proven < bound.time && !bound.bySearch)
      return fail("the certificate claims a bound of " +
                  std::to_string(bound.time) + " and proves " +
                  std::to_string(proven));
    if (claim.budget != options.budget)
      proven = evaluateCertificate(problem, options.budget, bound.order,
                                   bound.certificate, error);
    if (proven > verdict.bound) {
      verdict.bound = proven;
      verdict.boundOrder = bound.order;
      verdict.proof = Proof::Prices;
    }
    if (speaksOfPlan(verdict.boundOrder) &&
        verdict.bound > verdict.simulation.time)
      return fail("the certificate proves a bound above the time of the plan");
    return true;
  }

  /// Looks for a plan that costs less than `claimed`.
  bool searchBelow(int64_t claimed, Order order) {
    verdict.unproven = claimed;
    if (options.searchStates <= 0 || !exactTakes(problem))
      return true;
    Options search;
    search.budget = options.budget;
    search.order = order;
    ExactLimits limits;
    limits.costLimit = claimed;
    limits.maxStates = options.searchStates;
    ExactOutcome outcome = TwoWaySearch(problem, search).run(limits);
    verdict.searched = outcome.states;
    if (outcome.found)
      return fail("the claimed bound of " + std::to_string(claimed) +
                  " is refuted by a plan that takes " +
                  std::to_string(outcome.bound));
    if (outcome.bound > verdict.bound) {
      verdict.bound = outcome.bound;
      verdict.boundOrder = order;
      verdict.proof = Proof::Search;
    }
    if (outcome.complete)
      verdict.unproven = -1;
    return true;
  }
};
} // namespace

double Verdict::gap(const Problem &problem) const {
  double total = std::max<double>(1, static_cast<double>(problem.totalTime()));
  return (static_cast<double>(simulation.time) - static_cast<double>(bound)) /
         total;
}

Verdict verify(const Problem &problem, const Plan &plan,
               const PlanClaims &claims, const BoundClaim *bound,
               const VerifyOptions &options) {
  return Verifier(problem, options).run(plan, claims, bound);
}

} // namespace ckpt::planner
