//===- SolveAuto.cpp - The best plan known --------------------------------===//
#include "Bounds/BoundSearch.h"
#include "Search/LocalSearch.h"
#include "Search/MemorySearch.h"
#include "Search/OrderSearch.h"
#include "Search/Portfolio.h"
#include "Search/Reorder.h"
#include "Search/Repair.h"
#include "Search/Squeeze.h"
#include "Solvers/Candidates.h"
#include "Solvers/Exact.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

namespace ckpt::planner {

namespace {
class AutoSolver {
public:
  AutoSolver(const Problem &problem, const Options &options)
      : problem(problem), options(options), deadline(options.timeLimit),
        candidates(problem, options), random(options.seed) {}

  Result run(bool wantComplete) {
    complete = wantComplete && exactTakes(problem);
    if (candidates.belowFloor())
      return candidates.finish(StopReason::Failed);
    std::vector<MemoryOrder> orders = baseOrders();
    for (const MemoryOrder &order : orders)
      if (candidates.offer(order.order))
        return candidates.finish(StopReason::Finished);
    // Tiny problems are searched whole; larger ones when there is a good plan.
    if (complete && problem.numOps() <= kTiny && searchAll(kTinyStates))
      return candidates.finish(StopReason::Effort, std::move(bound));
    constructFrom(orders);
    if (!candidates.solved())
      squeezeFrom(orders);
    takeOtherSolvers();
    findBound();
    if (!proven() && !squeezed)
      squeezeFrom(orders);
    if (!proven())
      improve();
    if (!proven() && boundPays())
      improveBound();
    if (complete && !proven())
      searchAll(std::clamp<int64_t>(std::min(maxMoves(), kSmallStates) * 50,
                                    20'000, kSmallStates));
    return candidates.finish(deadline.passed() ? StopReason::TimeLimit
                                               : StopReason::Effort,
                             std::move(bound));
  }

private:
  static constexpr int32_t kTiny = 14;
  /// Up to here, all orders are constructed from and searched.
  static constexpr int32_t kMaxOpsForOrders = 3000;
  /// Up to here, sweeps are tried where cuts found a plan.
  static constexpr int32_t kMaxOpsForSweeps = 20'000;
  static constexpr int64_t kTinyStates = 500'000;
  static constexpr int64_t kSmallStates = 1'000'000;
  static constexpr int64_t kDefaultMoves = 20'000;
  static constexpr int64_t kBoundWorkPerMove = 10'000;

  const Problem &problem;
  const Options &options;
  const Deadline deadline;
  Candidates candidates;
  Random random;
  TimeBound bound;
  /// Seconds to make a graph and a schedule, where time is limited.
  double passSeconds = 0;
  /// May the problem be searched completely?
  bool complete = false;
  /// Constructions for different base orders, to search from each.
  struct Start {
    int64_t excess;
    __int128 cost;
    std::vector<OpId> runs;
    bool operator<(const Start &other) const {
      return std::tie(excess, cost, runs) <
             std::tie(other.excess, other.cost, other.runs);
    }
  };
  std::vector<Start> starts;
  /// The best construction, by excess, then by cost: its runs.
  std::vector<OpId> bestRuns;
  int64_t bestExcess = INT64_MAX;
  __int128 bestCost = 0;
  /// Did the last search over orders find something?
  bool orderHelped = false;
  /// Was squeezeFrom() there already?
  bool squeezed = false;

  bool proven() const {
    return candidates.solved() && candidates.bestTime() <= bound.time;
  }

  std::vector<MemoryOrder> baseOrders() const {
    if (options.order == Order::Free)
      return memoryOrdersWithin(problem, options.budget,
                                deadline.fraction(0.1));
    std::vector<OpId> program(problem.numOps());
    std::iota(program.begin(), program.end(), 0);
    return {{std::move(program), storeAllPeak(problem)}};
  }

  /// The complete search at the end and the second bound need a part of the
  /// time, and so does judging what the search found.
  Deadline searchDeadline() const {
    return deadline.fraction(complete      ? 0.6
                             : boundPays() ? 0.7
                                           : 1)
        .earlier(4 * passSeconds);
  }

  /// Is there time to make a schedule anew and to do something with it?
  bool timeForAnother() const {
    return !deadline.limited() || deadline.left() > 8 * passSeconds;
  }

  /// May a better bound be found, and is it needed?
  bool boundPays() const {
    return options.wantBound && candidates.solved() &&
           problem.numOps() <= kMaxOpsForOrders;
  }

  int64_t maxMoves() const {
    if (options.effort >= 0)
      return options.effort;
    return deadline.limited() ? INT64_MAX : kDefaultMoves;
  }

  void offerRuns(const std::vector<OpId> &runs) {
    candidates.offer(runs);
    if (options.order == Order::Free)
      candidates.offer(dropUnreadRuns(problem, runs));
  }

  /// Complete search for something better. Returns whether it came to its end.
  bool searchAll(int64_t states) {
    ExactLimits limits;
    limits.maxStates = states;
    limits.timeLimit =
        deadline.limited()
            ? std::max(deadline.limit() - deadline.elapsed(), 1e-3)
            : 0;
    if (candidates.solved())
      limits.costLimit = candidates.bestTime();
    ExactOutcome outcome = searchExact(problem, options, limits);
    if (outcome.found)
      candidates.offerPlan(outcome.plan);
    int64_t time = std::max(problem.totalTime(), outcome.bound);
    bool infeasible = outcome.complete && !candidates.solved();
    if (infeasible || time > bound.time) {
      bound = TimeBound();
      bound.order = options.order;
      bound.bySearch = true;
      bound.infeasible = infeasible;
      bound.time = infeasible ? problem.totalTime() : time;
    }
    return outcome.complete;
  }

  //===--------------------------------------------------------------------===//
  // Constructions
  //===--------------------------------------------------------------------===//

  void constructFrom(const std::vector<MemoryOrder> &orders) {
    // The orders of least peak, and the program order: a step's author often
    // knew why.
    constexpr size_t maxOrders = 4;
    const int64_t programPeak = storeAllPeak(problem);
    for (size_t i = 0; i < orders.size(); ++i) {
      bool isProgram =
          std::is_sorted(orders[i].order.begin(), orders[i].order.end());
      // On large graphs an order must promise something.
      bool promising = problem.numOps() <= kMaxOpsForOrders ||
                       orders[i].peak < programPeak / 100 * 97;
      if (!isProgram && (i >= maxOrders || !promising))
        continue;
      if (deadline.fraction(candidates.solved() ? 0.33 : 0.6).passed())
        return;
      construct(orders[i].order);
    }
  }

  void construct(const std::vector<OpId> &order) {
    const double begin = deadline.elapsed();
    Graph g = Graph::build(problem, order);
    Portfolio portfolio(
        g, options.budget, deadline,
        [&](const ScheduleState &state) { candidates.offer(state.runs()); });
    passSeconds = std::max(passSeconds, deadline.elapsed() - begin);
    portfolio.tryFirstMinCut();
    const bool large = problem.numOps() > kMaxOpsForSweeps;
    const bool low =
        options.budget < portfolio.storeAll().peaks().max() / 20 * 7;
    // Large graphs at low budgets: what costs little and nearly fits comes
    // first.
    if (low && large)
      portfolio.trySegments();
    if (!portfolio.fits() || !large)
      portfolio.tryStageCuts();
    portfolio.tryOtherMinCuts();
    if (!(low && large) && (low || !portfolio.fits()))
      portfolio.trySegments();
    if (!portfolio.fits() || problem.numOps() <= kMaxOpsForSweeps)
      portfolio.trySweeps();
    const ScheduleState *state = portfolio.best();
    if (!state)
      return;
    int64_t excess = state->excess();
    if (problem.numOps() <= kMaxOpsForOrders)
      starts.push_back({excess, state->cost(), state->runs()});
    if (excess > bestExcess ||
        (excess == bestExcess && state->cost() >= bestCost))
      return;
    setBest(state->runs(), excess, state->cost());
  }

  /// Never worse than any other solver.
  void takeOtherSolvers() {
    Options other = options;
    other.wantBound = false;
    using Solver = Result (*)(const Problem &, const Options &);
    for (Solver solver : {solveAll, solveInterval, solveSqrt, solveChenGreedy,
                          solveMinCut, solveChainDp, solveGreedy}) {
      if (deadline.fraction(candidates.solved() ? 0.5 : 1).passed())
        return;
      other.timeOfInterest = candidates.bestTime();
      // They share a half of the time.
      other.timeLimit =
          deadline.limited()
              ? std::max(0.001, deadline.limit() / 2 - deadline.elapsed())
              : 0;
      // Tables as fine as solver chain-dp's own where there is time for them.
      bool hurried = deadline.limited() && deadline.limit() < 2;
      other.effort = solver == solveChainDp && hurried ? 200'000'000 : -1;
      Result result = solver(problem, other);
      if (!result.solved() || !candidates.offerPlan(result.plan))
        continue;
      __int128 cost = result.time;
      if (bestExcess > 0 || cost < bestCost)
        adopt(result.plan, cost);
    }
  }

  /// Makes a plan that fits the start of the local search.
  void adopt(const Plan &plan, __int128 cost) {
    std::vector<OpId> runs;
    for (Event event : plan.events)
      if (!event.isFree())
        runs.push_back(event.id);
    setBest(runs, 0, cost);
  }

  /// No plan, or one that 3% of all time separates from the bound.
  bool isFar() const {
    return !candidates.solved() ||
           candidates.bestTime() - bound.time > problem.totalTime() / 33;
  }

  /// Where the constructions are not near the bound: schedules for all orders,
  /// also those of more memory, from larger budgets down.
  void squeezeFrom(const std::vector<MemoryOrder> &orders) {
    if (problem.numOps() > kMaxOpsForOrders || maxMoves() == 0 ||
        (candidates.solved() &&
         candidates.bestTime() - bound.time <= problem.totalTime() / 100))
      return;
    squeezed = true;
    const Deadline until = deadline.slice(isFar() ? 2 : 4);
    SqueezeOptions how;
    how.movesPerStep = std::clamp<int64_t>(maxMoves() / 200, 10, 100);
    int left = static_cast<int>(orders.size());
    for (const MemoryOrder &order : orders) {
      how.deadline = until.slice(left--);
      how.maxWork = isFar() ? 30'000'000 : 5'000'000;
      if (until.passed())
        return;
      Graph g = Graph::build(problem, order.order);
      SqueezeResult found = squeeze(g, options.budget, how, random);
      take(found);
      starts.push_back({found.excess, found.cost, std::move(found.runs)});
    }
  }

  //===--------------------------------------------------------------------===//
  // Bound and search
  //===--------------------------------------------------------------------===//

  void findBound() {
    bound.time = problem.totalTime();
    bound.order = options.order;
    if (!options.wantBound || deadline.passed())
      return;
    BoundOptions boundOptions;
    boundOptions.order = options.order;
    boundOptions.timeLimit = deadline.limited() ? deadline.limit() / 8 : 0;
    boundOptions.knownTime = candidates.solved() ? candidates.bestTime() : -1;
    bound = boundByMoments(problem, options.budget, boundOptions);
  }

  /// A better bound, with the part of the time that was kept for it.
  void improveBound() {
    const int64_t work = maxMoves() > INT64_MAX / kBoundWorkPerMove
                             ? INT64_MAX
                             : maxMoves() * kBoundWorkPerMove;
    const Deadline until = deadline.fraction(complete ? 0.7 : 0.9);
    searchFromHints(
        improveByWindows(problem, options.budget, candidates.bestPlan(),
                         candidates.bestTime(), work, until, bound));
  }

  /// From schedules that hold at some moments what the bound's relaxation
  /// holds: it weighs all moments at once, which no single move does.
  void searchFromHints(const std::vector<std::vector<StoredAt>> &hints) {
    Graph g = Graph::build(problem);
    int left = static_cast<int>(hints.size());
    for (const std::vector<StoredAt> &hint : hints) {
      if (proven() || deadline.passed())
        return;
      ScheduleState state(g, options.budget);
      for (const StoredAt &stored : hint)
        evictAcross(state, stored.op, stored.values);
      RepairOptions how;
      how.maxWork = maxWork();
      how.costLimit = 2 * bestCost;
      how.deadline = deadline;
      if (repair(state, how, random) < 0)
        continue;
      fill(state, 0, random, 0, INT32_MAX, maxWork(), deadline);
      LocalSearchOptions search;
      search.maxMoves = std::min<int64_t>(maxMoves() / 10, 20'000);
      search.deadline = deadline.slice(left--);
      search.goodEnough = bound.time;
      LocalSearchResult result = localSearch(state, search, random);
      take(result);
    }
  }

  /// Local search in rounds, at first from each construction that is not much
  /// worse than the best. Between rounds, where any order is allowed, the runs
  /// of the best plan slide to where memory is cheaper, which changes the base
  /// order of the next round.
  void improve() {
    if (bestRuns.empty())
      return;
    constexpr size_t maxStarts = 4;
    std::sort(starts.begin(), starts.end());
    if (starts.size() > maxStarts)
      starts.resize(maxStarts);
    const std::vector<Start> others = std::move(starts);
    const bool severalRounds = maxMoves() > 0;
    // Cool rounds polish, hot ones leave the basin.
    static constexpr std::array<double, 5> heats = {0.3, 1, 0.3, 3, 0.1};
    // Small problems are searched soon: better to start often.
    const int more =
        problem.numOps() <= 64 ? 40 : (problem.numOps() <= 500 ? 12 : 6);
    const int rounds =
        severalRounds ? more + static_cast<int>(others.size()) : 1;
    for (int round = 0; round < rounds && !proven() && timeForAnother();
         ++round) {
      bool fromOther =
          severalRounds && round % 2 == 1 && round / 2 < numOtherRounds(others);
      // One long annealing, then short ones.
      int share = round == 0 && rounds > 1 ? 2 : rounds - round;
      searchFrom(
          fromOther ? others[(round / 2) % others.size()].runs : bestRuns,
          round == 0 ? share : 2 * rounds, share, heats[round % heats.size()]);
      if (options.order == Order::Free && round + 1 < rounds) {
        slide();
        if (orderSearchPays(round))
          searchOrdersFrom(2 * rounds,
                           round == 0 ? 4 : std::max(2, rounds - round));
      }
    }
  }

  /// Changing the order is tried twice, then as long as it helps, else seldom.
  bool orderSearchPays(int round) const {
    return bestExcess == 0 && problem.numOps() <= kMaxOpsForOrders &&
           (round < 2 || orderHelped || round % 4 == 0);
  }

  void searchOrdersFrom(int partOfMoves, int partOfTime) {
    if (proven() || searchDeadline().passed())
      return;
    OrderSearchOptions search;
    search.budget = options.budget;
    search.maxMoves =
        maxMoves() == INT64_MAX ? INT64_MAX : maxMoves() / partOfMoves + 1;
    search.deadline = searchDeadline().slice(partOfTime);
    search.goodEnough = bound.time;
    LocalSearchResult result = searchOrders(problem, bestRuns, search, random);
    orderHelped = take(result);
  }

  /// Rounds that start from constructions, each of which gets the same number.
  int numOtherRounds(const std::vector<Start> &others) const {
    int count = static_cast<int>(others.size());
    return problem.numOps() <= 500 ? 2 * count : count;
  }

  /// A round from the runs `from`, with one of so many parts of all moves and
  /// of the time that is left.
  void searchFrom(const std::vector<OpId> &from, int partOfMoves,
                  int partOfTime, double heat) {
    const std::vector<OpId> runs = from;
    Graph g = Graph::build(problem, firstRuns(problem.numOps(), runs));
    ScheduleState state(g, options.budget, runs);
    LocalSearchOptions search;
    search.maxMoves =
        maxMoves() == INT64_MAX ? INT64_MAX : maxMoves() / partOfMoves + 1;
    search.deadline = searchDeadline().slice(partOfTime);
    search.goodEnough = bound.time;
    search.heat = heat;
    LocalSearchResult result = localSearch(state, search, random);
    take(result);
  }

  /// Tries other orders of the best runs; recomputations that the memory gained
  /// makes needless are dropped.
  void slide() {
    tryRuns(dropUnreadRuns(problem, bestRuns));
    const std::vector<OpId> runs = bestRuns;
    for (double probability : {1.0, 0.7, 0.4})
      for (Slide first : {Slide::Later, Slide::Earlier}) {
        if (!timeForAnother())
          return;
        Slide second = first == Slide::Later ? Slide::Earlier : Slide::Later;
        std::vector<OpId> once =
            slideRuns(problem, runs, first, probability, random);
        tryRuns(once);
        tryRuns(slideRuns(problem, once, second, probability, random));
      }
  }

  /// Of a schedule's repair: recomputations that need others may cascade.
  int64_t maxWork() const {
    return 20 * static_cast<int64_t>(problem.numOps()) + 200'000;
  }

  void tryRuns(const std::vector<OpId> &runs) {
    if (!timeForAnother())
      return;
    std::vector<OpId> order = firstRuns(problem.numOps(), runs);
    Graph g = Graph::build(problem, order);
    ScheduleState state(g, options.budget, runs);
    if (!state.fits()) {
      RepairOptions how;
      how.deadline = searchDeadline();
      how.maxWork = maxWork();
      how.costLimit = bestCost + (bestExcess == 0 ? bestCost / 100
                                                  : 2 * problem.totalTime());
      if (repair(state, how, random) < 0)
        return;
    }
    fill(state, 0, random, 0, INT32_MAX, maxWork(), searchDeadline());
    int64_t excess = state.excess();
    // Among equals the new order wins: another neighbourhood to search.
    if (excess < bestExcess ||
        (excess == bestExcess && state.cost() <= bestCost)) {
      setBest(state.runs(), excess, state.cost());
      offerRuns(bestRuns);
    }
  }

  /// Offers what a search found; the best is where the next ones start. Returns
  /// whether this is it.
  bool take(const LocalSearchResult &found) {
    candidates.spend(found.moves);
    offerRuns(found.runs);
    if (found.excess > bestExcess ||
        (found.excess == bestExcess && found.cost >= bestCost))
      return false;
    setBest(found.runs, found.excess, found.cost);
    return true;
  }

  void setBest(const std::vector<OpId> &runs, int64_t excess, __int128 cost) {
    bestRuns = runs;
    bestExcess = excess;
    bestCost = cost;
  }
};
} // namespace

Result solveHeuristically(const Problem &problem, const Options &options) {
  return AutoSolver(problem, options).run(/*complete=*/false);
}

Result solveAuto(const Problem &problem, const Options &options) {
  return AutoSolver(problem, options).run(/*complete=*/true);
}

} // namespace ckpt::planner
