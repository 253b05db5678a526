//===- MemorySearch.cpp - Orders in which storing everything fits ---------===//
#include "Search/MemorySearch.h"

#include "Bounds/MomentModel.h"
#include "Graph.h"
#include "Random.h"
#include "Search/StagePeaks.h"

#include <algorithm>
#include <numeric>

namespace ckpt::planner {

namespace {
/// An order of the ops of a graph with the memory of each of its stages.
///
/// A move gives the ops of a window of positions another order. What is in
/// memory before and after the window stays as it was, so that a move costs
/// what the window is large.
class OrderState {
public:
  OrderState(const Graph &g, int64_t budget)
      : g(g), after(g.before.transposed(g.numOps)), budget(budget),
        order(g.numOps), position(g.numOps), lastUse(g.numValues),
        before(g.numOps + 1, 0), need(g.numOps, 0),
        peaks(std::max(1, g.numOps)), marks(g.numOps, 0) {
    std::iota(order.begin(), order.end(), 0);
    std::iota(position.begin(), position.end(), 0);
    for (ValueId v = 0; v < g.numValues; ++v)
      lastUse[v] = g.output[v]          ? g.numOps
                   : g.users[v].empty() ? g.producer[v]
                                        : g.users[v].back();
    scratchUse = lastUse;
    int64_t inMemory = 0;
    for (int32_t k = 0; k < g.numOps; ++k) {
      before[k] = inMemory;
      need[k] = run(order[k], k, inMemory);
      peaks.add(k, k, need[k]);
    }
  }

  int64_t peak() const { return g.numOps == 0 ? 0 : peaks.max(); }
  bool fits() const { return peak() <= budget; }
  int32_t highestStage() const { return peaks.argMax(); }
  const std::vector<OpId> &ops() const { return order; }

  /// A stage above the budget: the first at or after `from`, else the first.
  int32_t stageAbove(int32_t from) const {
    int32_t stage = peaks.firstAbove(budget, from);
    return stage >= 0 ? stage : peaks.firstAbove(budget, 0);
  }

  /// The op at `from`, which runs before `stage`, and what depends on it up to
  /// there go behind `stage`; `distance` positions more at most, as long as
  /// nothing needs them. False where that is no move.
  bool planDelay(int32_t from, int32_t stage, int32_t distance) {
    OpId op = order[from];
    bool live = false;
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
      live |= lastUse[v] > stage && g.bytes[v] > 0;
    if (!live)
      return false;
    startWindow(from);
    mark(op);
    for (int32_t k = from + 1; k <= stage; ++k) {
      OpId other = order[k];
      if (dependsOnMarked(other))
        mark(other);
    }
    if (isMarked(order[stage]))
      return false;
    // As late as asked for and possible.
    int32_t to = stage;
    while (to + 1 < g.numOps && to < stage + distance &&
           !dependsOnMarked(order[to + 1]))
      ++to;
    for (int32_t k = from; k <= to; ++k)
      if (!isMarked(order[k]))
        window.push_back(order[k]);
    for (int32_t k = from; k <= stage; ++k)
      if (isMarked(order[k]))
        window.push_back(order[k]);
    return true;
  }

  /// All readers after `stage` of an input of the op at `from` that is in
  /// memory there, and what they depend on, go before `stage`, up to `distance`
  /// positions earlier.
  bool planAdvance(int32_t from, int32_t stage, int32_t distance) {
    ValueId freed = kNone;
    for (ValueId v : g.inputs[order[from]])
      if (position[g.producer[v]] < stage && lastUse[v] < g.numOps &&
          g.bytes[v] > 0 && (freed == kNone || g.bytes[v] > g.bytes[freed]))
        freed = v;
    if (freed == kNone)
      return false;
    int32_t to = lastUse[freed];
    startWindow(stage);
    for (OpId user : g.users[freed])
      if (position[user] >= stage)
        mark(user);
    for (int32_t k = to; k >= stage; --k)
      if (isMarked(order[k])) {
        if (k == stage)
          return false;
        for (ValueId v : g.inputs[order[k]])
          if (position[g.producer[v]] >= stage)
            mark(g.producer[v]);
        for (OpId other : g.before[order[k]])
          if (position[other] >= stage)
            mark(other);
      }
    int32_t first = stage;
    while (first > 0 && stage - first < distance &&
           !markedNeeds(order[first - 1]))
      --first;
    start = first;
    for (int32_t k = stage; k <= to; ++k)
      if (isMarked(order[k]))
        window.push_back(order[k]);
    for (int32_t k = first; k <= to; ++k)
      if (!isMarked(order[k]))
        window.push_back(order[k]);
    return true;
  }

  /// Bytes above the budget, summed over the stages, that the planned move
  /// adds; accept() or reject() must follow.
  double evaluate() {
    const int32_t end = start + static_cast<int32_t>(window.size());
    // Uses within the window, in the new order.
    for (int32_t k = start; k < end; ++k) {
      OpId op = window[k - start];
      for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
        if (lastUse[v] < end)
          scratchUse[v] = k;
      for (ValueId v : g.inputs[op])
        if (lastUse[v] < end)
          scratchUse[v] = k;
    }
    newBefore.clear();
    newNeed.clear();
    double added = 0;
    int64_t inMemory = before[start];
    for (int32_t k = start; k < end; ++k) {
      newBefore.push_back(inMemory);
      newNeed.push_back(run(window[k - start], k, inMemory));
      added += excess(newNeed.back()) - excess(need[k]);
    }
    return added;
  }

  void accept() {
    for (size_t i = 0; i < window.size(); ++i) {
      int32_t k = start + static_cast<int32_t>(i);
      OpId op = window[i];
      order[k] = op;
      position[op] = k;
      before[k] = newBefore[i];
      peaks.add(k, k, newNeed[i] - need[k]);
      need[k] = newNeed[i];
      forEachValue(op, [&](ValueId v) { lastUse[v] = scratchUse[v]; });
    }
  }
  void reject() {
    for (OpId op : window)
      forEachValue(op, [&](ValueId v) { scratchUse[v] = lastUse[v]; });
  }

  /// About how much the planned move costs to look at.
  int64_t work() const { return 4 * static_cast<int64_t>(window.size()) + 20; }

private:
  const Graph &g;
  /// The transpose of g.before.
  const Rows after;
  const int64_t budget;
  std::vector<OpId> order;
  std::vector<int32_t> position;
  /// Of each value: the position that uses it last; numOps: it stays.
  std::vector<int32_t> lastUse;
  /// Bytes in memory before each position, and while its op runs.
  std::vector<int64_t> before, need;
  StagePeaks peaks;

  /// The planned move: the ops from position `start` on, in their new order.
  int32_t start = 0;
  std::vector<OpId> window;
  /// The same as lastUse, but in the window's new order.
  std::vector<int32_t> scratchUse;
  std::vector<int64_t> newBefore, newNeed;
  std::vector<int32_t> marks;
  int32_t stamp = 0;

  double excess(int64_t bytes) const {
    return bytes > budget ? static_cast<double>(bytes - budget) : 0;
  }

  template <typename Fn>
  void forEachValue(OpId op, Fn fn) const {
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
      fn(v);
    for (ValueId v : g.inputs[op])
      fn(v);
  }

  void startWindow(int32_t first) {
    start = first;
    window.clear();
    ++stamp;
  }
  void mark(OpId op) { marks[op] = stamp; }
  bool isMarked(OpId op) const { return marks[op] == stamp; }
  bool dependsOnMarked(OpId op) const {
    for (ValueId v : g.inputs[op])
      if (isMarked(g.producer[v]))
        return true;
    for (OpId other : g.before[op])
      if (isMarked(other))
        return true;
    return false;
  }
  /// Does a marked op depend on `op`?
  bool markedNeeds(OpId op) const {
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
      for (OpId user : g.users[v])
        if (isMarked(user))
          return true;
    for (OpId next : after[op])
      if (isMarked(next))
        return true;
    return false;
  }

  /// Bytes in memory while `op` runs at position `k`; `inMemory` goes on to
  /// what there is after it.
  int64_t run(OpId op, int32_t k, int64_t &inMemory) const {
    bool anyInPlace = false, allDie = true;
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
      if (ValueId old = g.inPlaceOf[v]; old != kNone) {
        anyInPlace = true;
        allDie &= scratchUse[old] == k;
      }
    const bool inPlace = anyInPlace && allDie;
    int64_t bytes = inMemory + g.workspace[op];
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v) {
      if (!inPlace || g.inPlaceOf[v] == kNone)
        bytes += g.bytes[v];
      if (scratchUse[v] > k)
        inMemory += g.bytes[v];
    }
    for (ValueId v : g.inputs[op])
      if (scratchUse[v] == k)
        inMemory -= g.bytes[v];
    return bytes;
  }
};

class MemorySearch {
public:
  MemorySearch(const Graph &g, int64_t budget, int64_t work,
               const Deadline &deadline)
      : state(g, budget), numOps(g.numOps), deadline(deadline), workLeft(work),
        work(work) {}

  MemoryOrder run() {
    best = {state.ops(), state.peak()};
    const double firstHeat = static_cast<double>(state.peak()) / 8;
    for (int64_t moves = 0; workLeft > 0 && !state.fits(); ++moves) {
      if (moves % 64 == 0 && deadline.passed())
        break;
      double left = static_cast<double>(workLeft) / static_cast<double>(work);
      move(firstHeat * left * left);
      if (state.peak() < best.peak) {
        best = {state.ops(), state.peak()};
        workLeft -= numOps / 4;
      }
    }
    return std::move(best);
  }

private:
  OrderState state;
  const int32_t numOps;
  const Deadline &deadline;
  int64_t workLeft;
  const int64_t work;
  Random random{1};
  MemoryOrder best;

  /// 1 to `most`, small ones more often.
  int32_t someDistance(int32_t most) {
    int bits = 0;
    while (bits < 30 && (most >> bits) > 0)
      ++bits;
    int32_t limit = std::min(most, int32_t(1) << random.below(bits + 1));
    return 1 + random.below(limit);
  }

  void move(double heat) {
    int32_t stage = state.stageAbove(random.below(numOps));
    bool delay = random.chance(0.5);
    int32_t room = delay ? stage : numOps - 1 - stage;
    workLeft -= 20;
    if (room == 0)
      return;
    int32_t distance = someDistance(room);
    int32_t slack = random.chance(0.3) ? 0 : someDistance(numOps);
    bool planned = delay ? state.planDelay(stage - distance, stage, slack)
                         : state.planAdvance(stage + distance, stage, slack);
    workLeft -= planned ? state.work() : distance;
    if (!planned)
      return;
    double limit = heat * random.uniform() * random.uniform();
    if (state.evaluate() <= limit)
      state.accept();
    else
      state.reject();
  }
};
} // namespace

/// A peak below which no order of the ops, each run once, stays: at an op, what
/// its ancestors made and its descendants need is in memory, with what it needs
/// itself. Looks at the highest stage of `order` and some spread evenly, until
/// one needs more than `enough`. O(n) for each.
static int64_t storeAllFloor(const Problem &problem,
                             const std::vector<OpId> &order, int64_t enough) {
  Graph g = Graph::build(problem, order);
  MomentModel model(g, Order::Free);
  const int32_t last = g.numOps - 1;
  int64_t floor = 0;
  auto look = [&](OpId op) {
    floor = std::max(floor, model.certainBytes(op));
    return floor > enough;
  };
  if (g.numOps == 0 || look(OrderState(g, 0).highestStage()))
    return floor;
  const int32_t spread =
      std::clamp(20'000'000 / (last + 1), 4, std::min(64, last + 4));
  for (int32_t i = 0; i <= spread; ++i)
    if (look(static_cast<OpId>(static_cast<int64_t>(last) * i / spread)))
      return floor;
  return floor;
}

/// Threshold accepting from each of `starts` (sorted by peak) in turn, until an
/// order fits or the effort is spent. Returns the order of least peak that it
/// saw.
static MemoryOrder searchOrder(const Problem &problem,
                               const std::vector<MemoryOrder> &starts,
                               int64_t budget, const Deadline &deadline) {
  MemoryOrder best = starts.front();
  const int64_t n = problem.numOps();
  const int64_t work = (std::min<int64_t>(10'000'000, 50'000 * n) +
                        std::min<int64_t>(90'000'000, 2000 * n)) /
                       static_cast<int64_t>(starts.size());
  for (const MemoryOrder &from : starts) {
    if (best.peak <= budget || deadline.passed())
      break;
    Graph g = Graph::build(problem, from.order);
    MemoryOrder found = MemorySearch(g, budget, work, deadline).run();
    if (found.peak >= best.peak)
      continue;
    best.peak = found.peak;
    best.order.clear();
    for (OpId op : found.order)
      best.order.push_back(g.problemOp[op]);
  }
  return best;
}

std::vector<MemoryOrder> memoryOrdersWithin(const Problem &problem,
                                            int64_t budget,
                                            const Deadline &deadline) {
  std::vector<MemoryOrder> orders = memoryOrders(problem, deadline);
  const MemoryOrder &least = orders.front();
  if (least.peak <= budget || deadline.passed())
    return orders;
  int64_t floor = storeAllFloor(problem, least.order, budget);
  if (floor > budget && floor > least.peak / 100 * 97)
    return orders;
  MemoryOrder found =
      searchOrder(problem, orders, std::max(floor, budget), deadline);
  if (found.peak < least.peak)
    orders.insert(orders.begin(), std::move(found));
  return orders;
}

} // namespace ckpt::planner
