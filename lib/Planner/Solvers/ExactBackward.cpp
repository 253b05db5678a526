//===- ExactBackward.cpp - Complete search from the end -------------------===//
#include "Solvers/Exact.h"

#include "Effort.h"
#include "Graph.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

namespace ckpt::planner {

namespace {
using Mask = uint64_t;
constexpr Mask bit(int32_t i) { return Mask(1) << i; }

/// Calls `fn` with the index of each bit.
template <typename Fn>
void forEachBit(Mask mask, Fn fn) {
  for (; mask; mask &= mask - 1)
    fn(__builtin_ctzll(mask));
}

/// A* backwards from the end.
///
/// A state is what must be at a moment for what comes after it: the values N
/// that are in memory and the ops that have yet to run (backwards) for their
/// own sake. Before a run of op o, N without o's results but with its inputs
/// must be there. So nothing need be said of what to give up, and a value that
/// comes into N a second time is one that is recomputed. The estimate is the
/// time of all ancestors of N, which run at least once more. Where any plan
/// will do, it counts twice and no state is seen twice.
///
/// Where the inputs of o that are not in N are no larger than its results that
/// are, and the run fits, no other one need be tried (`simplify`): any way to
/// the goal works as well with the inputs in memory instead of the results, up
/// to where it runs o, which it then need not.
class BackwardSearch {
public:
  BackwardSearch(const Graph &g, const Options &options,
                 const ExactLimits &limits)
      : g(g), budget(options.budget), limits(limits),
        deadline(limits.timeLimit), inputs(g.numOps, 0), results(g.numOps, 0),
        taken(g.numOps, 0), beforeOps(g.numOps, 0), ancestors(g.numOps, 0),
        readers(g.numOps, 0) {
    for (OpId op = 0; op < g.numOps; ++op) {
      ancestors[op] = bit(op);
      for (ValueId v : g.inputs[op]) {
        inputs[op] |= bit(v);
        ancestors[op] |= ancestors[g.producer[v]];
      }
      for (OpId before : g.before[op])
        beforeOps[op] |= bit(before);
      if (options.order == Order::Program && op > 0)
        beforeOps[op] |= bit(op - 1);
      forEachBit(beforeOps[op],
                 [&](OpId before) { ancestors[op] |= ancestors[before]; });
      fixed |= beforeOps[op];
      bool read = false;
      for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v) {
        results[op] |= bit(v);
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
      if (!g.recomputable[op] || results[op] == 0)
        once |= bit(op);
      if (!read)
        alone |= bit(op);
    }
  }

  ExactOutcome run() {
    ExactOutcome outcome;
    push(end(), 0, kNone, kNone, false);
    while (!queue.empty()) {
      const Ticket top = queue.top();
      if (top.cost > entries[top.id].cost) {
        queue.pop();
        continue;
      }
      outcome.bound = limits.anyPlan ? g.totalTime : top.estimate;
      if (isGoal(entries[top.id].state)) {
        outcome.complete = outcome.found = true;
        outcome.bound = entries[top.id].cost;
        outcome.runs = traceRuns(top.id);
        return outcome;
      }
      outcome.states = static_cast<int64_t>(entries.size());
      if (outcome.states >= limits.maxStates ||
          (++expanded % 256 == 0 && deadline.passed()))
        return outcome;
      queue.pop();
      expand(top.id);
    }
    outcome.complete = true;
    outcome.bound = limits.costLimit;
    return outcome;
  }

private:
  struct State {
    Mask values = 0;
    /// Of those that run once, that nobody reads, or that others must follow:
    /// those to run.
    Mask ops = 0;
    bool operator==(State other) const {
      return values == other.values && ops == other.ops;
    }
  };
  struct Hash {
    size_t operator()(State s) const {
      uint64_t h = s.ops * 0x9E3779B97F4A7C15ull;
      h ^= h >> 29;
      h = (h + s.values) * 0xBF58476D1CE4E5B9ull;
      return h ^ (h >> 32);
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
  const ExactLimits &limits;
  const Deadline deadline;
  std::vector<Mask> inputs, results, taken, beforeOps, ancestors, readers;
  /// Ops that cannot run twice, whose results nobody reads, that others must
  /// follow.
  Mask once = 0, alone = 0, fixed = 0;
  /// Values that must stay; buffers that are taken over with others or not at
  /// all.
  Mask stays = 0, takenTogether = 0;
  std::vector<Entry> entries;
  std::unordered_map<State, int32_t, Hash> index;
  std::priority_queue<Ticket> queue;

  State end() const {
    State state;
    state.ops = once | alone;
    for (ValueId v : g.outputs)
      state.values |= bit(v);
    return state;
  }
  static bool isGoal(State state) {
    return state.values == 0 && state.ops == 0;
  }

  int64_t expanded = 0;

  int64_t bytesOf(Mask values) const {
    int64_t bytes = 0;
    forEachBit(values, [&](ValueId v) { bytes += g.bytes[v]; });
    return bytes;
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
      for (Mask ops = candidates(state) & ~fixed; ops;) {
        const OpId op = 63 - __builtin_clzll(ops);
        ops &= ~bit(op);
        if ((readers[op] & opsLeft(state)) ||
            (inputs[op] & ~state.values & takenTogether) ||
            bytesOf(inputs[op] & ~state.values) >
                bytesOf(results[op] & state.values) ||
            !fits(state, op))
          continue;
        state = before(state, op);
        changed = true;
        fn(op);
      }
    }
    return state;
  }

  int64_t left(State state) const {
    int64_t time = 0;
    forEachBit(opsLeft(state), [&](OpId op) { time += g.time[op]; });
    return time;
  }

  void push(State state, int64_t cost, int32_t next, OpId op, bool again) {
    state = simplify(state, [&](OpId other) { cost += g.time[other]; });
    const int64_t rest = left(state);
    if (cost + rest >= limits.costLimit)
      return;
    auto [it, isNew] =
        index.emplace(state, static_cast<int32_t>(entries.size()));
    if (isNew)
      entries.emplace_back();
    else if (limits.anyPlan || cost >= entries[it->second].cost)
      return;
    entries[it->second] = {state, cost, next, op, again};
    queue.push(
        {cost + (limits.anyPlan ? 2 : 1) * rest, rest, cost, it->second});
  }

  void expand(int32_t id) {
    const State state = entries[id].state;
    const int64_t cost = entries[id].cost;
    forEachBit(candidates(state), [&](OpId op) {
      if (fits(state, op))
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

ExactOutcome searchBackward(const Graph &g, const Options &options,
                            const ExactLimits &limits) {
  return BackwardSearch(g, options, limits).run();
}

} // namespace ckpt::planner
