//===- Candidates.cpp - The best of the plans a solver tries --------------===//
#include "Solvers/Candidates.h"

#include <algorithm>

namespace ckpt::planner {

Candidates::Candidates(const Problem &problem, const Options &options)
    : problem(problem), options(options),
      start(std::chrono::steady_clock::now()) {
  result.floor = peakFloor(problem);
  if (result.floor.bytes > options.budget) {
    result.status = Status::BelowFloor;
    result.bound.infeasible = true;
  }
}

bool Candidates::offer(const std::vector<OpId> &runs) {
  return offerPlan(planFromRuns(problem, runs));
}

void Candidates::noteSmallestPeak(int64_t peak) {
  if (peak >= 0 && (result.smallestPeak < 0 || peak < result.smallestPeak))
    result.smallestPeak = peak;
}

bool Candidates::offerPlan(const Plan &plan) {
  Simulation simulation = simulate(problem, plan);
  if (!simulation.valid)
    return false;
  noteSmallestPeak(simulation.peak);
  if (simulation.peak > options.budget)
    return false;
  if (options.order == Order::Program && !followsProgramOrder(problem, plan))
    return false;
  if (solved() &&
      (simulation.time > result.time ||
       (simulation.time == result.time && simulation.peak >= result.peak)))
    return true;
  if (!solved()) {
    result.firstTime = simulation.time;
    // For the report only: no decision depends on it.
    result.firstSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
  }
  result.status = Status::Solved;
  result.plan = plan;
  result.peak = simulation.peak;
  result.time = simulation.time;
  result.recomputations = simulation.recomputations;
  return true;
}

Result Candidates::unsupported(const std::string &why) {
  result.status = Status::Unsupported;
  result.message = why;
  return std::move(result);
}

Result Candidates::finish(StopReason stop) {
  TimeBound bound;
  bound.time = problem.totalTime();
  bool wanted = options.wantBound && !belowFloor();
  if (wanted && !(solved() && result.time == bound.time)) {
    BoundOptions boundOptions;
    boundOptions.order = options.order;
    boundOptions.knownTime = solved() ? result.time : -1;
    bound = boundTime(problem, options.budget, boundOptions);
  }
  return finish(stop, std::move(bound));
}

Result Candidates::finish(StopReason stop, TimeBound bound) {
  if (!belowFloor())
    result.bound = std::move(bound);
  if (solved()) {
    result.stop = result.time <= result.bound.time ? StopReason::Optimal : stop;
    return std::move(result);
  }
  result.stop = StopReason::Failed;
  if (belowFloor()) {
    result.message =
        "the budget of " + std::to_string(options.budget) +
        " bytes is below the proven floor of " +
        std::to_string(result.floor.bytes) + " bytes, needed by " +
        (result.floor.op == kNone ? "the outputs at the end"
                                  : problem.opName(result.floor.op));
  } else if (result.bound.infeasible) {
    result.status = Status::BelowFloor;
    result.message = "the budget of " + std::to_string(options.budget) +
                     " bytes is proven to be too small for any plan";
  } else {
    result.message = "no plan within " + std::to_string(options.budget) +
                     " bytes found; smallest peak found: " +
                     std::to_string(result.smallestPeak) +
                     ", proven floor: " + std::to_string(result.floor.bytes);
  }
  return std::move(result);
}

bool followsProgramOrder(const Problem &problem, const Plan &plan) {
  OpId next = 0;
  for (Event event : plan.events)
    if (!event.isFree() && event.id >= next) {
      if (event.id > next)
        return false;
      ++next;
    }
  return next == problem.numOps();
}

} // namespace ckpt::planner
