//===- BoundSearch.cpp - Finding prices that prove much -------------------===//
#include "Bounds/BoundSearch.h"

#include "Bounds/MomentModel.h"
#include "Bounds/WindowSearch.h"
#include "Effort.h"
#include "Search/Blocks.h"
#include "Search/ScheduleState.h"

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

  /// On large graphs of repeated blocks: the moments that promise most, by an
  /// estimate, and a price that is near the best.
  std::vector<OpId> promising(const std::vector<OpId> &moments,
                              double &price) const {
    constexpr int32_t largeGraph = 20'000;
    constexpr size_t most = 3;
    if (g.numOps < largeGraph)
      return moments;
    const Classes classes = findClasses(g);
    if (!classes.help())
      return moments;
    std::vector<std::pair<int64_t, OpId>> ranked;
    double bestPrice = 0;
    for (OpId op : moments) {
      if (deadline.fraction(0.5).passed())
        break;
      MomentModel::BestPrice found = model.estimatePrice(op, budget, classes);
      if (ranked.empty() ||
          -found.bound < std::min_element(ranked.begin(), ranked.end())->first)
        bestPrice = found.which.moment.bytePrice;
      ranked.push_back({-found.bound, op});
    }
    if (ranked.empty())
      return moments;
    std::sort(ranked.begin(), ranked.end());
    std::vector<OpId> result;
    for (size_t i = 0; i < std::min(most, ranked.size()); ++i)
      result.push_back(ranked[i].second);
    price = bestPrice;
    return result;
  }

  void bestSingleMoment(const std::vector<OpId> &moments) {
    double hint = 0;
    for (OpId op : promising(moments, hint)) {
      if (outOfEffort())
        return;
      MomentModel::BestPrice found = priceOf(op, {}, hint, 0);
      if (!cases.empty() && found.bound <= cases.front().bound)
        continue;
      if (found.which.moment.op != kNone)
        hint = found.which.moment.bytePrice;
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
      const PricedMoment moment = cases.front().which.moment;
      MomentModel::BestPrice found =
          priceOf(moment.op, {}, moment.bytePrice, divisor);
      if (found.bound > cases.front().bound)
        cases = {pricedCase(std::move(found))};
    }
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
        --cutsLeft;
        const PricedMoment moment = which.moment;
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

TimeBound boundByMoments(const Problem &problem, int64_t budget,
                         const BoundOptions &options) {
  return BoundSearch(problem, budget, options).run();
}

std::vector<std::vector<StoredAt>>
improveByWindows(const Problem &problem, int64_t budget, const Plan &plan,
                 int64_t knownTime, int64_t maxWork, const Deadline &deadline,
                 TimeBound &bound) {
  // Beyond, one moment leaves little, and the choice of several takes long.
  constexpr int32_t mostOps = 5000;
  if (bound.infeasible || bound.time >= knownTime ||
      bound.certificate.cases.empty() || problem.numOps() > mostOps)
    return {};
  // A bound by windows may be raised further: any of its moments will do.
  const BoundCase &first = bound.certificate.cases.front();
  OpId moment = first.moment.op;
  if (moment == kNone && first.grid >= 0) {
    const std::vector<OpId> &moments =
        bound.certificate.grids[first.grid].moments;
    moment = moments[moments.size() / 2];
  }
  if (moment == kNone)
    return {};
  Graph g = Graph::build(problem);
  MomentModel model(g, bound.order);
  WindowSearchOptions options;
  options.maxWork = maxWork;
  options.deadline = deadline;
  options.knownTime = knownTime;
  WindowBound found =
      searchWindows(problem, g, model, budget, plan, moment, options);
  if (!found.infeasible && found.time <= bound.time)
    return std::move(found.hints);
  bound.infeasible = found.infeasible;
  if (!found.infeasible)
    bound.time = found.time;
  bound.certificate = std::move(found.certificate);
  return std::move(found.hints);
}

TimeBound boundTime(const Problem &problem, int64_t budget,
                    const BoundOptions &options) {
  Deadline deadline(options.timeLimit);
  BoundOptions first = options;
  first.timeLimit /= 2;
  TimeBound bound = boundByMoments(problem, budget, first);
  constexpr int64_t defaultWork = 300'000'000;
  if (options.plan)
    improveByWindows(problem, budget, *options.plan,
                     options.knownTime >= 0 ? options.knownTime : INT64_MAX,
                     defaultWork, deadline, bound);
  return bound;
}

} // namespace ckpt::planner
