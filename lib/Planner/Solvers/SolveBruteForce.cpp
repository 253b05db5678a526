//===- SolveBruteForce.cpp - Every schedule of a tiny problem -------------===//
#include "Solvers/Candidates.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

namespace ckpt::planner {

namespace {
/// Shortest path over (ops that ran, values in memory). Written straight from
/// the rules of Simulator.h and without any cleverness: what the other solvers
/// are tested against.
class BruteForce {
public:
  BruteForce(const Problem &problem, const Options &options, int64_t maxStates)
      : problem(problem), options(options), maxStates(maxStates) {}

  /// True: the search is complete. `plan` is set if there is one.
  bool run(Plan &plan, bool &found) {
    push({0, 0}, 0, kNoParent, {});
    while (!queue.empty()) {
      auto [cost, id] = queue.top();
      queue.pop();
      if (entries[id].closed || cost > entries[id].cost)
        continue;
      entries[id].closed = true;
      if (isGoal(entries[id].state)) {
        found = true;
        for (size_t at = id; at != 0; at = entries[at].parent)
          plan.events.push_back(entries[at].event);
        std::reverse(plan.events.begin(), plan.events.end());
        return true;
      }
      if (static_cast<int64_t>(entries.size()) > maxStates)
        return false;
      expand(id);
    }
    return true;
  }

  int64_t numStates() const { return static_cast<int64_t>(entries.size()); }

private:
  struct State {
    uint32_t done, live;
    bool operator==(State other) const {
      return done == other.done && live == other.live;
    }
  };
  struct Hash {
    size_t operator()(State s) const {
      return (uint64_t(s.done) << 32 | s.live) * 0x9E3779B97F4A7C15ull;
    }
  };
  struct Entry {
    State state;
    int64_t cost;
    size_t parent;
    Event event;
    bool closed;
  };
  static constexpr size_t kNoParent = SIZE_MAX;

  const Problem &problem;
  const Options &options;
  const int64_t maxStates;
  std::vector<Entry> entries;
  std::unordered_map<State, size_t, Hash> index;
  std::priority_queue<std::pair<int64_t, size_t>,
                      std::vector<std::pair<int64_t, size_t>>, std::greater<>>
      queue;

  void push(State state, int64_t cost, size_t parent, Event event) {
    auto [it, isNew] = index.emplace(state, entries.size());
    if (isNew)
      entries.push_back({state, cost, parent, event, false});
    else if (cost < entries[it->second].cost)
      entries[it->second] = {state, cost, parent, event, false};
    else
      return;
    queue.push({cost, it->second});
  }

  bool isGoal(State state) const {
    if (state.done != (uint32_t(1) << problem.numOps()) - 1)
      return false;
    for (ValueId v = 0; v < problem.numValues(); ++v)
      if ((problem.values[v].output || problem.values[v].mustStay) &&
          !(state.live >> v & 1))
        return false;
    return true;
  }

  int64_t bytesOf(uint32_t live) const {
    int64_t bytes = 0;
    for (ValueId v = 0; v < problem.numValues(); ++v)
      if (live >> v & 1)
        bytes += problem.values[v].bytes;
    return bytes;
  }

  bool mayRun(State state, OpId id) const {
    const Op &op = problem.ops[id];
    for (ValueId v : op.inputs)
      for (; v != kNone; v = problem.values[v].aliasOf)
        if (!(state.live >> v & 1))
          return false;
    if (state.done >> id & 1) {
      bool anyDead = false;
      for (int32_t i = 0; i < op.numResults; ++i)
        anyDead |= !(state.live >> (op.firstResult + i) & 1);
      return op.recomputable && anyDead;
    }
    for (OpId before : op.after)
      if (!(state.done >> before & 1))
        return false;
    for (OpId other = 0; other < problem.numOps(); ++other) {
      bool done = state.done >> other & 1;
      if (other < id && !done &&
          (options.order == Order::Program ||
           (!op.movable && !problem.ops[other].movable)))
        return false;
    }
    return true;
  }

  void expand(size_t id) {
    const State state = entries[id].state;
    const int64_t cost = entries[id].cost;
    for (ValueId v = 0; v < problem.numValues(); ++v)
      if ((state.live >> v & 1) && !problem.values[v].mustStay)
        push({state.done, state.live & ~(uint32_t(1) << v)}, cost, id,
             Event::free(v));
    for (OpId op = 0; op < problem.numOps(); ++op)
      if (mayRun(state, op)) {
        compute(id, op, /*inPlace=*/false);
        compute(id, op, /*inPlace=*/true);
      }
  }

  void compute(size_t id, OpId opId, bool inPlace) {
    const Op &op = problem.ops[opId];
    State state = entries[id].state;
    int64_t need = bytesOf(state.live) + op.workspace;
    uint32_t live = state.live;
    bool anyInPlace = false;
    for (int32_t i = 0; i < op.numResults; ++i) {
      const Value &value = problem.values[op.firstResult + i];
      if (inPlace && value.inPlaceOf != kNone) {
        if (state.live >> (op.firstResult + i) & 1)
          return;
        anyInPlace = true;
        live &= ~(uint32_t(1) << value.inPlaceOf);
      } else {
        need += value.bytes;
      }
      live |= uint32_t(1) << (op.firstResult + i);
    }
    if (inPlace && !anyInPlace)
      return;
    if (need > options.budget)
      return;
    push({state.done | uint32_t(1) << opId, live}, entries[id].cost + op.time,
         id, inPlace ? Event::computeInPlace(opId) : Event::compute(opId));
  }
};
} // namespace

Result solveBruteForce(const Problem &problem, const Options &options) {
  Candidates candidates(problem, options);
  if (problem.numOps() > 16 || problem.numValues() > 24)
    return candidates.unsupported(
        "brute-force takes at most 16 ops with 24 results");
  BruteForce search(problem, options,
                    options.effort >= 0 ? options.effort : 20'000'000);
  Plan plan;
  bool found = false;
  bool complete = search.run(plan, found);
  candidates.spend(search.numStates());
  TimeBound bound;
  bound.order = options.order;
  bound.bySearch = true;
  bound.time = problem.totalTime();
  if (found && candidates.offerPlan(plan))
    bound.time = candidates.bestTime();
  else if (complete)
    bound.infeasible = true;
  return candidates.finish(complete ? StopReason::Optimal : StopReason::Effort,
                           std::move(bound));
}

} // namespace ckpt::planner
