//===- MomentModel.cpp - Relaxation of memory to a few moments ------------===//
#include "MomentModel.h"

#include "MaxFlow.h"

#include <algorithm>
#include <cmath>

namespace ckpt::planner {

MomentModel::MomentModel(const Graph &g, Order order) : g(g), order(order) {
  // All finite capacities of a cut that matters stay below the sum of times.
  while (shift < 24 && (g.totalTime >> (46 - shift)) == 0)
    ++shift;
}

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

/// Rounded down, in scaled units.
__int128 MomentModel::scaled(double price, long double amount) const {
  long double value =
      std::ldexp(static_cast<long double>(price) * amount, shift);
  const long double limit = std::ldexp(1.0L, 90);
  return static_cast<__int128>(std::min(value, limit));
}

/// As a capacity: less than the price where all of them together might come
/// near infinity, which keeps a bound valid.
int64_t MomentModel::scaledCapacity(double price, long double amount) const {
  return static_cast<int64_t>(std::min<__int128>(
      scaled(price, amount), MaxFlow::kInfinite / 4 / (g.numValues + 1)));
}

/// Nodes: value v is v ("available after the moment"), op o is numValues + o
/// ("runs after it"), then source and sink.
int64_t MomentModel::cutAt(const BoundCase &which, MomentCut &cut) const {
  const PricedMoment &moment = which.moment;
  const std::vector<Side> side = sides(moment.op);
  auto storable = [&](ValueId v) { return side[g.producer[v]] != After; };
  auto price = [&](ValueId v) {
    int64_t bytes = rounded(g.bytes[v], moment.granularity);
    return std::max<int64_t>(0, scaledCapacity(moment.bytePrice, bytes) -
                                    (moment.bytePrice > 0 ? 1 : 0));
  };

  std::vector<char> forced(g.numValues, false), needed(g.numValues, false);
  for (ValueId v : g.inputs[moment.op])
    forced[v] = true;
  for (OpId o = 0; o < g.numOps; ++o)
    if (side[o] == After)
      for (ValueId v : g.inputs[o])
        needed[v] = true;
  for (ValueId v = 0; v < g.numValues; ++v) {
    if (g.mustStay[v] && side[g.producer[v]] == Before)
      forced[v] = true;
    if (alwaysStored && (*alwaysStored)[v] && side[g.producer[v]] == Before)
      forced[v] = true;
    if (g.output[v])
      needed[v] = true;
  }

  const int32_t source = g.numValues + g.numOps, sink = source + 1;
  MaxFlow flow(sink + 1);
  int64_t constant = 0;
  for (ValueId v = 0; v < g.numValues; ++v) {
    if (!storable(v))
      continue;
    if (forced[v]) {
      constant += price(v);
      continue;
    }
    if (needed[v])
      flow.addEdge(source, v, MaxFlow::kInfinite);
    flow.addEdge(v, g.numValues + g.producer[v], price(v));
  }
  for (OpId o = 0; o < g.numOps; ++o) {
    if (side[o] == After)
      continue;
    if (side[o] == Before) {
      int64_t cost = g.time[o] << shift;
      if (!g.recomputable[o] || contains(which.once, o))
        cost = MaxFlow::kInfinite;
      else if (contains(which.again, o))
        cost = 0;
      flow.addEdge(g.numValues + o, sink, cost);
    }
    for (ValueId v : g.inputs[o])
      if (!forced[v])
        flow.addEdge(g.numValues + o, v, MaxFlow::kInfinite);
  }
  int64_t value = flow.run(source, sink);
  cut.stored.assign(g.numValues, false);
  for (ValueId v = 0; v < g.numValues; ++v) {
    if (!storable(v))
      continue;
    bool runs = flow.onSourceSide(g.numValues + g.producer[v]);
    cut.stored[v] = forced[v] || (flow.onSourceSide(v) && !runs);
    if (cut.stored[v])
      cut.storedBytes += rounded(g.bytes[v], moment.granularity);
  }
  cut.again.assign(g.numOps, false);
  for (OpId o = 0; o < g.numOps; ++o)
    cut.again[o] = side[o] == Before && flow.onSourceSide(g.numValues + o);
  if (value >= MaxFlow::kInfinite || constant >= MaxFlow::kInfinite - value)
    return MaxFlow::kInfinite;
  return value + constant;
}

MomentModel::Evaluation MomentModel::evaluate(const BoundCase &which,
                                              int64_t budget) const {
  Evaluation result;
  const PricedMoment &moment = which.moment;
  __int128 sum = 0;
  if (moment.op != kNone) {
    int64_t room = capacity(moment.op, budget);
    if (forcedBytes(moment.op, which) > room) {
      result.bound = kInfeasible;
      return result;
    }
    room = rounded(room, moment.granularity);
    int64_t value = cutAt(which, result.cut);
    if (value >= MaxFlow::kInfinite) {
      result.bound = kInfeasible;
      return result;
    }
    sum = value - scaled(moment.bytePrice, static_cast<long double>(room)) -
          (moment.bytePrice > 0 ? 2 : 0);
  }
  sum = std::max<__int128>(sum, 0);
  // Times are integers: round up.
  sum = (sum + ((__int128(1) << shift) - 1)) >> shift;
  sum += g.totalTime;
  for (OpId op : which.again)
    sum += g.time[op];
  result.bound = sum >= INT64_MAX ? INT64_MAX - 1 : static_cast<int64_t>(sum);
  return result;
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
  auto evaluateAt = [&](double price) {
    BoundCase trial = which;
    trial.moment = {op, price, granularity};
    Evaluation evaluation = evaluate(trial, budget);
    ++result.cutsUsed;
    Line line;
    if (evaluation.bound > result.bound || result.cutsUsed == 1) {
      result.bound = evaluation.bound;
      result.which = std::move(trial);
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
    return result.bound != kInfeasible && result.cutsUsed < maxCuts;
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
