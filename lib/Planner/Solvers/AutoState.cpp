//===- AutoState.cpp - What the phases of solver auto share ---------------===//
#include "Solvers/AutoState.h"

#include <tuple>

namespace ckpt::planner {

bool AutoState::Start::operator<(const Start &other) const {
  return std::tie(excess, cost, runs) <
         std::tie(other.excess, other.cost, other.runs);
}

bool AutoState::isFar() const {
  return !candidates.solved() ||
         candidates.bestTime() - bound.time > problem.totalTime() / 33;
}

int64_t AutoState::maxMoves() const {
  if (options.effort >= 0)
    return options.effort;
  return deadline.limited() ? INT64_MAX : kDefaultMoves;
}

Deadline AutoState::searchDeadline() const {
  // What a search finds grows with the logarithm of the time.
  const double beforeBound = deadline.limit() > 10 ? 0.4 : 0.6;
  const double part = !boundPays() ? 1 : boundImproved ? 0.97 : beforeBound;
  return deadline.fraction(complete ? 0.6 : part).earlier(4 * passSeconds);
}

void AutoState::offerRuns(const std::vector<OpId> &runs) {
  candidates.offer(runs);
  if (options.order == Order::Free)
    candidates.offer(dropUnreadRuns(problem, runs));
}

void AutoState::setBest(const std::vector<OpId> &runs, int64_t excess,
                        __int128 cost) {
  bestRuns = runs;
  bestExcess = excess;
  bestCost = cost;
}

void AutoState::adopt(const Plan &plan, __int128 cost) {
  setBest(plan.runs(), 0, cost);
}

bool AutoState::take(const LocalSearchResult &found) {
  candidates.spend(found.moves);
  offerRuns(found.runs);
  if (found.excess > bestExcess ||
      (found.excess == bestExcess && found.cost >= bestCost))
    return false;
  setBest(found.runs, found.excess, found.cost);
  return true;
}

} // namespace ckpt::planner
