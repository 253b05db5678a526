//===- SolveAuto.cpp - The best plan known --------------------------------===//
#include "Bounds/BoundSearch.h"
#include "Search/MemorySearch.h"
#include "Search/Portfolio.h"
#include "Search/Squeeze.h"
#include "Solvers/AutoSearch.h"
#include "Solvers/Exact.h"

#include <algorithm>
#include <numeric>

namespace ckpt::planner {

namespace {
class AutoSolver {
public:
  AutoSolver(const Problem &problem, const Options &options)
      : s(problem, options) {}

  Result run(bool wantComplete) {
    s.complete = wantComplete && exactTakes(s.problem);
    if (s.candidates.belowFloor())
      return s.candidates.finish(StopReason::Failed);
    std::vector<MemoryOrder> orders = baseOrders();
    for (const MemoryOrder &order : orders)
      if (s.candidates.offer(order.order))
        return s.candidates.finish(StopReason::Finished);
    // Tiny problems are searched whole; larger ones when there is a good plan.
    if (s.complete && s.problem.numOps() <= kTiny && searchAll(kTinyStates))
      return s.candidates.finish(StopReason::Effort, std::move(s.bound));
    constructFrom(orders);
    if (!s.candidates.solved())
      squeezeFrom(orders);
    takeOtherSolvers();
    findBound();
    if (!s.proven() && !squeezed)
      squeezeFrom(orders);
    if (!s.proven())
      improveByRounds(s);
    if (!s.proven() && s.boundPays())
      improveBound(s);
    if (s.complete && !s.proven())
      searchAll(std::clamp<int64_t>(std::min(s.maxMoves(), kSmallStates) * 50,
                                    20'000, kSmallStates));
    return s.candidates.finish(s.deadline.passed() ? StopReason::TimeLimit
                                                   : StopReason::Effort,
                               std::move(s.bound));
  }

private:
  static constexpr int32_t kTiny = 14;
  /// Up to here, sweeps are tried where cuts found a plan.
  static constexpr int32_t kMaxOpsForSweeps = 20'000;
  /// Part of all time: nearer than this to the bound, large graphs are searched
  /// rather than constructed anew.
  static constexpr double kNearBound = 0.005;
  static constexpr int64_t kTinyStates = 500'000;
  static constexpr int64_t kSmallStates = 1'000'000;

  AutoState s;
  /// Was squeezeFrom() there already?
  bool squeezed = false;

  std::vector<MemoryOrder> baseOrders() const {
    if (s.options.order == Order::Free)
      return memoryOrdersWithin(s.problem, s.options.budget,
                                s.deadline.fraction(0.1));
    std::vector<OpId> program(s.problem.numOps());
    std::iota(program.begin(), program.end(), 0);
    return {{std::move(program), storeAllPeak(s.problem)}};
  }

  /// Complete search for something better. Returns whether it came to its end.
  bool searchAll(int64_t states) {
    ExactLimits limits;
    limits.maxStates = states;
    limits.timeLimit =
        s.deadline.limited()
            ? std::max(s.deadline.limit() - s.deadline.elapsed(), 1e-3)
            : 0;
    if (s.candidates.solved())
      limits.costLimit = s.candidates.bestTime();
    ExactOutcome outcome = searchExact(s.problem, s.options, limits);
    if (outcome.found)
      s.candidates.offerPlan(outcome.plan);
    int64_t time = std::max(s.problem.totalTime(), outcome.bound);
    bool infeasible = outcome.complete && !s.candidates.solved();
    if (infeasible || time > s.bound.time) {
      s.bound = TimeBound();
      s.bound.order = s.options.order;
      s.bound.bySearch = true;
      s.bound.infeasible = infeasible;
      s.bound.time = infeasible ? s.problem.totalTime() : time;
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
    const int64_t programPeak = storeAllPeak(s.problem);
    for (size_t i = 0; i < orders.size(); ++i) {
      bool isProgram =
          std::is_sorted(orders[i].order.begin(), orders[i].order.end());
      // On large graphs an order must promise something.
      bool promising = s.problem.numOps() <= AutoState::kMaxOpsForOrders ||
                       orders[i].peak < programPeak / 100 * 97;
      if (!isProgram && (i >= maxOrders || !promising))
        continue;
      if (s.deadline.fraction(s.candidates.solved() ? 0.33 : 0.6).passed())
        return;
      construct(orders[i].order, isProgram);
    }
  }

  void construct(const std::vector<OpId> &order, bool isProgram) {
    const double begin = s.deadline.elapsed();
    Graph g = Graph::build(s.problem, order);
    Portfolio portfolio(
        g, s.options.budget, s.deadline,
        [&](const ScheduleState &state) { s.candidates.offer(state.runs()); });
    s.passSeconds = std::max(s.passSeconds, s.deadline.elapsed() - begin);
    portfolio.tryFirstMinCut();
    const bool large = s.problem.numOps() > kMaxOpsForSweeps;
    const bool low =
        s.options.budget < portfolio.storeAll().peaks().max() / 20 * 7;
    // Large graphs at low budgets: what costs little and nearly fits comes
    // first.
    if (low && isProgram)
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
    const ScheduleState *state = portfolio.best();
    if (!state)
      return;
    int64_t excess = state->excess();
    if (s.problem.numOps() <= AutoState::kMaxOpsForOrders)
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

  /// Where the constructions are not near the bound: schedules for all orders,
  /// also those of more memory, from larger budgets down.
  void squeezeFrom(const std::vector<MemoryOrder> &orders) {
    if (s.problem.numOps() > AutoState::kMaxOpsForOrders || s.maxMoves() == 0 ||
        (s.candidates.solved() &&
         s.candidates.bestTime() - s.bound.time <= s.problem.totalTime() / 100))
      return;
    squeezed = true;
    const Deadline until = s.deadline.slice(s.isFar() ? 2 : 4);
    SqueezeOptions how;
    how.movesPerStep = std::clamp<int64_t>(s.maxMoves() / 200, 10, 100);
    int left = static_cast<int>(orders.size());
    for (const MemoryOrder &order : orders) {
      how.deadline = until.slice(left--);
      how.maxWork = s.isFar() ? 30'000'000 : 5'000'000;
      if (until.passed())
        return;
      Graph g = Graph::build(s.problem, order.order);
      SqueezeResult found = squeeze(g, s.options.budget, how, s.random);
      s.take(found);
      s.starts.push_back({found.excess, found.cost, std::move(found.runs)});
    }
  }

  //===--------------------------------------------------------------------===//
  // Bound and search
  //===--------------------------------------------------------------------===//

  void findBound() {
    s.bound.time = s.problem.totalTime();
    s.bound.order = s.options.order;
    if (!s.options.wantBound || s.deadline.passed())
      return;
    BoundOptions boundOptions;
    boundOptions.order = s.options.order;
    boundOptions.timeLimit = s.deadline.limited() ? s.deadline.limit() / 8 : 0;
    boundOptions.knownTime =
        s.candidates.solved() ? s.candidates.bestTime() : -1;
    s.bound = boundByMoments(s.problem, s.options.budget, boundOptions);
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
