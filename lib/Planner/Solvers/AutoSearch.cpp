//===- AutoSearch.cpp - The searches of solver auto -----------------------===//
#include "Solvers/AutoSearch.h"

#include "Bounds/BoundSearch.h"
#include "Search/Construct.h"
#include "Search/OrderSearch.h"
#include "Search/Orders.h"
#include "Search/Reorder.h"
#include "Search/Repair.h"
#include "Search/SinkSearch.h"
#include "Solvers/SectionSearch.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ckpt::planner {

namespace {
class Rounds {
public:
  explicit Rounds(AutoState &state) : s(state) {}

  void run() {
    if (s.bestRuns.empty())
      return;
    constexpr size_t maxStarts = 4;
    std::sort(s.starts.begin(), s.starts.end());
    if (s.starts.size() > maxStarts)
      s.starts.resize(maxStarts);
    const std::vector<AutoState::Start> others = std::move(s.starts);
    // With an effort, all of it goes into one cycle.
    until = s.searchDeadline();
    if (!until.limited() || s.options.effort >= 0)
      return runCycle(others);
    double seconds = std::max(kFirstCycle, 50 * s.passSeconds);
    // A cycle that ends early has nothing to search.
    for (bool more = true; more && !s.proven() && s.timeForAnother();) {
      const Deadline all = s.searchDeadline();
      until = all.left() > 1.3 * seconds ? Deadline(seconds) : all;
      runCycle(others);
      more = until.passed() && !all.passed();
      seconds *= kGrowth;
    }
  }

private:
  /// In seconds; several cycles find more than one long annealing.
  static constexpr double kFirstCycle = 2, kGrowth = 1.5;
  /// Part of all time: nearer than this to the bound, sections promise little.
  static constexpr double kSectionsPay = 0.002;

  AutoState &s;
  std::optional<SectionSearch> sections;
  /// The end of this cycle.
  Deadline until;
  /// Did the last search over orders find something?
  bool orderHelped = false;

  /// A long annealing and long searches over orders, then short ones.
  void runCycle(const std::vector<AutoState::Start> &others) {
    const bool severalRounds = s.maxMoves() > 0;
    // Cool rounds polish, hot ones leave the basin.
    static constexpr std::array<double, 5> heats = {0.3, 1, 0.3, 3, 0.1};
    // Small problems are searched soon: better to start often.
    const int more =
        s.problem.numOps() <= 64 ? 40 : (s.problem.numOps() <= 500 ? 12 : 6);
    const int rounds =
        severalRounds ? more + static_cast<int>(others.size()) : 1;
    for (int round = 0;
         round < rounds && !s.proven() && !until.passed() && s.timeForAnother();
         ++round) {
      bool fromOther =
          severalRounds && round % 2 == 1 && round / 2 < numOtherRounds(others);
      int share = round == 0 && rounds > 1 ? 6 : rounds - round;
      searchFrom(
          fromOther ? others[(round / 2) % others.size()].runs : s.bestRuns,
          round == 0 ? share : 2 * rounds, share, heats[round % heats.size()]);
      if (round + 1 == rounds)
        break;
      if (s.options.order == Order::Free) {
        slide();
        // At first orders get a third, sinks a half of what is left then.
        const int part = round == 0 ? 3 : std::max(4, rounds - round);
        if (orderSearchPays(round))
          orderHelped = changeOrder(searchOrders, 2 * rounds, part);
        planSections(2 * rounds);
        if (s.problem.numOps() <= AutoState::kMaxOpsForOrders)
          changeOrder(searchSinks, 2 * rounds, round == 0 ? 2 : part);
      }
      planSections(2 * rounds);
    }
  }

  /// Sections of the best schedule, where it may be far from the best one.
  void planSections(int partOfMoves) {
    if (!s.candidates.solved() || s.bestExcess > 0 ||
        s.problem.numOps() > AutoState::kMaxOpsForOrders ||
        static_cast<double>(s.candidates.bestTime() - s.bound.time) <
            kSectionsPay * static_cast<double>(s.problem.totalTime()))
      return;
    SectionSearchOptions how;
    constexpr int64_t perMove = SectionSearch::kStatesPerMove;
    if (int64_t moves = s.moves(partOfMoves); moves < INT64_MAX / perMove)
      how.maxStates = perMove * moves;
    how.deadline = until.slice(3);
    how.goodEnough = s.bound.time;
    LocalSearchResult schedule{s.bestExcess, s.bestCost, s.bestRuns, 0};
    if (!sections)
      sections.emplace(s.problem, s.options, s.random);
    sections->improve(schedule, how);
    s.take(schedule);
  }

  /// Changing the order is tried twice, then as long as it helps, else seldom.
  bool orderSearchPays(int round) const {
    return s.problem.numOps() <= AutoState::kMaxOpsForOrders &&
           (round < 2 || s.bestExcess > 0 || orderHelped || round % 4 == 0);
  }

  /// Returns whether `search` finds something better.
  bool changeOrder(decltype(searchOrders) search, int partOfMoves,
                   int partOfTime) {
    if (s.proven() || until.passed())
      return false;
    OrderSearchOptions how;
    how.budget = s.options.budget;
    how.maxMoves = s.moves(partOfMoves);
    how.deadline = until.slice(partOfTime);
    how.goodEnough = s.bound.time;
    return s.take(search(s.problem, s.bestRuns, how, s.random));
  }

  /// Rounds that start from constructions, each of which gets the same number.
  int numOtherRounds(const std::vector<AutoState::Start> &others) const {
    int count = static_cast<int>(others.size());
    return s.problem.numOps() <= 500 ? 2 * count : count;
  }

  /// A round from the runs `from`, with one of so many parts of all moves and
  /// of the time that is left.
  void searchFrom(const std::vector<OpId> &from, int partOfMoves,
                  int partOfTime, double heat) {
    const std::vector<OpId> runs = from;
    Graph g = Graph::build(s.problem, firstRuns(s.problem.numOps(), runs));
    ScheduleState state(g, s.options.budget, runs);
    LocalSearchOptions search;
    search.maxMoves = s.moves(partOfMoves);
    search.deadline = until.slice(partOfTime);
    search.goodEnough = s.bound.time;
    search.heat = heat;
    LocalSearchResult result = localSearch(state, search, s.random);
    s.take(result);
  }

  /// Tries other orders of the best runs; recomputations that the memory gained
  /// makes needless are dropped.
  void slide() {
    tryRuns(dropUnreadRuns(s.problem, s.bestRuns));
    const std::vector<OpId> runs = s.bestRuns;
    for (double probability : {1.0, 0.7, 0.4})
      for (Slide first : {Slide::Later, Slide::Earlier}) {
        if (!s.timeForAnother())
          return;
        Slide second = first == Slide::Later ? Slide::Earlier : Slide::Later;
        std::vector<OpId> once =
            slideRuns(s.problem, runs, first, probability, s.random);
        tryRuns(once);
        tryRuns(slideRuns(s.problem, once, second, probability, s.random));
      }
  }

  void tryRuns(const std::vector<OpId> &runs) {
    if (!s.timeForAnother())
      return;
    std::vector<OpId> order = firstRuns(s.problem.numOps(), runs);
    Graph g = Graph::build(s.problem, order);
    ScheduleState state(g, s.options.budget, runs);
    if (!state.fits()) {
      RepairOptions how;
      how.deadline = until;
      how.maxWork = s.maxWork();
      how.costLimit =
          s.bestCost +
          (s.bestExcess == 0 ? s.bestCost / 100 : 2 * s.problem.totalTime());
      if (repair(state, how, s.random) < 0)
        return;
    }
    fill(state, 0, s.random, 0, INT32_MAX, s.maxWork(), until);
    int64_t excess = state.excess();
    // Among equals the new order wins: another neighbourhood to search.
    if (excess < s.bestExcess ||
        (excess == s.bestExcess && state.cost() <= s.bestCost)) {
      s.setBest(state.runs(), excess, state.cost());
      s.offerRuns(s.bestRuns);
    }
  }
};
} // namespace

void improveByRounds(AutoState &state) { Rounds(state).run(); }

static void searchFromHints(AutoState &s,
                            const std::vector<std::vector<StoredAt>> &hints,
                            const Deadline &until) {
  Graph g = Graph::build(s.problem);
  int left = static_cast<int>(hints.size());
  for (const std::vector<StoredAt> &hint : hints) {
    if (s.proven() || until.passed())
      return;
    ScheduleState state(g, s.options.budget);
    for (const StoredAt &stored : hint)
      evictAcross(state, stored.op, stored.values);
    RepairOptions how;
    how.maxWork = s.maxWork();
    how.costLimit = 2 * s.bestCost;
    how.deadline = until;
    if (repair(state, how, s.random) < 0)
      continue;
    fill(state, 0, s.random, 0, INT32_MAX, s.maxWork(), until);
    LocalSearchOptions search;
    search.maxMoves = std::min<int64_t>(s.maxMoves() / 10, 20'000);
    search.deadline = until.slice(left--);
    search.goodEnough = s.bound.time;
    LocalSearchResult result = localSearch(state, search, s.random);
    s.take(result);
  }
}

void improveBound(AutoState &s, double part) {
  constexpr int64_t workPerMove = 10'000;
  const int64_t work = s.maxMoves() > INT64_MAX / workPerMove
                           ? INT64_MAX
                           : s.maxMoves() * workPerMove;
  const std::vector<std::vector<StoredAt>> hints = improveByWindows(
      s.problem, s.options.budget, s.candidates.bestPlan(),
      s.candidates.bestTime(), work, s.deadline.fraction(part), s.bound);
  s.boundImproved = true;
  searchFromHints(s, hints, s.deadline.fraction((1 + part) / 2));
}

} // namespace ckpt::planner
