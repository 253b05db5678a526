//===- ExactForward.cpp - Complete search from the start ------------------===//
#include "Solvers/Exact.h"
#include "Solvers/ExactEstimate.h"
#include "Solvers/StateIndex.h"

#include <algorithm>
#include <optional>
#include <queue>

namespace ckpt::planner {

namespace {
/// A* over (ops that ran, values in memory), from nothing or from such a state.
///
/// A value stays in memory until the room is needed: a state with more values
/// can do all that one with fewer can. So the only choice, beside the next op,
/// is which values make room for it, and only sets of which none could be kept
/// need be tried. An op that may run now without anything making room, and
/// leaves nothing that takes memory, is the only one that is tried.
template <typename Mask>
class ForwardSearch : public ExactSearch {
public:
  ForwardSearch(const Graph &g, const Options &options, Mask done, Mask live)
      : g(g), options(options), masks(g), start{done, live} {
    for (ValueId v = 0; v < g.numValues; ++v) {
      if (g.output[v])
        outputs |= bit(v);
      else if (g.users[v].empty())
        unread |= bit(v);
      if (g.mustStay[v])
        stays |= bit(v);
    }
    for (OpId op = 0; op < g.numOps; ++op)
      if (bytesOf(g, masks.results[op] & ~unread) == 0)
        leavesNothing |= bit(op);
  }

  const ExactOutcome &run(const ExactLimits &newLimits,
                          int64_t states) override {
    limits = newLimits;
    if (!estimate)
      begin();
    const int64_t pause =
        states >= limits.maxStates ? limits.maxStates : statesSeen() + states;
    outOfWork = false;
    while (!outcome.complete && !outOfWork) {
      while (!queue.empty() && isStale(queue.top()))
        queue.pop();
      if (queue.empty() || queue.top().estimate >= limits.costLimit) {
        outcome.complete = true;
        outcome.bound = limits.costLimit;
        break;
      }
      const Ticket top = queue.top();
      outcome.bound = std::max(outcome.bound, top.estimate);
      if (isGoal(entries[top.id].state)) {
        outcome.complete = outcome.found = true;
        outcome.runs = traceRuns(top.id);
        break;
      }
      if (statesSeen() >= std::min(pause, limits.maxStates) ||
          limits.deadline.passed())
        break;
      queue.pop();
      ++expanded;
      expandUpTo(top.id, top.estimate);
    }
    outcome.states = statesSeen();
    return outcome;
  }

private:
  static constexpr Mask bit(int32_t i) { return OpMasks<Mask>::bit(i); }

  struct State {
    Mask done, live;
    uint64_t hash() const { return hashOf(done, live); }
    bool operator==(State other) const {
      return done == other.done && live == other.live;
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
  const Options options;
  const OpMasks<Mask> masks;
  const State start;
  std::optional<ExactEstimate<Mask>> estimate;
  ExactLimits limits;
  ExactOutcome outcome;
  Mask outputs = 0, stays = 0, unread = 0;
  /// Ops whose results have no bytes or no reader.
  Mask leavesNothing = 0;
  std::vector<Entry> entries;
  StateIndex<Entry, State> index;
  std::priority_queue<Ticket> queue;
  std::vector<ValueId> others;
  int64_t expanded = 0;
  /// Estimates up to which successors are made now, and the least above that.
  int64_t threshold = INT64_MAX, leastDeferred = INT64_MAX;
  /// Ways to make room that were looked at; so many take as long as a state of
  /// the search backwards. One op may have more than there is time for.
  int64_t work = 0;
  static constexpr int64_t kWorkOfState = 16;
  bool outOfWork = false;

  void begin() {
    estimate.emplace(g, masks, options.order, options.budget, limits.deadline,
                     start.done);
    threshold = limits.costLimit;
    if (!estimate->infeasible())
      push(start, estimate->futureOf(start.done), 0, kNone, kNone);
  }

  int64_t statesSeen() const { return expanded + work / kWorkOfState; }

  bool isStale(const Ticket &ticket) const {
    const Entry &entry = entries[ticket.id];
    return entry.closed || ticket.estimate > entry.estimate;
  }

  bool isGoal(State state) const {
    return state.done == masks.all && (outputs & ~state.live) == 0;
  }

  void push(State state, const typename ExactEstimate<Mask>::Future &future,
            int64_t cost, int32_t parent, OpId op) {
    state.live &= ~unread;
    const int64_t rest = estimate->remaining(future, state.live);
    if (rest < 0 || isDeferred(cost + rest))
      return;
    const int32_t id =
        index.keepCheaper(entries, {state, cost, cost + rest, parent, op});
    if (id != kNone)
      enqueue(id);
  }

  void enqueue(int32_t id) {
    queue.push({entries[id].estimate, countBits(entries[id].state.done), id});
  }

  /// Makes the successors whose estimate is not much above that of the entry;
  /// the others later, when it is their turn (partial expansion): there may be
  /// very many ways to make room, most of them dear.
  void expandUpTo(int32_t id, int64_t least) {
    // Wider each time, so that few times are enough.
    const int width = std::min<int>(entries[id].expansions++, 12);
    threshold = least + ((g.totalTime / 1000) << width);
    leastDeferred = limits.costLimit;
    expand(id);
    if (outOfWork) {
      // From the beginning, if the search goes on.
      --entries[id].expansions;
      enqueue(id);
    } else if (leastDeferred >= limits.costLimit) {
      entries[id].closed = true;
    } else {
      entries[id].estimate = leastDeferred;
      enqueue(id);
    }
  }

  /// Is an estimate for later, or for never?
  bool isDeferred(int64_t time) {
    if (time <= threshold && time < limits.costLimit)
      return false;
    leastDeferred = std::min(leastDeferred, time);
    return true;
  }

  bool mayRun(State state, OpId op) const {
    if (masks.inputs[op] & ~state.live)
      return false;
    if (state.done & bit(op))
      return g.recomputable[op] &&
             (masks.results[op] & ~unread & ~state.live) != 0;
    return (masks.before[op] & ~state.done) == 0;
  }

  /// An op among `candidates` that need not wait for anything.
  OpId findFree(State state, Mask candidates) const {
    for (candidates &= leavesNothing & ~state.done; candidates;
         candidates &= candidates - 1) {
      const OpId op = lowestBit(candidates);
      if (mayRun(state, op) &&
          bytesOf(g, state.live | masks.results[op]) + g.workspace[op] <=
              options.budget)
        return op;
    }
    return kNone;
  }

  void expand(int32_t id) {
    const State state = entries[id].state;
    Mask candidates = masks.all;
    if (options.order == Order::Program && state.done != masks.all) {
      const OpId next = lowestBit(~state.done);
      candidates = state.done | bit(next);
    }
    if (OpId op = findFree(state, candidates); op != kNone)
      candidates = bit(op);
    for (; candidates && !outOfWork; candidates &= candidates - 1) {
      const OpId op = lowestBit(candidates);
      if (!mayRun(state, op))
        continue;
      Mask taken = 0;
      for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
        if (g.inPlaceOf[v] != kNone)
          taken |= bit(g.inPlaceOf[v]);
      runOp(id, op, 0);
      if (taken && !outOfWork && !(masks.results[op] & state.live & stays))
        runOp(id, op, taken);
    }
  }

  /// Runs `op`, taking over the buffers of `taken`, for each way to make room.
  void runOp(int32_t id, OpId op, Mask taken) {
    const State state = entries[id].state;
    const int64_t cost = entries[id].cost + g.time[op];
    // Results that are in memory already and stay make the new ones scratch.
    const Mask kept = masks.inputs[op] | (stays & state.live);
    int64_t need = bytesOf(g, kept) + g.workspace[op];
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
      if (!taken || g.inPlaceOf[v] == kNone)
        need += g.bytes[v];
    if (need > options.budget)
      return;
    const int64_t room = options.budget - need;
    Mask free = state.live & ~kept;
    // Where buffers are taken over, results that are still there go first.
    if (taken)
      free &= ~masks.results[op];
    const Mask done = state.done | bit(op);
    const typename ExactEstimate<Mask>::Future future =
        estimate->futureOf(done);
    auto liveWith = [&](Mask keep) {
      return ((kept | keep) & ~taken) | masks.results[op];
    };
    auto reach = [&](Mask keep) {
      push({done, liveWith(keep)}, future, cost, id, op);
    };
    if (bytesOf(g, free) <= room)
      return reach(free);
    // Largest first: every subset that fits and to which nothing can be added.
    others.clear();
    forEachBit(free, [&](ValueId v) { others.push_back(v); });
    std::sort(others.begin(), others.end(), [&](ValueId a, ValueId b) {
      return g.bytes[a] != g.bytes[b] ? g.bytes[a] > g.bytes[b] : a < b;
    });
    struct Choice {
      size_t next;
      Mask keep, undecided;
      int64_t room;
      /// Least size of what was left out: it must not fit in the end.
      int64_t leastLeftOut;
    };
    std::vector<Choice> stack = {{0, 0, free, room, INT64_MAX}};
    while (!stack.empty()) {
      const Choice choice = stack.back();
      stack.pop_back();
      ++work;
      if (statesSeen() >= limits.maxStates ||
          (work % 4096 == 0 && limits.deadline.passed())) {
        outOfWork = true;
        return;
      }
      // What was left out so far may already cost too much.
      const int64_t rest =
          estimate->remaining(future, liveWith(choice.keep | choice.undecided));
      if (rest < 0 || isDeferred(cost + rest))
        continue;
      if (const int64_t bytes = bytesOf(g, choice.undecided);
          bytes <= choice.room) {
        if (choice.leastLeftOut > choice.room - bytes)
          reach(choice.keep | choice.undecided);
        continue;
      }
      const ValueId v = others[choice.next];
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

std::unique_ptr<ExactSearch> makeForwardSearch(const Graph &g,
                                               const Options &options) {
  if (OpMasks<SmallMask>::fit(g.numOps, g.numValues))
    return std::make_unique<ForwardSearch<SmallMask>>(g, options, 0, 0);
  return std::make_unique<ForwardSearch<LargeMask>>(g, options, 0, 0);
}

std::unique_ptr<ExactSearch> makeForwardSearch(const Graph &g,
                                               const Options &options,
                                               SmallMask done, SmallMask live) {
  return std::make_unique<ForwardSearch<SmallMask>>(g, options, done, live);
}

} // namespace ckpt::planner
