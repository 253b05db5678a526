//===- MinimizePeak.cpp - The smallest budget with a plan -----------------===//
#include "Search/Orders.h"
#include "Search/Squeeze.h"
#include "Solvers/Candidates.h"

#include <algorithm>

namespace ckpt::planner {

/// Effort of each trial where none is given: most trials fail, which takes all
/// of it.
static constexpr int64_t kTrialMoves = 2000;
/// Up to here, trials go on until they tell every byte.
static constexpr int32_t kMaxOpsForBytes = 64;

/// Schedules of all base orders squeezed towards the floor: the least peak.
static Result squeezeToFloor(const Problem &problem, const Options &options) {
  Options anyBudget = options;
  anyBudget.wantBound = false;
  anyBudget.budget = std::numeric_limits<int64_t>::max();
  const int64_t floor = peakFloor(problem).bytes;
  std::vector<MemoryOrder> orders = memoryOrders(problem);
  Random random(options.seed);
  SqueezeOptions how;
  how.steps = 32;
  how.movesPerStep = 50;
  how.maxWork = 20'000'000;
  const Deadline deadline(options.timeLimit);
  int left = static_cast<int>(orders.size());
  Result least;
  for (const MemoryOrder &order : orders) {
    how.deadline = deadline.slice(left--);
    if (options.order == Order::Program &&
        !std::is_sorted(order.order.begin(), order.order.end()))
      continue;
    Graph g = Graph::build(problem, order.order);
    SqueezeResult found = squeeze(g, floor, how, random);
    Candidates candidates(problem, anyBudget);
    candidates.offer(found.fitting);
    Result result = candidates.finish(StopReason::Finished);
    if (result.solved() && (!least.solved() || result.peak < least.peak))
      least = std::move(result);
  }
  return least;
}

Result minimizePeak(const Problem &problem, const Options &options) {
  Options trial = options;
  trial.wantBound = false;
  if (trial.effort < 0 && trial.timeLimit == 0)
    trial.effort = kTrialMoves;
  trial.budget = std::numeric_limits<int64_t>::max();
  Result best = solve(problem, trial);
  if (!best.solved())
    return best;
  const bool everyByte = problem.numOps() <= kMaxOpsForBytes;
  if (options.solver == "auto" && !everyByte)
    if (Result squeezed = squeezeToFloor(problem, trial);
        squeezed.solved() && squeezed.peak < best.peak)
      best = std::move(squeezed);
  // Invariant: best.peak is reached; nothing <= low is known to be.
  int64_t low = best.floor.bytes - 1;
  while (best.peak - low > 1) {
    // Where trials are dear, small steps from what is reached: most succeed.
    trial.budget = everyByte || options.solver != "auto"
                       ? low + (best.peak - low) / 2
                       : std::max(low + 1, best.peak - best.peak / 50 - 1);
    Result result = solve(problem, trial);
    if (!result.solved()) {
      low = trial.budget;
      // On its way it may have seen a peak that is smaller than the best.
      if (result.smallestPeak > low && result.smallestPeak < best.peak) {
        trial.budget = result.smallestPeak;
        result = solve(problem, trial);
      }
    }
    if (result.solved())
      best = std::move(result);
    else if (best.peak - low <=
             std::max<int64_t>(1, best.peak / (everyByte ? 512 : 49)))
      break;
  }
  return best;
}

} // namespace ckpt::planner
