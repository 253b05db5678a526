//===- SinkSearch.cpp - Search over the places of sinks -------------------===//
#include "Search/SinkSearch.h"

#include "Search/Orders.h"
#include "Search/Repair.h"

#include <algorithm>

namespace ckpt::planner {

namespace {
class SinkSearch {
public:
  SinkSearch(const Problem &problem, const OrderSearchOptions &options,
             Random &random)
      : problem(problem), options(options), random(random),
        program(Graph::build(problem)),
        after(program.before.transposed(program.numOps)) {
    double bytes = 0;
    for (OpId op = 0; op < program.numOps; ++op) {
      if (!isSink(op))
        continue;
      for (ValueId v : program.inputs[op])
        bytes += static_cast<double>(program.bytes[v]);
      sinks.push_back({op, bytes});
    }
  }

  LocalSearchResult run(const std::vector<OpId> &runs) {
    LocalSearchResult best;
    {
      Graph g = Graph::build(problem, firstRuns(problem.numOps(), runs));
      ScheduleState state(g, options.budget, runs);
      best = {state.excess(), state.cost(), runs, 0};
    }
    int64_t moves = 0;
    while (!sinks.empty() && sinks.back().bytesUpTo > 0 &&
           moves < options.maxMoves && !options.deadline.passed() &&
           (best.excess > 0 || best.cost > options.goodEnough)) {
      LocalSearchResult found = improve(moveOne(best.runs), best);
      moves += found.moves + 1;
      if (found.excess < best.excess ||
          (found.excess == best.excess && found.cost < best.cost))
        best = std::move(found);
    }
    best.moves = moves;
    return best;
  }

private:
  struct Sink {
    OpId op;
    /// Of the inputs of this and all sinks before it.
    double bytesUpTo;
  };
  /// Of the local search after a change, short or long.
  static constexpr int64_t kShort = 1500, kLong = 6000;
  /// Short ones at first.
  static constexpr int32_t kShortTries = 16;
  /// Part of the changes without effect that are not searched from.
  static constexpr double kSkipSame = 0.85;

  const Problem &problem;
  const OrderSearchOptions &options;
  Random &random;
  const Graph program;
  /// The transpose of `program.before`.
  const Rows after;
  std::vector<Sink> sinks;
  int32_t numTries = 0;

  bool isSink(OpId op) const {
    for (ValueId v = program.firstResult[op]; v < program.firstResult[op + 1];
         ++v)
      if (!program.users[v].empty() || program.output[v])
        return false;
    return true;
  }

  OpId chooseSink() {
    const double at = random.uniform() * sinks.back().bytesUpTo;
    auto it = std::upper_bound(
        sinks.begin(), sinks.end() - 1, at,
        [](double bytes, const Sink &sink) { return bytes < sink.bytesUpTo; });
    return it->op;
  }

  /// The runs with one sink at another place.
  std::vector<OpId> moveOne(const std::vector<OpId> &runs) {
    const OpId sink = chooseSink();
    std::vector<char> awaited(problem.numOps(), false);
    for (ValueId v : program.inputs[sink])
      awaited[program.producer[v]] = true;
    for (OpId before : program.before[sink])
      awaited[before] = true;
    std::vector<char> waits(problem.numOps(), false);
    for (OpId next : after[sink])
      waits[next] = true;
    // Its place is somewhere from `first` to `last` among the other runs.
    std::vector<OpId> result;
    int32_t first = 0, last = kNone;
    for (OpId op : runs) {
      if (op == sink)
        continue;
      if (waits[op] && last == kNone)
        last = static_cast<int32_t>(result.size());
      result.push_back(op);
      if (awaited[op])
        first = static_cast<int32_t>(result.size());
      awaited[op] = false;
    }
    if (last == kNone)
      last = static_cast<int32_t>(result.size());
    const int32_t way = random.below(3);
    const int32_t place = way == 0   ? first
                          : way == 1 ? last
                                     : first + random.below(last - first + 1);
    result.insert(result.begin() + place, sink);
    return result;
  }

  LocalSearchResult improve(const std::vector<OpId> &runs,
                            const LocalSearchResult &best) {
    LocalSearchResult result;
    result.excess = INT64_MAX;
    Graph g = Graph::build(problem, firstRuns(problem.numOps(), runs));
    ScheduleState state(g, options.budget, runs);
    RepairOptions how;
    how.deadline = options.deadline;
    how.maxWork = 20 * static_cast<int64_t>(g.numOps) + 200'000;
    // Twice what is recomputed now, or that and 2% of all time.
    how.costLimit = best.cost + std::max<__int128>(best.cost - g.totalTime,
                                                   g.totalTime / 50);
    if (!state.fits() && repair(state, how, random) < 0)
      return result;
    fill(state, 0, random);
    // Where a sink may go without effect, a local search seldom finds more than
    // at its old place; half as much again does not become better either.
    const __int128 tolerable = (best.cost - g.totalTime) / 2;
    const bool same =
        state.cost() == best.cost && state.excess() == best.excess;
    if (best.excess == 0 && (state.cost() > best.cost + tolerable ||
                             (same && random.chance(kSkipSame))))
      return result;
    LocalSearchOptions local;
    local.deadline = options.deadline;
    local.goodEnough = options.goodEnough;
    local.maxMoves = std::min(
        numTries++ < kShortTries || random.chance(0.5) ? kShort : kLong,
        options.maxMoves);
    local.heat = 0.3;
    return localSearch(state, local, random);
  }
};
} // namespace

LocalSearchResult searchSinks(const Problem &problem,
                              const std::vector<OpId> &runs,
                              const OrderSearchOptions &options,
                              Random &random) {
  return SinkSearch(problem, options, random).run(runs);
}

} // namespace ckpt::planner
