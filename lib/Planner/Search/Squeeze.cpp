//===- Squeeze.cpp - A plan for a small budget from larger ones -----------===//
#include "Search/Squeeze.h"

#include "Search/Repair.h"

#include <algorithm>
#include <cmath>

namespace ckpt::planner {

/// Fits `state` into its budget: several orders of repair, then a search that
/// lowers what is above. Returns whether it does.
static bool fit(ScheduleState &state, const SqueezeOptions &options,
                Random &random, int64_t &moves) {
  const Graph &g = state.graph();
  state.setLogging(true);
  for (int attempt = 0; attempt < 4 && !state.fits(); ++attempt) {
    const size_t start = state.mark();
    RepairOptions how;
    how.exponent = static_cast<LengthExponent>(attempt);
    how.worstFirst = attempt % 2 == 1;
    how.noise = attempt == 0 ? 0 : 0.5;
    how.deadline = options.deadline;
    how.maxWork = 20 * static_cast<int64_t>(g.numOps) + 20'000;
    how.costLimit = state.cost() + g.totalTime / 4;
    if (repair(state, how, random) != 0 && attempt < 3)
      state.rollback(start);
  }
  state.setLogging(false);
  state.flush();
  if (state.fits())
    return true;
  LocalSearchOptions search;
  search.maxMoves = 4 * options.movesPerStep;
  search.deadline = options.deadline;
  search.heat = 0.3;
  moves += localSearch(state, search, random).moves;
  return state.fits();
}

SqueezeResult squeeze(const Graph &g, int64_t budget,
                      const SqueezeOptions &options, Random &random) {
  ScheduleState state(g, budget);
  SqueezeResult result;
  result.fitting = g.problemOp;
  const double from = static_cast<double>(state.peaks().max());
  const double to = std::max(1.0, static_cast<double>(budget));
  // The ratio by repeated square roots: the same on every machine.
  double ratio = std::min(1.0, to / from);
  int32_t steps = 1;
  for (; steps < options.steps; steps *= 2)
    ratio = std::sqrt(ratio);
  double level = from;
  for (int32_t step = 1; step <= steps; ++step) {
    level *= ratio;
    state.setBudget(
        step == steps ? budget : std::max(budget, static_cast<int64_t>(level)));
    if (options.deadline.passed() || state.work() > options.maxWork ||
        !fit(state, options, random, result.moves))
      break;
    fill(state, 0, random);
    LocalSearchOptions search;
    search.maxMoves = options.movesPerStep;
    search.deadline = options.deadline;
    search.heat = 0.1;
    result.moves += localSearch(state, search, random).moves;
    result.fitting = state.runs();
  }
  state.setBudget(budget);
  result.excess = state.excess();
  result.cost = state.cost();
  result.runs = state.runs();
  return result;
}

} // namespace ckpt::planner
