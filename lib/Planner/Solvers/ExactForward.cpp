//===- ExactForward.cpp - Complete search from the start ------------------===//
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

/// A* from the start over (ops that ran, values in memory).
///
/// A value stays in memory until the room is needed: a state with more values
/// can do all that one with fewer can. So the only choice, beside the next op,
/// is which values make room for it, and only sets of which none could be kept
/// need be tried. The estimate is the time of the ops that have not run yet and
/// of those that must certainly run again: producers of values that are dead
/// and still needed, and what they in turn need.
class ForwardSearch {
public:
  ForwardSearch(const Graph &g, const Options &options,
                const ExactLimits &limits)
      : g(g), options(options), limits(limits), deadline(limits.timeLimit),
        inputs(g.numOps, 0), results(g.numOps, 0), beforeOps(g.numOps, 0) {
    for (OpId op = 0; op < g.numOps; ++op) {
      for (ValueId v : g.inputs[op])
        inputs[op] |= bit(v);
      for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
        results[op] |= bit(v);
      for (OpId before : g.before[op])
        beforeOps[op] |= bit(before);
    }
    for (ValueId v : g.outputs)
      outputs |= bit(v);
    for (ValueId v = 0; v < g.numValues; ++v)
      if (g.mustStay[v])
        stays |= bit(v);
    allOps = g.numOps == 64 ? ~Mask(0) : bit(g.numOps) - 1;
  }

  ExactOutcome run() {
    ExactOutcome outcome;
    push({0, 0}, 0, kNone, kNone);
    while (!queue.empty()) {
      auto [estimate, done, id] = queue.top();
      (void)done;
      if (entries[id].closed || estimate > entries[id].estimate) {
        queue.pop();
        continue;
      }
      outcome.bound = estimate;
      if (isGoal(entries[id].state)) {
        outcome.complete = outcome.found = true;
        outcome.runs = traceRuns(id);
        break;
      }
      if (outcome.states + work / kWorkOfState >= limits.maxStates ||
          deadline.passed())
        return outcome;
      queue.pop();
      ++outcome.states;
      expandUpTo(id, estimate);
      if (outOfWork)
        return outcome;
    }
    outcome.complete = true;
    if (!outcome.found)
      outcome.bound = limits.costLimit;
    return outcome;
  }

private:
  struct State {
    Mask done, live;
    bool operator==(State other) const {
      return done == other.done && live == other.live;
    }
  };
  struct Hash {
    size_t operator()(State s) const {
      uint64_t h = s.done * 0x9E3779B97F4A7C15ull;
      h ^= h >> 29;
      return (h + s.live) * 0xBF58476D1CE4E5B9ull;
    }
  };
  struct Entry {
    State state;
    int64_t cost, estimate;
    int32_t parent;
    /// The run that led here; what was freed before it follows from the two
    /// states.
    OpId op;
    bool closed = false;
    uint8_t expansions = 0;
  };
  /// Least estimate first; among equals the one with more ops done.
  struct Ticket {
    int64_t estimate;
    int32_t done;
    int32_t id;
    bool operator<(const Ticket &other) const {
      if (estimate != other.estimate)
        return estimate > other.estimate;
      return done != other.done ? done < other.done : id > other.id;
    }
  };

  const Graph &g;
  const Options &options;
  const ExactLimits &limits;
  const Deadline deadline;
  std::vector<Mask> inputs, results, beforeOps;
  Mask outputs = 0, stays = 0, allOps = 0;
  std::vector<Entry> entries;
  std::unordered_map<State, int32_t, Hash> index;
  std::priority_queue<Ticket> queue;
  std::vector<ValueId> others;
  /// Estimates up to which successors are made now, and the least above that.
  int64_t threshold = INT64_MAX, leastDeferred = INT64_MAX;
  /// Ways to make room that were looked at; so many count as a state. One op
  /// may have more than there is time for.
  int64_t work = 0;
  static constexpr int64_t kWorkOfState = 200;
  bool outOfWork = false;

  int64_t bytesOf(Mask values) const {
    int64_t bytes = 0;
    for (; values; values &= values - 1)
      bytes += g.bytes[__builtin_ctzll(values)];
    return bytes;
  }

  bool isGoal(State state) const {
    return state.done == allOps && (outputs & ~state.live) == 0;
  }

  /// Lower bound on the time from `state` on; negative: hopeless.
  int64_t remaining(State state) const {
    int64_t time = 0;
    Mask needed = outputs, madeLater = 0;
    for (Mask left = allOps & ~state.done; left; left &= left - 1) {
      OpId op = __builtin_ctzll(left);
      time += g.time[op];
      needed |= inputs[op];
      madeLater |= results[op];
    }
    Mask again = needed & ~state.live & ~madeLater;
    Mask runs = 0;
    while (again) {
      ValueId v = __builtin_ctzll(again);
      again &= again - 1;
      OpId op = g.producer[v];
      if (runs & bit(op))
        continue;
      if (!g.recomputable[op])
        return -1;
      runs |= bit(op);
      time += g.time[op];
      again |= inputs[op] & ~state.live & ~madeLater;
    }
    return time;
  }

  void push(State state, int64_t cost, int32_t parent, OpId op) {
    int64_t rest = remaining(state);
    if (rest < 0 || isDeferred(cost + rest))
      return;
    auto [it, isNew] =
        index.emplace(state, static_cast<int32_t>(entries.size()));
    if (isNew)
      entries.emplace_back();
    else if (cost >= entries[it->second].cost)
      return;
    entries[it->second] = {state, cost, cost + rest, parent, op, false, 0};
    queue.push({cost + rest, __builtin_popcountll(state.done), it->second});
  }

  /// Makes the successors whose estimate is not much above that of the entry;
  /// the others later, when it is their turn (partial expansion): there may be
  /// very many ways to make room, most of them dear.
  void expandUpTo(int32_t id, int64_t estimate) {
    // Wider each time, so that few times are enough.
    const int width = std::min<int>(entries[id].expansions++, 12);
    threshold = estimate + ((g.totalTime / 1000) << width);
    leastDeferred = limits.costLimit;
    expand(id);
    if (leastDeferred >= limits.costLimit) {
      entries[id].closed = true;
      return;
    }
    entries[id].estimate = leastDeferred;
    queue.push(
        {leastDeferred, __builtin_popcountll(entries[id].state.done), id});
  }

  /// Is `estimate` for later, or for never?
  bool isDeferred(int64_t estimate) {
    if (estimate <= threshold && estimate < limits.costLimit)
      return false;
    leastDeferred = std::min(leastDeferred, estimate);
    return true;
  }

  bool mayRun(State state, OpId op) const {
    if (inputs[op] & ~state.live)
      return false;
    if (state.done & bit(op))
      return g.recomputable[op] && (results[op] & ~state.live);
    return (beforeOps[op] & ~state.done) == 0;
  }

  void expand(int32_t id) {
    const State state = entries[id].state;
    Mask candidates = allOps;
    if (options.order == Order::Program && state.done != allOps) {
      OpId next = __builtin_ctzll(~state.done);
      candidates = state.done | bit(next);
    }
    for (; candidates && !outOfWork; candidates &= candidates - 1) {
      OpId op = __builtin_ctzll(candidates);
      if (!mayRun(state, op))
        continue;
      Mask taken = 0;
      for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
        if (g.inPlaceOf[v] != kNone)
          taken |= bit(g.inPlaceOf[v]);
      run(id, op, 0);
      if (taken && !outOfWork && !(results[op] & state.live & stays))
        run(id, op, taken);
    }
  }

  /// Runs `op`, taking over the buffers of `taken`, for each way to make room.
  void run(int32_t id, OpId op, Mask taken) {
    const State state = entries[id].state;
    const int64_t cost = entries[id].cost + g.time[op];
    int64_t need = bytesOf(inputs[op]) + g.workspace[op];
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
      if (!taken || g.inPlaceOf[v] == kNone)
        need += g.bytes[v];
    // Results that are in memory already and stay make the new ones scratch.
    Mask kept = inputs[op] | (stays & state.live);
    need += bytesOf(kept & ~inputs[op]);
    if (need > options.budget)
      return;
    int64_t room = options.budget - need;
    others.clear();
    Mask free = state.live & ~kept;
    // Where buffers are taken over, results that are still there go first.
    if (taken)
      free &= ~results[op];
    for (Mask rest = free; rest; rest &= rest - 1)
      others.push_back(__builtin_ctzll(rest));
    auto reach = [&](Mask keep) {
      push({state.done | bit(op), ((kept | keep) & ~taken) | results[op]}, cost,
           id, op);
    };
    if (bytesOf(free) <= room) {
      reach(free);
      return;
    }
    // Largest first: every subset that fits and to which nothing can be added.
    std::sort(others.begin(), others.end(), [&](ValueId a, ValueId b) {
      return g.bytes[a] != g.bytes[b] ? g.bytes[a] > g.bytes[b] : a < b;
    });
    const Mask done = state.done | bit(op);
    struct Choice {
      size_t next;
      Mask keep, undecided;
      int64_t room;
      /// Least size of what was left out: it must not fit in the end.
      int64_t leastLeftOut;
    };
    std::vector<Choice> stack = {{0, 0, free, room, INT64_MAX}};
    const std::vector<ValueId> list = others;
    while (!stack.empty()) {
      Choice choice = stack.back();
      stack.pop_back();
      if (++work / kWorkOfState >= limits.maxStates ||
          (work % 4096 == 0 && deadline.passed())) {
        outOfWork = true;
        return;
      }
      // What was left out so far may already cost too much.
      int64_t rest =
          remaining({done, ((kept | choice.keep | choice.undecided) & ~taken) |
                               results[op]});
      if (rest < 0 || isDeferred(cost + rest))
        continue;
      if (choice.next == list.size()) {
        if (choice.leastLeftOut > choice.room)
          reach(choice.keep);
        continue;
      }
      ValueId v = list[choice.next];
      Choice without = choice;
      ++without.next;
      without.undecided &= ~bit(v);
      without.leastLeftOut = std::min(choice.leastLeftOut, g.bytes[v]);
      stack.push_back(without);
      if (g.bytes[v] > choice.room)
        continue;
      Choice with = choice;
      ++with.next;
      with.undecided &= ~bit(v);
      with.keep |= bit(v);
      with.room -= g.bytes[v];
      stack.push_back(with);
    }
  }

  std::vector<OpId> traceRuns(int32_t id) const {
    std::vector<OpId> runs;
    for (; id != 0; id = entries[id].parent)
      runs.push_back(g.problemOp[entries[id].op]);
    std::reverse(runs.begin(), runs.end());
    return runs;
  }
};
} // namespace

ExactOutcome searchForward(const Graph &g, const Options &options,
                           const ExactLimits &limits) {
  return ForwardSearch(g, options, limits).run();
}

} // namespace ckpt::planner
