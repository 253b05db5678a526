//===- MomentModel.cpp - Relaxation of memory to one moment ---------------===//
#include "Bounds/MomentModel.h"

#include "Bounds/MomentNetwork.h"

#include <algorithm>
#include <cmath>

namespace ckpt::planner {

MomentModel::MomentModel(const Graph &g, Order order)
    : g(g), order(order), scale(g) {}

/// `bytes` rounded down.
static int64_t rounded(int64_t bytes, int64_t granularity) {
  return granularity > 1 ? bytes / granularity * granularity : bytes;
}

std::vector<MomentModel::Side> MomentModel::sides(OpId op) const {
  if (order == Order::Program) {
    std::vector<Side> result(g.numOps, After);
    std::fill(result.begin(), result.begin() + op, Before);
    return result;
  }
  std::vector<Side> result(g.numOps, Unknown);
  result[op] = Before;
  for (OpId o = op; o >= 0; --o) {
    if (result[o] != Before)
      continue;
    for (ValueId v : g.inputs[o])
      result[g.producer[v]] = Before;
    for (OpId before : g.before[o])
      result[before] = Before;
  }
  result[op] = After;
  for (OpId o = op + 1; o < g.numOps; ++o) {
    bool after = false;
    for (ValueId v : g.inputs[o])
      after |= result[g.producer[v]] == After;
    for (OpId before : g.before[o])
      after |= result[before] == After;
    if (after)
      result[o] = After;
  }
  return result;
}

bool MomentModel::ordered(OpId first, OpId second) const {
  return first < second && sides(second)[first] == Before;
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
    if (side[g.producer[v]] != Before)
      continue;
    bool needed = g.output[v];
    for (OpId user : g.users[v])
      needed |= side[user] == After;
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
    if (side[producer] != Before)
      continue;
    if (g.mustStay[v])
      forced[v] = true;
    if (g.recomputable[producer] && !contains(assumptions.once, producer))
      continue;
    bool needed = g.output[v];
    for (OpId user : g.users[v])
      needed |= side[user] == After;
    forced[v] |= needed;
  }
  int64_t bytes = 0;
  for (ValueId v = 0; v < g.numValues; ++v)
    if (forced[v])
      bytes += g.bytes[v];
  return bytes;
}

/// With the network of an earlier evaluation that differs in the price alone,
/// or null: then it is built.
MomentModel::Evaluation
MomentModel::evaluate(const BoundCase &which, int64_t budget,
                      std::unique_ptr<MomentNetwork> &network,
                      const Classes *classes) const {
  Evaluation result;
  const PricedMoment &moment = which.moment;
  __int128 sum = 0;
  if (moment.op != kNone) {
    const int64_t room = capacity(moment.op, budget);
    if (!network) {
      if (forcedBytes(moment.op, which) > room) {
        result.bound = kInfeasible;
        return result;
      }
      const std::vector<Side> side = sides(moment.op);
      network = std::make_unique<MomentNetwork>(
          g, scale,
          MomentNetwork::Setup{moment.op, side, moment.granularity, which.once,
                               which.again, alwaysStored, classes});
    }
    int64_t value = network->solve(moment.bytePrice, deadline, result.cut);
    if (value >= MaxFlow::kInfinite) {
      result.bound = kInfeasible;
      return result;
    }
    sum = value -
          scale.scaled(moment.bytePrice, rounded(room, moment.granularity)) -
          (moment.bytePrice > 0 ? 2 : 0);
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
  std::unique_ptr<MomentNetwork> network;
  return evaluate(which, budget, network, nullptr);
}

MomentModel::BestPrice MomentModel::maximizePrice(OpId op,
                                                  const BoundCase &which,
                                                  int64_t budget,
                                                  int64_t maxCuts, double hint,
                                                  int64_t granularity) const {
  return maximizePrice(op, which, budget, maxCuts, hint, granularity, nullptr);
}

MomentModel::BestPrice
MomentModel::estimatePrice(OpId op, int64_t budget,
                           const Classes &classes) const {
  constexpr int64_t maxCuts = 24;
  return maximizePrice(op, {}, budget, maxCuts, 0, 0, &classes);
}

MomentModel::BestPrice
MomentModel::maximizePrice(OpId op, const BoundCase &which, int64_t budget,
                           int64_t maxCuts, double hint, int64_t granularity,
                           const Classes *classes) const {
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
  std::unique_ptr<MomentNetwork> network;
  auto evaluateAt = [&](double price) {
    trial.moment = {op, price, granularity};
    Evaluation evaluation = evaluate(trial, budget, network, classes);
    ++result.cutsUsed;
    Line line;
    if (evaluation.bound > result.bound || result.cutsUsed == 1) {
      result.bound = evaluation.bound;
      result.which = trial;
    }
    if (evaluation.bound == kInfeasible)
      return line;
    MomentCut &cut = evaluation.cut;
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
