//===- BoundSearch.cpp - Finding prices that prove much -------------------===//
#include "Effort.h"
#include "MomentModel.h"
#include "ScheduleState.h"

#include <algorithm>
#include <numeric>

namespace ckpt::planner {

namespace {
/// A case with the best prices found for it.
struct PricedCase {
  BoundCase which;
  int64_t bound = 0;
  /// The op to split on: the dearest that the two cuts at the best price treat
  /// differently; kNone: no such op.
  OpId split = kNone;
};

class BoundSearch {
public:
  BoundSearch(const Problem &problem, int64_t budget,
              const BoundOptions &options)
      : g(Graph::build(problem)), model(g, options.order), budget(budget),
        options(options), deadline(options.timeLimit) {
    model.setDeadline(deadline);
    cutsLeft = options.maxCuts;
    if (cutsLeft < 0)
      cutsLeft = std::clamp<int64_t>(1'000'000 / (g.numOps + 1), 150, 4000);
  }

  TimeBound run() {
    TimeBound result;
    result.order = options.order;
    result.time = g.totalTime;
    result.certificate.cases.emplace_back();
    ScheduleState storeAll(g, budget);
    if (storeAll.fits() || g.numOps == 0)
      return result;
    std::vector<OpId> moments = criticalMoments(storeAll);
    bestSingleMoment(moments);
    if (!settled())
      roundSizes();
    // Half of what is left for each of the two ways on.
    if (!settled())
      linkMoments(moments, cutsLeft / 2);
    if (!settled())
      splitCases();
    for (const PricedCase &which : cases)
      best = std::min(best, which.bound);
    if (best > result.time && !cases.empty()) {
      result.infeasible = best == MomentModel::kInfeasible;
      if (!result.infeasible)
        result.time = best;
      result.certificate.cases.clear();
      for (PricedCase &which : cases)
        result.certificate.cases.push_back(std::move(which.which));
    }
    return result;
  }

private:
  const Graph g;
  MomentModel model;
  const int64_t budget;
  const BoundOptions &options;
  const Deadline deadline;
  int64_t cutsLeft = 0;
  int64_t best = MomentModel::kInfeasible;
  /// The cases so far; at first one without assumptions.
  std::vector<PricedCase> cases;

  bool outOfEffort() const { return cutsLeft <= 0 || deadline.passed(); }
  /// Is `bound` as good as a bound can be?
  bool proves(int64_t bound) const {
    return bound == MomentModel::kInfeasible ||
           (options.knownTime >= 0 && bound >= options.knownTime);
  }
  bool settled() const {
    return cases.empty() || outOfEffort() || proves(cases.front().bound);
  }

  /// Stages above the budget when everything is stored: those at which most is
  /// certainly in memory, then some spread evenly over all.
  std::vector<OpId> criticalMoments(const ScheduleState &storeAll) const {
    std::vector<OpId> above;
    for (OpId op = 0; op < g.numOps; ++op)
      if (storeAll.peaks().at(op) > budget)
        above.push_back(op);
    if (above.empty())
      return {};
    auto spread = [&](size_t count) {
      std::vector<OpId> list;
      count = std::min(count, above.size());
      for (size_t i = 0; i < count; ++i)
        list.push_back(
            above[(above.size() - 1) * i / std::max<size_t>(1, count - 1)]);
      return list;
    };
    const size_t perOp = 20'000'000 / (static_cast<size_t>(g.numOps) + 1);
    std::vector<OpId> looked = spread(std::clamp<size_t>(perOp / 20, 64, 4096));
    OpId worst = std::min(storeAll.peaks().argMax(), g.numOps - 1);
    for (OpId op = std::max(0, worst - 16);
         op <= std::min(g.numOps - 1, worst + 16); ++op)
      looked.push_back(op);
    std::vector<std::pair<int64_t, OpId>> ranked;
    for (OpId op : looked) {
      if (!ranked.empty() && deadline.fraction(0.25).passed())
        break;
      ranked.push_back({-model.certainBytes(op), op});
    }
    std::sort(ranked.begin(), ranked.end());
    ranked.erase(std::unique(ranked.begin(), ranked.end()), ranked.end());
    std::vector<OpId> result;
    constexpr size_t most = 6;
    for (size_t i = 0; i < std::min(most, ranked.size()); ++i)
      result.push_back(ranked[i].second);
    for (OpId op : spread(std::clamp<size_t>(perOp / 1000, 4, 32)))
      if (std::find(result.begin(), result.end(), op) == result.end())
        result.push_back(op);
    return result;
  }

  MomentModel::BestPrice priceOf(OpId op, const BoundCase &assumptions,
                                 double hint, int64_t granularity) {
    BoundCase bare;
    bare.once = assumptions.once;
    bare.again = assumptions.again;
    MomentModel::BestPrice found = model.maximizePrice(
        op, bare, budget, std::min<int64_t>(24, std::max<int64_t>(1, cutsLeft)),
        hint, granularity);
    cutsLeft -= found.cutsUsed;
    return found;
  }

  PricedCase pricedCase(MomentModel::BestPrice &&found) const {
    PricedCase result;
    if (found.hasOver && found.hasUnder)
      for (OpId op = 0; op < g.numOps; ++op)
        if (found.under.again[op] && !found.over.again[op] &&
            (result.split == kNone || g.time[op] > g.time[result.split]))
          result.split = op;
    result.bound = found.bound;
    result.which = std::move(found.which);
    return result;
  }

  void bestSingleMoment(const std::vector<OpId> &moments) {
    double hint = 0;
    for (OpId op : moments) {
      if (outOfEffort())
        return;
      MomentModel::BestPrice found = priceOf(op, {}, hint, 0);
      if (!cases.empty() && found.bound <= cases.front().bound)
        continue;
      if (!found.which.moments.empty())
        hint = found.which.moments.front().bytePrice;
      cases = {pricedCase(std::move(found))};
      if (proves(cases.front().bound))
        return;
    }
  }

  /// Greatest common divisors of the sizes above some thresholds: roundings
  /// that lose little.
  void roundSizes() {
    int64_t largest = 0;
    for (int64_t bytes : g.bytes)
      largest = std::max(largest, bytes);
    std::vector<int64_t> tried;
    for (int64_t part : {1'000'000, 1000, 100, 20}) {
      int64_t divisor = 0;
      for (int64_t bytes : g.bytes)
        if (bytes > largest / part)
          divisor = std::gcd(divisor, bytes);
      if (divisor <= 1 ||
          std::find(tried.begin(), tried.end(), divisor) != tried.end())
        continue;
      tried.push_back(divisor);
      if (settled())
        return;
      const PricedMoment &moment = cases.front().which.moments.front();
      MomentModel::BestPrice found =
          priceOf(moment.op, {}, moment.bytePrice, divisor);
      if (found.bound > cases.front().bound)
        cases = {pricedCase(std::move(found))};
    }
  }

  //===--------------------------------------------------------------------===//
  // Several moments: subgradients of the prices, with Polyak's steps
  //===--------------------------------------------------------------------===//

  void linkMoments(std::vector<OpId> moments, int64_t maxCuts) {
    const PricedMoment first = cases.front().which.moments.front();
    moments.push_back(first.op);
    std::sort(moments.begin(), moments.end());
    moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
    // Those that are in one order with the best moment, and with each other.
    std::vector<OpId> chain;
    for (OpId op : moments) {
      bool fits =
          op == first.op || (op < first.op ? model.ordered(op, first.op)
                                           : model.ordered(first.op, op));
      if (fits && (chain.empty() || model.ordered(chain.back(), op)))
        chain.push_back(op);
    }
    if (chain.size() < 2)
      return;
    const int64_t stopAt = cutsLeft - maxCuts;
    // Every start is worth a try: one price everywhere, or the best alone.
    climb(chain, first, stopAt);
  }

  void climb(const std::vector<OpId> &chain, const PricedMoment &first,
             int64_t stopAt) {
    BoundCase which;
    for (OpId op : chain) {
      PricedMoment moment;
      moment.op = op;
      moment.granularity = first.granularity;
      moment.bytePrice = op == first.op ? first.bytePrice : 0;
      if (!which.moments.empty())
        moment.linkPrices.assign(g.numValues, 0);
      which.moments.push_back(std::move(moment));
    }
    // Later phases must provide what they need: without links a moment after
    // the first would take its needs for granted.
    double meanBytes = 1;
    for (int64_t bytes : g.bytes)
      meanBytes += static_cast<double>(bytes);
    meanBytes /= g.numValues;
    double relaxation = 1;
    int sinceBetter = 0;
    int64_t bestHere = 0;
    MomentModel::Phases phases(model, which, budget);
    while (cutsLeft > stopAt && !deadline.passed()) {
      MomentModel::Evaluation evaluation = phases.evaluate(which);
      cutsLeft -= static_cast<int64_t>(chain.size());
      if (evaluation.bound > bestHere) {
        bestHere = evaluation.bound;
        sinceBetter = 0;
      } else if (++sinceBetter >= 12) {
        relaxation *= 0.6;
        sinceBetter = 0;
        if (relaxation < 0.01)
          return;
      }
      if (evaluation.bound > cases.front().bound) {
        cases.front().bound = evaluation.bound;
        cases.front().which = which;
        if (proves(evaluation.bound))
          return;
      }
      if (!step(which, evaluation, meanBytes, relaxation))
        return;
    }
  }

  /// Moves the prices along the subgradient; false where that is zero.
  bool step(BoundCase &which, const MomentModel::Evaluation &evaluation,
            double meanBytes, double relaxation) const {
    const size_t count = which.moments.size();
    std::vector<double> byteSlope(count);
    double norm = 0;
    for (size_t j = 0; j < count; ++j) {
      int64_t room = model.capacity(which.moments[j].op, budget);
      double slope =
          static_cast<double>(evaluation.phases[j].storedBytes - room) /
          meanBytes;
      if (which.moments[j].bytePrice == 0 && slope < 0)
        slope = 0;
      byteSlope[j] = slope;
      norm += slope * slope;
    }
    auto linkSlope = [&](size_t j, ValueId v) {
      double slope = static_cast<double>(evaluation.phases[j].stored[v]) -
                     static_cast<double>(evaluation.phases[j - 1].available[v]);
      return which.moments[j].linkPrices[v] == 0 && slope < 0 ? 0 : slope;
    };
    for (size_t j = 1; j < count; ++j)
      for (ValueId v = 0; v < g.numValues; ++v)
        norm += linkSlope(j, v) * linkSlope(j, v);
    if (norm == 0)
      return false;
    double target = options.knownTime >= 0
                        ? static_cast<double>(options.knownTime)
                        : static_cast<double>(evaluation.bound) * 1.02;
    double length =
        relaxation *
        std::max(target - static_cast<double>(evaluation.bound), 1.0) / norm;
    for (size_t j = 0; j < count; ++j) {
      PricedMoment &moment = which.moments[j];
      moment.bytePrice =
          std::max(0.0, moment.bytePrice + length * byteSlope[j] / meanBytes);
      if (j == 0)
        continue;
      for (ValueId v = 0; v < g.numValues; ++v)
        moment.linkPrices[v] =
            std::max(0.0, moment.linkPrices[v] + length * linkSlope(j, v));
    }
    return true;
  }

  //===--------------------------------------------------------------------===//
  // Case distinctions
  //===--------------------------------------------------------------------===//

  /// Splits the worst case on an op that runs once in one and again in the
  /// other, as long as that pays.
  void splitCases() {
    constexpr size_t maxCases = 512;
    while (!outOfEffort() && cases.size() < maxCases) {
      auto worst =
          std::min_element(cases.begin(), cases.end(),
                           [](const PricedCase &a, const PricedCase &b) {
                             return a.bound < b.bound;
                           });
      if (proves(worst->bound) || worst->split == kNone)
        return;
      PricedCase parent = *worst;
      PricedCase children[2];
      for (bool again : {false, true}) {
        BoundCase which = parent.which;
        (again ? which.again : which.once).push_back(parent.split);
        PricedCase &child = children[again];
        // The prices of the parent hold for the child as well.
        child.which = which;
        child.bound = model.evaluate(which, budget).bound;
        cutsLeft -= static_cast<int64_t>(which.moments.size());
        const PricedMoment moment = which.moments.front();
        MomentModel::BestPrice found =
            priceOf(moment.op, which, moment.bytePrice, moment.granularity);
        PricedCase priced = pricedCase(std::move(found));
        child.split = priced.split;
        if (priced.bound > child.bound) {
          child.which = std::move(priced.which);
          child.bound = priced.bound;
        }
        for (OpId named : child.which.once)
          if (child.split == named)
            child.split = kNone;
        for (OpId named : child.which.again)
          if (child.split == named)
            child.split = kNone;
      }
      // Cuts that the deadline cut short would make the bound worse.
      if (deadline.passed())
        return;
      *worst = std::move(children[0]);
      cases.push_back(std::move(children[1]));
    }
  }
};
} // namespace

TimeBound boundTime(const Problem &problem, int64_t budget,
                    const BoundOptions &options) {
  return BoundSearch(problem, budget, options).run();
}

} // namespace ckpt::planner
