//===- Portfolio.cpp - The constructions behind solver auto ---------------===//
#include "Search/Portfolio.h"

#include "Search/StageCut.h"

#include <algorithm>
#include <limits>

namespace ckpt::planner {

/// Ops of graphs on which a construction takes a good part of a second.
static constexpr int32_t kLargeGraph = 50'000;

/// Ops of graphs that are searched locally in a part of a second.
static constexpr int32_t kSmallGraph = 3000;

/// Up to here, every segment size is tried in every way.
static constexpr int32_t kMaxOpsForAllSegments = 20'000;

/// More than any cost.
static constexpr __int128 kNever = static_cast<__int128>(1) << 100;

Portfolio::Portfolio(const Graph &g, int64_t budget, const Deadline &deadline,
                     OnBetter onBetter, int64_t known)
    : g(g), budget(budget), deadline(deadline), onBetter(std::move(onBetter)),
      known(known), initial(g, budget), proven(g.totalTime) {
  if (g.numOps > kLargeGraph)
    classes = findClasses(g);
}

__int128 Portfolio::costLimit() const {
  __int128 limit = hopelessCost(g, known);
  if (fits())
    return std::min(limit, hopelessCost(g, bestState->cost()));
  return std::min(limit, static_cast<__int128>(g.totalTime) * 3 + 1);
}

/// Sweeps and fills; returns the cost of a state that fits, else kNever.
__int128 Portfolio::finish(std::unique_ptr<ScheduleState> state,
                           const SweepOptions &how) {
  // Where there is a plan, others have a part of the time only.
  const Deadline until = fits() ? deadline.fraction(0.5) : deadline;
  sweep(*state, how, until);
  for (int round = 0; round < 3; ++round)
    if (fill(*state, 0, random, 0, INT32_MAX, maxWork(), until) == 0)
      break;
  int64_t excess = state->excess();
  __int128 cost = state->cost();
  bool better = !bestState || excess < bestExcess ||
                (excess == bestExcess && cost < bestState->cost());
  if (better) {
    bestState = std::move(state);
    bestExcess = excess;
    if (excess == 0)
      onBetter(*bestState);
  }
  return excess == 0 ? cost : kNever;
}

__int128 Portfolio::tryStored(int32_t stage, const std::vector<char> &stored) {
  auto state = std::make_unique<ScheduleState>(initial);
  if (!evictAcross(*state, stage, stored, costLimit(), deadline))
    return kNever;
  SweepOptions how;
  how.costLimit = costLimit();
  how.maxWork = maxWork();
  __int128 cost = kNever;
  if (cutFurther && !state->fits()) {
    auto further = std::make_unique<ScheduleState>(*state);
    StageCutOptions cuts;
    cuts.part = 0.97;
    cuts.maxStages = static_cast<int32_t>(
        std::clamp<int64_t>(3'000'000 / (g.numOps + 1), 24, 300));
    cuts.costLimit = costLimit();
    lowerWorstStages(*further, cuts, deadline);
    cost = finish(std::move(further), how);
    // On large graphs one of the two must do.
    if (fits() && g.numOps > kLargeGraph)
      return cost;
  }
  // Far beyond the budget the sweep would only undo what the cut decided.
  if (state->peaks().max() / 2 > budget)
    return cost;
  how.costLimit = costLimit();
  return std::min(cost, finish(std::move(state), how));
}

__int128 Portfolio::tryRoom(MomentModel &model, int32_t stage,
                            double fraction) {
  int64_t room = model.capacity(stage, budget);
  int64_t part = static_cast<int64_t>(static_cast<double>(room) * fraction);
  const int64_t reduced = budget - (room - part);
  double hint = 0;
  if (classes.help())
    hint = model.estimatePrice(stage, reduced, classes).which.moment.bytePrice;
  MomentModel::BestPrice best =
      model.maximizePrice(stage, {}, reduced, 16, hint);
  if (part == room && !cutFurther && best.bound < MomentModel::kInfeasible)
    proven = std::max(proven, best.bound);
  if (!best.hasUnder)
    return best.hasOver ? tryStored(stage, best.over.stored) : kNever;
  // On large graphs, where each try is long, a mixture comes first and will do.
  const bool large = g.numOps > kLargeGraph;
  __int128 cost = kNever;
  if (!large || !best.hasOver)
    cost = tryStored(stage, best.under.stored);
  if (!best.hasOver)
    return cost;
  for (bool fromLast : {true, false}) {
    if (timeIsUp(0.35))
      break;
    cost = std::min(cost, tryStored(stage, mixCuts(g, best.under, best.over,
                                                   part, fromLast)));
  }
  if (large && !fits() && !timeIsUp(0.35))
    cost = std::min(cost, tryStored(stage, best.under.stored));
  return cost;
}

void Portfolio::tryFirstMinCut() { tryMinCuts({1.0}); }

void Portfolio::tryOtherMinCuts() { tryMinCuts({0.95, 0.9, 0.85, 0.75}); }

void Portfolio::tryMinCuts(std::initializer_list<double> fractions) {
  int32_t stage = initial.peaks().argMax();
  if (stage >= g.numOps)
    return;
  MomentModel model(g, Order::Program);
  model.setDeadline(deadline.fraction(fits() ? 0.35 : 0.6));
  __int128 last = kNever;
  int worse = 0;
  for (double fraction : fractions) {
    if (timeIsUp(0.35) || worse >= 2)
      return;
    __int128 cost = tryRoom(model, stage, fraction);
    worse += cost > last;
    last = cost;
  }
}

double Portfolio::gap() const {
  if (!fits())
    return std::numeric_limits<double>::infinity();
  return static_cast<double>(bestState->cost() - proven) /
         static_cast<double>(g.totalTime + 1);
}

/// Segment sizes, as parts of the budget. On large graphs, where to improve on
/// one costs much, those come first whose segments alone fit best: keeping
/// nothing else takes little time to try.
std::vector<double> Portfolio::segmentParts(int32_t stage) {
  const bool large = g.numOps > kMaxOpsForAllSegments;
  std::vector<std::pair<__int128, double>> ranked;
  for (double part = 1.0 / 16; part <= 1.0; part *= large ? 1.5 : 1.3) {
    __int128 rank = 0;
    if (large) {
      if (timeIsUp(0.3))
        break;
      auto state = std::make_unique<ScheduleState>(initial);
      if (!evictAcross(*state, stage, segments(stage, part), costLimit(),
                       deadline))
        continue;
      // First what fits, by time; then the rest, by peak.
      rank = state->fits() ? state->cost() : kNever + state->peaks().max();
      if (state->fits())
        finish(std::move(state), SweepOptions());
    }
    ranked.push_back({rank, part});
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<double> parts;
  for (const auto &[rank, part] : ranked)
    parts.push_back(part);
  return parts;
}

std::vector<char> Portfolio::segments(int32_t stage, double part) const {
  return crossingValues(
      g, stage, segmentPositions(g, stage, part * static_cast<double>(budget)));
}

void Portfolio::trySegments() {
  int32_t stage = initial.peaks().argMax();
  if (stage >= g.numOps)
    return;
  MomentModel model(g, Order::Program);
  model.setDeadline(deadline.fraction(fits() ? 0.35 : 0.6));
  cutFurther = true;
  for (double part : {1.3, 1.15, 1.05, 1.0, 0.95, 0.9, 0.8, 0.7}) {
    if (timeIsUp(0.5))
      break;
    tryStored(stage, crossingValues(
                         g, stage,
                         shrinkingSegmentPositions(
                             g, stage, part * static_cast<double>(budget))));
  }
  for (double part : segmentParts(stage)) {
    if (timeIsUp(0.5))
      break;
    const std::vector<char> stored = segments(stage, part);
    model.setAlwaysStored(&stored);
    tryStored(stage, stored);
    __int128 last = kNever;
    int worse = 0;
    for (double fraction : {1.0, 0.9, 0.75}) {
      if (timeIsUp(0.5) || worse >= 2)
        break;
      __int128 cost = tryRoom(model, stage, fraction);
      worse += cost > last;
      last = cost;
    }
    model.setAlwaysStored(nullptr);
  }
  cutFurther = false;
}

void Portfolio::tryBlocks() {
  BlockChainOptions how;
  how.turn = initial.peaks().argMax();
  how.maxBytes = budget;
  constexpr int32_t fewestBlocks = 4, mostLevels = 4;
  // Few blocks take little time; but on large graphs each schedule does, and
  // those of few blocks are far from the best.
  std::vector<int32_t> counts = {128, 400, 1200, 48};
  if (g.numOps > kMaxOpsForAllSegments)
    std::rotate(counts.begin(), counts.begin() + 1, counts.begin() + 3);
  std::vector<int32_t> tried;
  for (int32_t blocks : counts) {
    constexpr double near = 0.001;
    if (timeIsUp(0.3) || gap() < near)
      return;
    how.maxBlocks = blocks;
    const BlockChain chain = findBlockChain(g, how);
    const int32_t found = chain.numBlocks();
    if (found < fewestBlocks ||
        std::find(tried.begin(), tried.end(), found) != tried.end())
      continue;
    tried.push_back(found);
    const BlockLevels levels =
        findBlockLevels(g, chain, mostLevels, deadline.fraction(0.5));
    BlockDpOptions options;
    options.budget = budget;
    options.deadline = deadline.fraction(0.6);
    options.maxWork = blockWork();
    tryBlockSchedules(BlockDp(g, chain, levels, options));
  }
}

/// Steps for tables of blocks: a part of the time that is left, less of it on
/// small graphs, and least where these are near the bound, which local search
/// does well.
int64_t Portfolio::blockWork() const {
  constexpr double far = 0.05;
  const bool small = g.numOps <= kSmallGraph;
  const bool searchable = small && gap() < far;
  const double most = searchable ? 1e8 + 2e5 * g.numOps
                                 : 1e6 * std::clamp(g.numOps, 1000, 8000);
  if (!deadline.limited())
    return static_cast<int64_t>(most);
  constexpr double stepsPerSecond = 4e9;
  const double part = searchable ? 0.05 : (small ? 0.12 : 0.3);
  return static_cast<int64_t>(
      std::min(most, deadline.left() * part * stepsPerSecond));
}

/// Sizes are rounded up, so more may be allowed than the budget: finds how much
/// by bisection. What is a little above the budget is swept as well.
void Portfolio::tryBlockSchedules(const BlockDp &programme) {
  double low = 2 - BlockDp::kMostPart, high = BlockDp::kMostPart;
  for (int step = 0; step < 6 && !timeIsUp(0.5); ++step) {
    const double part = (low + high) / 2;
    const double time =
        static_cast<double>(g.totalTime) + programme.extraTime(part);
    if (time > static_cast<double>(costLimit())) {
      low = part;
      continue;
    }
    const std::vector<OpId> runs = programme.schedule(part);
    auto state = std::make_unique<ScheduleState>(g, budget, runs);
    const int64_t peak = state->peaks().max();
    (peak <= budget ? low : high) = part;
    constexpr double nearlyFits = 1.03;
    if (state->cost() > costLimit() ||
        static_cast<double>(peak) > nearlyFits * static_cast<double>(budget))
      continue;
    SweepOptions how;
    how.costLimit = costLimit();
    how.maxWork = maxWork() / 4;
    finish(std::move(state), how);
  }
}

void Portfolio::tryStageCuts() {
  StageCutOptions how;
  for (LengthExponent exponent :
       {LengthExponent::Quarter, LengthExponent::Half})
    for (double part : {0.97, 0.94, 1.0}) {
      if (timeIsUp(0.35))
        return;
      how.exponent = exponent;
      how.part = part;
      how.costLimit = costLimit();
      auto state = std::make_unique<ScheduleState>(initial);
      lowerWorstStages(*state, how, deadline);
      SweepOptions rest;
      rest.costLimit = costLimit();
      rest.maxWork = maxWork();
      finish(std::move(state), rest);
    }
}

void Portfolio::trySweeps() {
  struct Config {
    LengthExponent exponent;
    bool countViolations;
  };
  static constexpr Config configs[] = {
      {LengthExponent::Half, true},     {LengthExponent::One, true},
      {LengthExponent::Quarter, false}, {LengthExponent::One, false},
      {LengthExponent::Zero, true},     {LengthExponent::Half, false},
      {LengthExponent::Zero, false}};
  for (Config config : configs) {
    if (timeIsUp(0.35))
      return;
    SweepOptions how;
    how.exponent = config.exponent;
    how.countViolations = config.countViolations;
    how.costLimit = costLimit();
    how.maxWork = maxWork();
    finish(std::make_unique<ScheduleState>(initial), how);
  }
}

} // namespace ckpt::planner
