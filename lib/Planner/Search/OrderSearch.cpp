//===- OrderSearch.cpp - Search over orders of first runs -----------------===//
#include "Search/OrderSearch.h"

#include "Search/Orders.h"
#include "Search/Repair.h"

#include <algorithm>

namespace ckpt::planner {

namespace {
/// A first run and the recomputations right before it.
struct Stage {
  OpId op = kNone;
  std::vector<OpId> again;
};

class OrderSearch {
public:
  OrderSearch(const Problem &problem, const OrderSearchOptions &options,
              Random &random)
      : problem(problem), options(options), random(random),
        program(Graph::build(problem)) {}

  LocalSearchResult run(const std::vector<OpId> &runs) {
    LocalSearchResult best;
    {
      Schedule start = load(runs);
      best = {start.state.excess(), start.state.cost(), runs, 0};
    }
    adopt(best);
    // Where ops can hardly trade places there is nothing to search.
    constexpr int mostInVain = 300;
    int inVain = 0;
    while (!mustStop(best) && inVain < mostInVain) {
      std::vector<OpId> trial;
      if (!proposeRuns(trial)) {
        ++moves;
        ++inVain;
        continue;
      }
      inVain = 0;
      LocalSearchResult found = improve(trial);
      if (!accepts(found))
        continue;
      adopt(std::move(found));
      if (current.excess < best.excess ||
          (current.excess == best.excess && current.cost < best.cost))
        best = current;
    }
    best.moves = moves;
    return best;
  }

private:
  struct Schedule {
    Schedule(const Problem &problem, int64_t budget,
             const std::vector<OpId> &order, const std::vector<OpId> &runs)
        : g(Graph::build(problem, order)), state(g, budget, runs) {}
    Graph g;
    ScheduleState state;
  };
  /// Moves of the local searches after a change of order.
  static constexpr int64_t kFirstMoves = 60, kMoreMoves = 200;

  const Problem &problem;
  const OrderSearchOptions &options;
  Random &random;
  /// For what an op depends on.
  const Graph program;
  LocalSearchResult current;
  std::vector<Stage> stages;
  /// Indices of stages with recomputations.
  std::vector<int32_t> active;
  /// Memory at each stage.
  std::vector<int64_t> peaks;
  /// Of each stage: time of the recomputations that its op reads, and where
  /// that is positive.
  std::vector<int64_t> again;
  std::vector<int32_t> readers;
  /// Where the op of each stage may go without others; readers that may go far.
  std::vector<int32_t> earliest, latest, freeReaders;
  /// Recomputations after the last first run.
  std::vector<OpId> tail;
  int64_t moves = 0;

  bool mustStop(const LocalSearchResult &best) const {
    return moves >= options.maxMoves || options.deadline.passed() ||
           active.empty() ||
           (best.excess == 0 && best.cost <= options.goodEnough);
  }

  double progress() const {
    double part =
        static_cast<double>(moves) / static_cast<double>(options.maxMoves);
    if (options.deadline.limited())
      part =
          std::max(part, options.deadline.elapsed() / options.deadline.limit());
    return std::min(part, 1.0);
  }

  Schedule load(const std::vector<OpId> &runs) const {
    return Schedule(problem, options.budget, firstRuns(problem.numOps(), runs),
                    runs);
  }

  /// Goes on from `found`.
  void adopt(LocalSearchResult found) {
    current = std::move(found);
    Schedule schedule = load(current.runs);
    const Graph &g = schedule.g;
    const ScheduleState &state = schedule.state;
    peaks.resize(g.numOps);
    again.assign(g.numOps, 0);
    readers.clear();
    freeReaders.clear();
    earliest.assign(g.numOps, 0);
    latest.assign(g.numOps, g.numOps - 1);
    for (int32_t k = 0; k < g.numOps; ++k) {
      auto follow = [&](OpId before) {
        earliest[k] = std::max(earliest[k], before + 1);
        latest[before] = std::min(latest[before], k - 1);
      };
      for (ValueId v : g.inputs[k])
        follow(g.producer[v]);
      for (OpId before : g.before[k])
        follow(before);
    }
    for (int32_t k = 0; k < g.numOps; ++k) {
      peaks[k] = state.peaks().at(k);
      for (ValueId v : g.inputs[k])
        if (state.find(v, k) > 0)
          again[k] += g.time[g.producer[v]];
      if (again[k] == 0)
        continue;
      readers.push_back(k);
      if (latest[k] - earliest[k] > 4)
        freeReaders.push_back(k);
    }
    split(current.runs);
  }

  void split(const std::vector<OpId> &runs) {
    stages.clear();
    active.clear();
    tail.clear();
    std::vector<char> seen(problem.numOps(), false);
    for (OpId op : runs) {
      if (seen[op]) {
        tail.push_back(op);
        continue;
      }
      seen[op] = true;
      if (!tail.empty())
        active.push_back(static_cast<int32_t>(stages.size()));
      stages.push_back({op, std::move(tail)});
      tail.clear();
    }
  }

  /// Does `op` need what `members` make, or must it follow them?
  bool follows(OpId op, const std::vector<char> &members) const {
    for (ValueId v : program.inputs[op])
      if (members[program.producer[v]])
        return true;
    for (OpId before : program.before[op])
      if (members[before])
        return true;
    return false;
  }

  void mark(OpId op, std::vector<char> &needed) const {
    for (ValueId v : program.inputs[op])
      needed[program.producer[v]] = true;
    for (OpId before : program.before[op])
      needed[before] = true;
  }

  /// Stage `from` to right after stage `to`, with all stages between that
  /// depend on it. Returns whether that changes the order.
  bool postpone(int32_t from, int32_t to) {
    std::vector<char> members(problem.numOps(), false);
    members[stages[from].op] = true;
    std::vector<Stage> kept, moved;
    moved.push_back(std::move(stages[from]));
    for (int32_t k = from + 1; k <= to; ++k) {
      bool goes = follows(stages[k].op, members);
      members[stages[k].op] = goes;
      (goes ? moved : kept).push_back(std::move(stages[k]));
    }
    auto place = std::move(kept.begin(), kept.end(), stages.begin() + from);
    std::move(moved.begin(), moved.end(), place);
    return !kept.empty();
  }

  /// Stage `from` to right before stage `to`, with all stages between that it
  /// depends on. Returns whether that changes the order.
  bool advance(int32_t from, int32_t to) {
    std::vector<char> needed(problem.numOps(), false);
    mark(stages[from].op, needed);
    std::vector<Stage> kept, moved;
    moved.push_back(std::move(stages[from]));
    for (int32_t k = from - 1; k >= to; --k) {
      bool goes = needed[stages[k].op];
      if (goes)
        mark(stages[k].op, needed);
      (goes ? moved : kept).push_back(std::move(stages[k]));
    }
    auto place = std::move(moved.rbegin(), moved.rend(), stages.begin() + to);
    std::move(kept.rbegin(), kept.rend(), place);
    return !kept.empty();
  }

  /// A stage whose op reads recomputations that cost much, or any.
  int32_t chooseStage() {
    const std::vector<int32_t> &list =
        freeReaders.empty() || random.chance(0.3) ? readers : freeReaders;
    if (list.empty() || random.chance(0.15))
      return random.below(static_cast<int32_t>(stages.size()));
    int32_t best = kNone;
    for (int i = 0; i < 2; ++i) {
      int32_t k = list[random.below(static_cast<int32_t>(list.size()))];
      if (best == kNone || again[k] > again[best])
        best = k;
    }
    return best;
  }

  /// Where to move it: beside another stage that recomputes the same, to where
  /// memory is free, or any distance, short ones more often.
  int32_t chooseTarget(int32_t from) {
    const int32_t count = static_cast<int32_t>(stages.size());
    const std::vector<OpId> &group = stages[from].again;
    const int32_t kind = random.below(3);
    if (kind == 0 && !group.empty()) {
      OpId shared = group[random.below(static_cast<int32_t>(group.size()))];
      std::vector<int32_t> others;
      for (int32_t k : active)
        if (k != from &&
            std::find(stages[k].again.begin(), stages[k].again.end(), shared) !=
                stages[k].again.end())
          others.push_back(k);
      if (!others.empty())
        return others[random.below(static_cast<int32_t>(others.size()))];
    }
    const bool later = random.chance(0.65);
    int32_t room = later ? count - 1 - from : from;
    // Mostly without others.
    if (int32_t alone = later ? latest[from] - from : from - earliest[from];
        alone > 0 && random.chance(0.8))
      room = alone;
    if (room == 0)
      return from;
    auto anywhere = [&](int32_t longest) {
      int32_t distance = 1 + random.below(longest);
      return later ? from + distance : from - distance;
    };
    if (kind == 1) {
      int32_t best = anywhere(room);
      for (int i = 0; i < 3; ++i)
        if (int32_t k = anywhere(room); peaks[k] < peaks[best])
          best = k;
      return best;
    }
    int32_t longest = room;
    while (longest > 1 && random.chance(0.35))
      longest /= 2;
    return anywhere(longest);
  }

  bool move(int32_t from, int32_t target) {
    if (target == from)
      return false;
    return target > from ? postpone(from, target) : advance(from, target);
  }

  /// Moves one stage, or two to the same place: what both recompute may then be
  /// recomputed once.
  bool proposeRuns(std::vector<OpId> &runs) {
    int32_t from = chooseStage();
    int32_t target = chooseTarget(from);
    const OpId second = stages[chooseStage()].op;
    if (!move(from, target))
      return false;
    if (random.chance(0.3))
      for (size_t k = 0; k < stages.size(); ++k)
        if (stages[k].op == second) {
          move(static_cast<int32_t>(k), target);
          break;
        }
    for (const Stage &stage : stages) {
      runs.insert(runs.end(), stage.again.begin(), stage.again.end());
      runs.push_back(stage.op);
    }
    runs.insert(runs.end(), tail.begin(), tail.end());
    return inputsCome(runs) || restore();
  }

  /// Recomputations move with their stage, whatever it needs them for: does
  /// each still come after what it reads?
  bool inputsCome(const std::vector<OpId> &runs) const {
    std::vector<char> ran(problem.numOps(), false);
    for (OpId op : runs) {
      for (ValueId v : program.inputs[op])
        if (!ran[program.producer[v]])
          return false;
      if (!ran[op])
        for (OpId before : program.before[op])
          if (!ran[before])
            return false;
      ran[op] = true;
    }
    return true;
  }

  LocalSearchResult improve(const std::vector<OpId> &runs) {
    Schedule schedule = load(runs);
    ScheduleState &state = schedule.state;
    ++moves;
    LocalSearchResult result;
    result.excess = INT64_MAX;
    RepairOptions how;
    how.deadline = options.deadline;
    if (current.excess == 0)
      how.costLimit =
          3 * current.cost - 2 * program.totalTime + program.totalTime / 50;
    if (!state.fits() && repair(state, how, random) < 0)
      return result;
    fill(state, 0, random);
    LocalSearchOptions local;
    local.deadline = options.deadline;
    local.goodEnough = options.goodEnough;
    LocalSearchResult found;
    // Longer where the first moves promise something.
    for (int64_t length : {kFirstMoves, kMoreMoves}) {
      local.maxMoves = length;
      local.heat = random.chance(0.5) ? 0.1 : 0.3;
      found = localSearch(state, local, random);
      moves += found.moves;
      if (found.excess > current.excess ||
          found.cost > current.cost + (current.cost - program.totalTime) / 8)
        break;
    }
    result.excess = found.excess;
    result.cost = found.cost;
    result.runs = std::move(found.runs);
    return result;
  }

  bool accepts(const LocalSearchResult &found) {
    if (found.excess < current.excess ||
        (found.excess == current.excess && found.cost < current.cost))
      return true;
    // Sideways rarely: orders that wander for nothing are hard to repair.
    if (found.excess > current.excess || found.excess == INT64_MAX ||
        !random.chance(0.1))
      return restore();
    double cooling = 1 - progress();
    double allowed = 0.02 * cooling * cooling *
                     static_cast<double>(current.cost - program.totalTime);
    if (static_cast<double>(found.cost - current.cost) <= allowed)
      return true;
    return restore();
  }

  bool restore() {
    split(current.runs);
    return false;
  }
};
} // namespace

LocalSearchResult searchOrders(const Problem &problem,
                               const std::vector<OpId> &runs,
                               const OrderSearchOptions &options,
                               Random &random) {
  return OrderSearch(problem, options, random).run(runs);
}

} // namespace ckpt::planner
