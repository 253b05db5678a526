//===- SolveAuto.cpp - The best plan known --------------------------------===//
#include "Bounds/BoundSearch.h"
#include "Search/MemorySearch.h"
#include "Search/Portfolio.h"
#include "Solvers/AutoSearch.h"
#include "Solvers/AutoSqueeze.h"
#include "Solvers/Exact.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace ckpt::planner {

namespace {
class AutoSolver {
public:
  AutoSolver(const Problem &problem, const Options &options)
      : s(problem, options) {}

  Result run(bool wantComplete) {
    searchable = wantComplete && exactTakes(s.problem);
    s.complete = searchable && s.problem.numOps() <= kSearchedFirst &&
                 s.problem.numValues() <= kSearchedFirst;
    if (s.candidates.belowFloor())
      return s.candidates.finish(StopReason::Failed);
    std::vector<MemoryOrder> orders = baseOrders();
    for (const MemoryOrder &order : orders)
      if (s.candidates.offer(order.order))
        return s.candidates.finish(StopReason::Finished);
    if (s.complete && searchSmall())
      return finish();
    AutoSqueeze squeezing(s, orders);
    if (isSmall() && !firstCutFits(orders.front().order) && !blocksAreNear()) {
      squeezing.tryAll();
      squeezed = true;
    }
    constructFrom(orders);
    takeOtherSolvers();
    if (searchable && !s.complete && !s.candidates.solved() && findAnyPlan())
      return finish();
    findBound();
    if (!s.proven())
      squeezing.tryBest();
    if (!s.proven())
      improveByRounds(s);
    if (!s.proven() && s.boundPays())
      improveBoundAndPlan();
    if ((s.complete || isWorthSearching()) && !s.proven())
      searchAll(maxStates(), 1);
    return finish();
  }

private:
  static constexpr int32_t kTiny = 14;
  /// Up to here, sweeps are tried where cuts found a plan.
  static constexpr int32_t kMaxOpsForSweeps = 20'000;
  /// Part of all time: nearer than this to the bound, large graphs are searched
  /// rather than constructed anew.
  static constexpr double kNearBound = 0.005;
  /// Up to here, complete search comes before all else.
  static constexpr int32_t kSearchedFirst = 64;
  /// Up to here, it gets a half of the time.
  static constexpr int32_t kOftenSearchedWhole = 50;
  /// Part of all time: nearer than this to the bound, larger problems are not
  /// searched whole.
  static constexpr double kWorthSearching = 0.001;
  static constexpr int64_t kTinyStates = 500'000;
  static constexpr int64_t kFirstStates = 40'000;
  static constexpr int64_t kMoreStates = 400'000;
  static constexpr int64_t kStatesPerMove = 100;

  AutoState s;
  /// May the problem be searched whole?
  bool searchable = false;
  /// Goes on where it stopped.
  std::optional<TwoWaySearch> search;
  /// Did squeezing begin before other constructions?
  bool squeezed = false;
  /// Were chains of blocks tried before other constructions?
  bool triedBlocks = false;

  std::vector<MemoryOrder> baseOrders() const {
    if (s.options.order == Order::Free)
      return memoryOrdersWithin(s.problem, s.options.budget,
                                s.deadline.fraction(0.1));
    std::vector<OpId> program(s.problem.numOps());
    std::iota(program.begin(), program.end(), 0);
    return {{std::move(program), storeAllPeak(s.problem)}};
  }

  /// With an effort instead of a time, all moves are spent by now.
  void improveBoundAndPlan() {
    const bool searchFurther = s.deadline.limited() && !s.complete;
    improveBound(s, searchFurther ? 0.8 : s.complete ? 0.7 : 0.9);
    const int64_t before = s.candidates.bestTime();
    if (!searchFurther || s.proven())
      return;
    improveByRounds(s);
    // A better plan says better where memory is scarce.
    if (!s.proven() && s.candidates.bestTime() < before)
      improveBound(s, 0.99);
  }

  Result finish() {
    return s.candidates.finish(s.deadline.passed() ? StopReason::TimeLimit
                                                   : StopReason::Effort,
                               std::move(s.bound));
  }

  //===--------------------------------------------------------------------===//
  // Complete search
  //===--------------------------------------------------------------------===//

  /// As many as solver exact has, unless an effort says less.
  int64_t maxStates() const {
    const int64_t most = defaultStates(s.problem);
    if (s.options.effort < 0)
      return most;
    return std::clamp(std::min(s.options.effort, most) * kStatesPerMove,
                      kFirstStates, most);
  }

  /// Without a limit of time, so that solver exact is never better.
  bool isWorthSearching() const {
    return searchable && !s.deadline.limited() && s.candidates.solved() &&
           static_cast<double>(s.candidates.bestTime() - s.bound.time) >
               kWorthSearching * static_cast<double>(s.problem.totalTime());
  }

  /// Tiny problems are searched whole; others if that is soon done, at first
  /// without and then with a plan to stay below. Returns whether that is all.
  bool searchSmall() {
    if (s.problem.numOps() <= kTiny)
      return searchAll(kTinyStates, 1);
    if (searchAll(kFirstStates, 4) || findAnyPlan())
      return true;
    if (!s.candidates.solved())
      return false;
    // With an effort, the search at the end gets most states.
    if (!s.deadline.limited() || s.options.effort >= 0)
      return searchAll(std::min(maxStates(), kMoreStates), 4);
    return searchAll(maxStates(),
                     s.problem.numOps() <= kOftenSearchedWhole ? 2 : 4);
  }

  /// With one of so many parts of the time that is left.
  ExactLimits limitsOf(int64_t states, int partOfTime) const {
    ExactLimits limits;
    limits.maxStates = states;
    limits.deadline = s.deadline.slice(partOfTime);
    return limits;
  }

  /// For something better. Returns whether it came to its end.
  bool searchAll(int64_t states, int partOfTime) {
    ExactLimits limits = limitsOf(states, partOfTime);
    if (s.candidates.solved())
      limits.costLimit = s.candidates.bestTime();
    if (!search)
      search.emplace(s.problem, s.options);
    ExactOutcome outcome = search->run(limits);
    if (outcome.found)
      s.candidates.offer(outcome.runs);
    int64_t time = std::max(s.problem.totalTime(), outcome.bound);
    if (outcome.complete && !s.candidates.solved())
      setInfeasible();
    else if (time > s.bound.time)
      setBoundBySearch(time);
    return outcome.complete;
  }

  /// For any plan. Returns whether there is none.
  bool findAnyPlan() {
    ExactLimits limits = limitsOf(maxStates(), 3);
    ExactOutcome outcome = searchAnyPlan(s.problem, s.options, limits);
    if (outcome.complete && !outcome.found) {
      setInfeasible();
      return true;
    }
    if (outcome.found && s.candidates.offer(outcome.runs))
      s.adopt(s.candidates.bestPlan(), s.candidates.bestTime());
    return false;
  }

  void setBoundBySearch(int64_t time) {
    s.bound = TimeBound();
    s.bound.order = s.options.order;
    s.bound.bySearch = true;
    s.bound.time = time;
  }

  void setInfeasible() {
    setBoundBySearch(s.problem.totalTime());
    s.bound.infeasible = true;
  }

  //===--------------------------------------------------------------------===//
  // Constructions
  //===--------------------------------------------------------------------===//

  void constructFrom(const std::vector<MemoryOrder> &orders) {
    // The orders of least peak, and the program order: a step's author often
    // knew why.
    constexpr size_t maxOrders = 4;
    const int64_t programPeak = storeAllPeak(s.problem);
    for (size_t i = 0; i < orders.size(); ++i) {
      bool isProgram =
          std::is_sorted(orders[i].order.begin(), orders[i].order.end());
      // On large graphs an order must promise something.
      bool promising = isSmall() || orders[i].peak < programPeak / 100 * 97;
      if (!isProgram && (i >= maxOrders || !promising))
        continue;
      if (s.deadline.fraction(s.candidates.solved() ? 0.33 : 0.6).passed())
        return;
      construct(orders[i].order, isProgram);
    }
  }

  bool isSmall() const {
    return s.problem.numOps() <= AutoState::kMaxOpsForOrders;
  }

  Portfolio::OnBetter offerState() {
    return [this](const ScheduleState &state) {
      s.candidates.offer(state.runs());
    };
  }

  /// Does the cheapest construction find a plan?
  bool firstCutFits(const std::vector<OpId> &order) {
    Graph g = Graph::build(s.problem, order);
    Portfolio portfolio(g, s.options.budget, s.deadline, offerState());
    portfolio.tryFirstMinCut();
    return portfolio.fits();
  }

  /// Do chains of blocks find a plan that is not far from the bound?
  bool blocksAreNear() {
    Graph g = Graph::build(s.problem);
    Portfolio portfolio(g, s.options.budget, s.deadline, offerState());
    if (!isLow(portfolio))
      return false;
    portfolio.tryFirstMinCut();
    portfolio.tryBlocks();
    triedBlocks = true;
    constexpr double near = 0.5;
    takeBest(portfolio);
    return portfolio.gap() < near;
  }

  /// Budgets at which much is recomputed.
  bool isLow(const Portfolio &portfolio) const {
    return s.options.budget < portfolio.storeAll().peaks().max() / 20 * 7;
  }

  void construct(const std::vector<OpId> &order, bool isProgram) {
    const double begin = s.deadline.elapsed();
    Graph g = Graph::build(s.problem, order);
    // What squeezing does not find, constructions find seldom.
    const Deadline until = squeezed ? s.deadline.fraction(0.4) : s.deadline;
    Portfolio portfolio(g, s.options.budget, until, offerState(),
                        s.candidates.bestTime());
    s.passSeconds = std::max(s.passSeconds, s.deadline.elapsed() - begin);
    portfolio.tryFirstMinCut();
    const bool large = s.problem.numOps() > kMaxOpsForSweeps;
    const bool low = isLow(portfolio);
    // Large graphs at low budgets: what costs little and nearly fits comes
    // first.
    if (low && isProgram && !triedBlocks)
      portfolio.tryBlocks();
    if (low && large && portfolio.gap() > kNearBound)
      portfolio.trySegments();
    if (!portfolio.fits() || !large)
      portfolio.tryStageCuts();
    portfolio.tryOtherMinCuts();
    if (!(low && large) && (low || !portfolio.fits()))
      portfolio.trySegments();
    if (!portfolio.fits() || s.problem.numOps() <= kMaxOpsForSweeps)
      portfolio.trySweeps();
    takeBest(portfolio);
  }

  /// The best construction is where searches start.
  void takeBest(const Portfolio &portfolio) {
    const ScheduleState *state = portfolio.best();
    if (!state)
      return;
    int64_t excess = state->excess();
    if (isSmall())
      s.starts.push_back({excess, state->cost(), state->runs()});
    if (excess > s.bestExcess ||
        (excess == s.bestExcess && state->cost() >= s.bestCost))
      return;
    s.setBest(state->runs(), excess, state->cost());
  }

  /// Never worse than any other solver.
  void takeOtherSolvers() {
    Options other = s.options;
    other.wantBound = false;
    using Solver = Result (*)(const Problem &, const Options &);
    for (Solver solver : {solveAll, solveInterval, solveSqrt, solveChenGreedy,
                          solveMinCut, solveChainDp, solveGreedy}) {
      if (s.deadline.fraction(s.candidates.solved() ? 0.5 : 1).passed())
        return;
      other.timeOfInterest = s.candidates.bestTime();
      // They share a half of the time.
      other.timeLimit =
          s.deadline.limited()
              ? std::max(0.001, s.deadline.limit() / 2 - s.deadline.elapsed())
              : 0;
      // Tables as fine as solver chain-dp's own where there is time for them.
      bool hurried = s.deadline.limited() && s.deadline.limit() < 2;
      other.effort = solver == solveChainDp && hurried ? 200'000'000 : -1;
      Result result = solver(s.problem, other);
      if (!result.solved() || !s.candidates.offerPlan(result.plan))
        continue;
      __int128 cost = result.time;
      if (s.bestExcess > 0 || cost < s.bestCost)
        s.adopt(result.plan, cost);
    }
  }

  //===--------------------------------------------------------------------===//
  // Bound and search
  //===--------------------------------------------------------------------===//

  void findBound() {
    if (s.bound.time < s.problem.totalTime()) {
      s.bound.time = s.problem.totalTime();
      s.bound.order = s.options.order;
    }
    if (!s.options.wantBound || s.deadline.passed())
      return;
    BoundOptions boundOptions;
    boundOptions.order = s.options.order;
    boundOptions.timeLimit = s.deadline.limited() ? s.deadline.limit() / 8 : 0;
    boundOptions.knownTime =
        s.candidates.solved() ? s.candidates.bestTime() : -1;
    TimeBound found = boundByMoments(s.problem, s.options.budget, boundOptions);
    // Among equals the one with a certificate.
    if (found.infeasible || found.time >= s.bound.time)
      s.bound = std::move(found);
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
