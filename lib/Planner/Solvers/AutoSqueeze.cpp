//===- AutoSqueeze.cpp - Squeezing in all orders, for solver auto ---------===//
#include "Solvers/AutoSqueeze.h"

#include <algorithm>

namespace ckpt::planner {

AutoSqueeze::Look AutoSqueeze::squeezeIn(const MemoryOrder &order,
                                         const SqueezeOptions &how) {
  Graph g = Graph::build(s.problem, order.order);
  SqueezeResult found = squeeze(g, s.options.budget, how, s.random);
  s.take(found);
  Look look{s.options.budget, found.cost, &order};
  if (found.excess > 0)
    look.reached =
        simulate(s.problem, planFromRuns(s.problem, found.fitting)).peak;
  s.starts.push_back({found.excess, found.cost, std::move(found.runs)});
  return look;
}

void AutoSqueeze::tryAll() {
  if (isTooLarge())
    return;
  SqueezeOptions how;
  how.movesPerStep = std::clamp<int64_t>(s.maxMoves() / 600, 10, 30);
  how.maxWork = 3'000'000;
  const Deadline until = s.deadline.slice(s.candidates.solved() ? 6 : 4);
  int left = static_cast<int>(orders.size());
  for (const MemoryOrder &order : orders) {
    how.deadline = until.slice(left--);
    looks.push_back(squeezeIn(order, how));
    if (until.passed())
      break;
  }
  std::sort(looks.begin(), looks.end());
}

void AutoSqueeze::tryBest() {
  if (isTooLarge() ||
      (s.candidates.solved() &&
       s.candidates.bestTime() - s.bound.time <= s.problem.totalTime() / 100))
    return;
  if (looks.empty())
    tryAll();
  if (!s.candidates.solved())
    tryBest(30, 32, 20'000'000);
  tryBest(100, 16, s.isFar() ? 30'000'000 : 5'000'000);
  if (!s.candidates.solved())
    tryBest(100, 64, 100'000'000);
}

void AutoSqueeze::tryBest(int64_t moves, int32_t steps, int64_t work) {
  constexpr size_t mostOrders = 3;
  SqueezeOptions how;
  how.movesPerStep = std::clamp<int64_t>(s.maxMoves() / 200, 10, moves);
  how.maxWork = work;
  how.steps = steps;
  const Deadline until = s.deadline.slice(s.isFar() ? 2 : 4);
  const std::vector<Look> best(
      looks.begin(), looks.begin() + static_cast<std::ptrdiff_t>(
                                         std::min(looks.size(), mostOrders)));
  int left = static_cast<int>(best.size());
  for (const Look &look : best) {
    if (until.passed())
      return;
    how.deadline = until.slice(left--);
    squeezeIn(*look.order, how);
  }
}

} // namespace ckpt::planner
