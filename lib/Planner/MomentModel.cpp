//===- MomentModel.cpp - Relaxation of memory to a few moments ------------===//
#include "MomentModel.h"

#include <algorithm>
#include <cmath>

namespace ckpt::planner {

MomentModel::MomentModel(const Graph &g, Order order)
    : g(g), order(order), scale(g) {}

/// `bytes` rounded down.
static int64_t rounded(int64_t bytes, int64_t granularity) {
  return granularity > 1 ? bytes / granularity * granularity : bytes;
}

std::vector<Side> MomentModel::sides(OpId op) const {
  if (order == Order::Program) {
    std::vector<Side> result(g.numOps, Side::After);
    std::fill(result.begin(), result.begin() + op, Side::Before);
    return result;
  }
  std::vector<Side> result(g.numOps, Side::Unknown);
  result[op] = Side::Before;
  for (OpId o = op; o >= 0; --o) {
    if (result[o] != Side::Before)
      continue;
    for (ValueId v : g.inputs[o])
      result[g.producer[v]] = Side::Before;
    for (OpId before : g.before[o])
      result[before] = Side::Before;
  }
  result[op] = Side::After;
  for (OpId o = op + 1; o < g.numOps; ++o) {
    bool after = false;
    for (ValueId v : g.inputs[o])
      after |= result[g.producer[v]] == Side::After;
    for (OpId before : g.before[o])
      after |= result[before] == Side::After;
    if (after)
      result[o] = Side::After;
  }
  return result;
}

bool MomentModel::ordered(OpId first, OpId second) const {
  return first < second && sides(second)[first] == Side::Before;
}

int64_t MomentModel::capacity(OpId op, int64_t budget) const {
  int64_t capacity = budget - g.workspace[op];
  for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
    if (g.inPlaceOf[v] == kNone)
      capacity -= g.bytes[v];
  return capacity;
}

int64_t MomentModel::certainBytes(OpId op) const {
  std::vector<Side> side = sides(op);
  int64_t bytes = -capacity(op, 0);
  for (ValueId v = 0; v < g.numValues; ++v) {
    if (side[g.producer[v]] != Side::Before)
      continue;
    bool needed = g.output[v];
    for (OpId user : g.users[v])
      needed |= side[user] == Side::After;
    if (needed)
      bytes += g.bytes[v];
  }
  return bytes;
}

static bool contains(const std::vector<OpId> &list, OpId op) {
  return std::find(list.begin(), list.end(), op) != list.end();
}

int64_t MomentModel::forcedBytes(OpId op, const BoundCase &assumptions) const {
  std::vector<Side> side = sides(op);
  std::vector<char> forced(g.numValues, false);
  for (ValueId v : g.inputs[op])
    forced[v] = true;
  for (ValueId v = 0; v < g.numValues; ++v) {
    OpId producer = g.producer[v];
    if (side[producer] != Side::Before)
      continue;
    if (g.mustStay[v])
      forced[v] = true;
    if (g.recomputable[producer] && !contains(assumptions.once, producer))
      continue;
    bool needed = g.output[v];
    for (OpId user : g.users[v])
      needed |= side[user] == Side::After;
    forced[v] |= needed;
  }
  int64_t bytes = 0;
  for (ValueId v = 0; v < g.numValues; ++v)
    if (forced[v])
      bytes += g.bytes[v];
  return bytes;
}

/// Most nodes of the networks that are kept.
static constexpr int64_t kMaxNodesKept = 300'000;

MomentModel::Phases::Phases(const MomentModel &model, const BoundCase &which,
                            int64_t budget)
    : model(model), budget(budget),
      keep(which.moments.size() == 1 ||
           (static_cast<int64_t>(model.g.numOps) + model.g.numValues) *
                   static_cast<int64_t>(which.moments.size()) <=
               kMaxNodesKept),
      networks(which.moments.size()) {}

void MomentModel::Phases::build(size_t index, const BoundCase &which) {
  PhaseNetwork::Setup setup;
  setup.op = which.moments[index].op;
  setup.granularity = which.moments[index].granularity;
  setup.assumptions = &which;
  setup.alwaysStored = model.alwaysStored;
  const bool last = index + 1 == which.moments.size();
  std::vector<Side> next;
  if (!last)
    next = model.sides(which.moments[index + 1].op);
  networks[index] = std::make_unique<PhaseNetwork>(model.g, model.scale, setup,
                                                   model.sides(setup.op),
                                                   last ? nullptr : &next);
}

MomentModel::Evaluation MomentModel::Phases::evaluate(const BoundCase &which) {
  const Graph &g = model.g;
  const TimeScale &scale = model.scale;
  Evaluation result;
  result.bound = kInfeasible;
  auto linksOf = [&](size_t i) -> const std::vector<double> * {
    return i < which.moments.size() && !which.moments[i].linkPrices.empty()
               ? &which.moments[i].linkPrices
               : nullptr;
  };
  __int128 sum = 0;
  for (size_t i = 0; i < which.moments.size(); ++i) {
    const PricedMoment &moment = which.moments[i];
    result.phases.emplace_back();
    const int64_t room = model.capacity(moment.op, budget);
    if (!networks[i]) {
      if (model.forcedBytes(moment.op, which) > room)
        return result;
      build(i, which);
    }
    int64_t value =
        networks[i]->solve(moment.bytePrice, linksOf(i), linksOf(i + 1),
                           model.deadline, result.phases[i]);
    if (value >= MaxFlow::kInfinite)
      return result;
    sum += value;
    sum -= scale.scaled(moment.bytePrice, rounded(room, moment.granularity));
    sum -= moment.bytePrice > 0 ? 2 : 0;
    if (const std::vector<double> *links = linksOf(i))
      for (ValueId v = 0; v < g.numValues; ++v)
        if (networks[i]->mayStore(v))
          sum -= scale.scaled((*links)[v], 1);
    if (!keep)
      networks[i].reset();
  }
  sum = std::max<__int128>(sum, 0);
  // Times are integers: round up.
  sum = (sum + ((__int128(1) << scale.shift()) - 1)) >> scale.shift();
  sum += g.totalTime;
  for (OpId op : which.again)
    sum += g.time[op];
  result.bound = sum >= INT64_MAX ? INT64_MAX - 1 : static_cast<int64_t>(sum);
  return result;
}

MomentModel::Evaluation MomentModel::evaluate(const BoundCase &which,
                                              int64_t budget) const {
  return Phases(*this, which, budget).evaluate(which);
}

MomentModel::BestPrice MomentModel::maximizePrice(OpId op,
                                                  const BoundCase &which,
                                                  int64_t budget,
                                                  int64_t maxCuts, double hint,
                                                  int64_t granularity) const {
  BestPrice result;
  result.which = which;
  const int64_t room = rounded(capacity(op, budget), granularity);
  // A price at which it would pay to recompute the average value: cuts at
  // much higher prices are slow (long paths) and rarely needed.
  double bytes = 1;
  for (ValueId v = 0; v < g.numValues; ++v)
    bytes += static_cast<double>(g.bytes[v]);
  const double firstPrice =
      hint > 0 ? hint : (static_cast<double>(g.totalTime) + 1) / bytes / 4;

  // The bound as a function of the price is the least of the lines
  // intercept + slope * price, one for each way to cut.
  struct Line {
    double intercept = 0, slope = 0, price = 0;
  } low, high;
  BoundCase trial = which;
  trial.moments = {PricedMoment{op, 0, granularity, {}}};
  Phases phases(*this, trial, budget);
  auto evaluateAt = [&](double price) {
    trial.moments.front().bytePrice = price;
    Evaluation evaluation = phases.evaluate(trial);
    ++result.cutsUsed;
    Line line;
    if (evaluation.bound > result.bound || result.cutsUsed == 1) {
      result.bound = evaluation.bound;
      result.which = trial;
    }
    if (evaluation.bound == kInfeasible)
      return line;
    PhaseCut &cut = evaluation.phases.front();
    line.price = price;
    line.slope = static_cast<double>(cut.storedBytes - room);
    line.intercept = static_cast<double>(evaluation.bound) - line.slope * price;
    if (cut.storedBytes > room) {
      result.over = std::move(cut);
      result.hasOver = true;
    } else {
      result.under = std::move(cut);
      result.hasUnder = true;
    }
    return line;
  };
  // Bracket the best price, then close in.
  const double factor = hint > 0 ? 1.3 : 3;
  double price = firstPrice;
  Line line = evaluateAt(price);
  auto mayGoOn = [&] {
    return result.bound != kInfeasible && result.cutsUsed < maxCuts &&
           !deadline.passed();
  };
  if (line.slope > 0) {
    low = line;
    for (high = line; high.slope > 0 && mayGoOn();) {
      low = high;
      price *= factor;
      high = evaluateAt(price);
    }
  } else {
    high = line;
    for (low = line; low.slope <= 0 && mayGoOn();) {
      high = low;
      price = price > firstPrice * 1e-9 ? price / factor : 0;
      low = evaluateAt(price);
      if (price == 0 && low.slope <= 0)
        return result;
    }
  }
  while (low.slope > 0 && high.slope <= 0 && mayGoOn()) {
    double meet = (high.intercept - low.intercept) / (low.slope - high.slope);
    if (!(meet > low.price && meet < high.price))
      break;
    double expected = low.intercept + low.slope * meet;
    line = evaluateAt(meet);
    double found = line.intercept + line.slope * meet;
    (line.slope > 0 ? low : high) = line;
    if (expected - found <= 0.5 + 1e-7 * static_cast<double>(g.totalTime))
      break;
  }
  return result;
}

} // namespace ckpt::planner
