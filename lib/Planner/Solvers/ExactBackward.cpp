//===- ExactBackward.cpp - Complete search from the end -------------------===//
#include "Solvers/Exact.h"
#include "Solvers/ExactEstimate.h"
#include "Solvers/StateIndex.h"

#include <algorithm>
#include <optional>
#include <queue>

namespace ckpt::planner {

namespace {
/// A* backwards from the end.
///
/// A state is what must be at a moment for what comes after it: the values N
/// that are in memory and the ops that have yet to run (backwards) for their
/// own sake. Before a run of op o, N without o's results but with its inputs
/// must be there. So nothing need be said of what to give up, and a value that
/// comes into N a second time is one that is recomputed. The estimate is the
/// time of all ancestors of N, which run at least once more, and what a moment
/// among them proves (ExactEstimate). Where any plan will do, the first counts
/// twice, the second is left out, and no state is seen twice.
///
/// Where the inputs of o that are not in N are no larger than its results that
/// are, and the run fits, no other one need be tried (`simplify`): any way to
/// the goal works as well with the inputs in memory instead of the results, up
/// to where it runs o, which it then need not.
///
/// A state with one value less that costs no more makes a state needless: what
/// leads to the latter leads to the former.
template <typename Mask>
class BackwardSearch : public ExactSearch {
public:
  BackwardSearch(const Graph &g, const Options &options, bool anyPlan)
      : g(g), budget(options.budget), order(options.order), anyPlan(anyPlan),
        masks(g), inputs(masks.inputs), results(masks.results),
        beforeOps(masks.before), ancestors(g.numOps, 0), taken(g.numOps, 0),
        readers(g.numOps, 0), followers(g.numOps, 0) {
    for (OpId op = 0; op < g.numOps; ++op) {
      if (options.order == Order::Program && op > 0)
        beforeOps[op] |= bit(op - 1);
      ancestors[op] = bit(op);
      for (ValueId v : g.inputs[op])
        ancestors[op] |= ancestors[g.producer[v]];
      forEachBit(beforeOps[op], [&](OpId before) {
        ancestors[op] |= ancestors[before];
        followers[before] |= bit(op);
      });
      fixed |= beforeOps[op];
      bool read = false;
      for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v) {
        read |= !g.users[v].empty() || g.output[v];
        for (OpId reader : g.users[v])
          readers[op] |= bit(reader);
        if (g.inPlaceOf[v] != kNone)
          taken[op] |= bit(g.inPlaceOf[v]);
        if (g.mustStay[v]) {
          stays |= bit(v);
          once |= bit(op);
        }
      }
      if (taken[op] & (taken[op] - 1))
        takenTogether |= taken[op];
      if (!read)
        alone |= bit(op);
      if (!g.recomputable[op] || !read)
        once |= bit(op);
    }
  }

  const ExactOutcome &run(const ExactLimits &newLimits,
                          int64_t states) override {
    limits = newLimits;
    if (entries.empty())
      begin();
    const int64_t pause =
        states >= limits.maxStates ? limits.maxStates : outcome.states + states;
    while (!outcome.complete) {
      while (!queue.empty() && isStale(queue.top()))
        queue.pop();
      if (queue.empty() ||
          (!anyPlan && queue.top().estimate >= limits.costLimit)) {
        outcome.complete = true;
        outcome.bound = limits.costLimit;
        break;
      }
      const Ticket top = queue.top();
      outcome.bound =
          anyPlan ? g.totalTime : std::max(outcome.bound, top.estimate);
      if (isGoal(entries[top.id].state)) {
        outcome.complete = outcome.found = true;
        outcome.bound = entries[top.id].cost;
        outcome.runs = traceRuns(top.id);
        break;
      }
      if (outcome.states >= std::min(pause, limits.maxStates) ||
          (++expanded % 256 == 0 && limits.deadline.passed()))
        break;
      queue.pop();
      expand(top.id);
      outcome.states = static_cast<int64_t>(entries.size());
    }
    return outcome;
  }

private:
  static constexpr Mask bit(int32_t i) { return OpMasks<Mask>::bit(i); }

  struct State {
    Mask values = 0;
    /// Of those that run once or that others must follow: those to run.
    Mask ops = 0;
    uint64_t hash() const { return hashOf(ops, values); }
    bool operator==(State other) const {
      return values == other.values && ops == other.ops;
    }
  };
  struct Entry {
    State state;
    int64_t cost;
    /// The state that follows in time, and the run in between; those that
    /// simplify() takes follow from the two.
    int32_t next;
    OpId op;
    /// See fitsAgain().
    bool again;
  };
  /// Least estimate first; among equals the one with less left.
  struct Ticket {
    int64_t estimate, left, cost;
    int32_t id;
    bool operator<(const Ticket &other) const {
      if (estimate != other.estimate)
        return estimate > other.estimate;
      return left != other.left ? left > other.left : id < other.id;
    }
  };

  const Graph &g;
  const int64_t budget;
  const Order order;
  const bool anyPlan;
  const OpMasks<Mask> masks;
  const std::vector<Mask> &inputs, &results;
  /// In program order, ops follow the ones before them.
  std::vector<Mask> beforeOps, ancestors;
  std::vector<Mask> taken, readers, followers;
  std::optional<ExactEstimate<Mask>> estimate;
  ExactLimits limits;
  ExactOutcome outcome;
  /// Ops that do not run twice, whose results nobody reads, that others must
  /// follow.
  Mask once = 0, alone = 0, fixed = 0;
  /// Values that must stay; buffers that are taken over with others or not at
  /// all.
  Mask stays = 0, takenTogether = 0;
  std::vector<Entry> entries;
  StateIndex<Entry, State> index;
  std::priority_queue<Ticket> queue;

  State end() const {
    State state;
    state.ops = once;
    for (ValueId v : g.outputs)
      state.values |= bit(v);
    return state;
  }
  static bool isGoal(State state) {
    return state.values == 0 && state.ops == 0;
  }

  int64_t expanded = 0;

  void begin() {
    if (!anyPlan)
      estimate.emplace(g, masks, order, budget, limits.deadline);
    push(end(), 0, kNone, kNone, false);
  }

  int64_t bytesOf(Mask values) const { return planner::bytesOf(g, values); }

  bool isStale(const Ticket &ticket) const {
    return ticket.cost > entries[ticket.id].cost || isDominated(ticket.id);
  }

  bool isDominated(int32_t id) const {
    const auto [state, cost] = std::pair(entries[id].state, entries[id].cost);
    for (Mask values = state.values & ~stays; values; values &= values - 1) {
      const int32_t less =
          index.find(entries, {state.values & ~(values & -values), state.ops});
      if (less != kNone && (anyPlan || entries[less].cost <= cost))
        return true;
    }
    return false;
  }

  /// Can `op` run right before `state`?
  bool fits(State state, OpId op) const {
    if (once & ~state.ops & (bit(op) | beforeOps[op]))
      return false;
    int64_t need =
        bytesOf(state.values | inputs[op] | results[op]) + g.workspace[op];
    if (taken[op] && !(taken[op] & state.values))
      for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
        if (g.inPlaceOf[v] != kNone)
          need -= g.bytes[v];
    return need <= budget;
  }

  /// An op with a result that must stay has one run, the first, that makes it;
  /// others make it as scratch, for the sake of other results.
  bool fitsAgain(State state, OpId op) const {
    const Mask scratch = results[op] & stays;
    return scratch && g.recomputable[op] && (state.ops & bit(op)) &&
           (results[op] & ~stays & state.values) &&
           bytesOf(state.values | inputs[op] | results[op]) + bytesOf(scratch) +
                   g.workspace[op] <=
               budget;
  }

  State beforeAgain(State state, OpId op) const {
    return {(state.values & ~(results[op] & ~stays)) | inputs[op], state.ops};
  }

  State before(State state, OpId op) const {
    return {(state.values & ~results[op]) | inputs[op],
            (state.ops & ~bit(op)) | beforeOps[op]};
  }

  /// Ops whose run before `state` makes sense.
  Mask candidates(State state) const {
    Mask ops = state.ops & (alone | ~once);
    forEachBit(state.values, [&](ValueId v) { ops |= bit(g.producer[v]); });
    return ops;
  }

  /// What must run before `state`.
  Mask opsLeft(State state) const {
    Mask ops = 0;
    forEachBit(candidates(state), [&](OpId op) { ops |= ancestors[op]; });
    return ops;
  }

  /// Takes the runs that no other one is better than; calls `fn` on each.
  template <typename Fn>
  State simplify(State state, Fn fn) const {
    for (bool changed = true; changed;) {
      changed = false;
      Mask left = opsLeft(state);
      for (Mask ops = candidates(state) & ~fixed; ops;) {
        const OpId op = highestBit(ops);
        ops &= ~bit(op);
        if ((readers[op] & left) ||
            (inputs[op] & ~state.values & takenTogether) ||
            bytesOf(inputs[op] & ~state.values) >
                bytesOf(results[op] & state.values) ||
            !fits(state, op))
          continue;
        state = before(state, op);
        left = opsLeft(state);
        changed = true;
        fn(op);
      }
    }
    return state;
  }

  void push(State state, int64_t cost, int32_t next, OpId op, bool again) {
    state = simplify(state, [&](OpId other) { cost += g.time[other]; });
    const Mask opsBefore = opsLeft(state);
    int64_t rest = 0;
    forEachBit(opsBefore, [&](OpId other) { rest += g.time[other]; });
    if (estimate)
      rest += estimate->againBefore(state.values, opsBefore);
    if (cost + rest >= limits.costLimit)
      return;
    if (anyPlan && index.find(entries, state) != kNone)
      return;
    const int32_t id =
        index.keepCheaper(entries, {state, cost, next, op, again});
    if (id != kNone)
      queue.push({cost + (anyPlan ? 2 : 1) * rest, rest, cost, id});
  }

  void expand(int32_t id) {
    const State state = entries[id].state;
    const int64_t cost = entries[id].cost;
    const Mask left = opsLeft(state);
    forEachBit(candidates(state), [&](OpId op) {
      // Its only run, or that which must come first, before all that needs it.
      const bool tooLate =
          (once & bit(op)) && ((readers[op] | followers[op]) & left);
      if (!tooLate && fits(state, op))
        push(before(state, op), cost + g.time[op], id, op, false);
      if (fitsAgain(state, op))
        push(beforeAgain(state, op), cost + g.time[op], id, op, true);
    });
  }

  std::vector<OpId> traceRuns(int32_t id) const {
    std::vector<OpId> runs, simple;
    while (id != kNone) {
      const Entry &entry = entries[id];
      State state = end();
      if (entry.next != kNone) {
        const State after = entries[entry.next].state;
        state = entry.again ? beforeAgain(after, entry.op)
                            : before(after, entry.op);
      }
      simple.clear();
      simplify(state, [&](OpId op) { simple.push_back(g.problemOp[op]); });
      runs.insert(runs.end(), simple.rbegin(), simple.rend());
      if (entry.op != kNone)
        runs.push_back(g.problemOp[entry.op]);
      id = entry.next;
    }
    return runs;
  }
};
} // namespace

std::unique_ptr<ExactSearch>
makeBackwardSearch(const Graph &g, const Options &options, bool anyPlan) {
  if (OpMasks<SmallMask>::fit(g.numOps, g.numValues))
    return std::make_unique<BackwardSearch<SmallMask>>(g, options, anyPlan);
  return std::make_unique<BackwardSearch<LargeMask>>(g, options, anyPlan);
}

} // namespace ckpt::planner
