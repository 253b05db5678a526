//===- Orders.cpp - Base orders with small peaks --------------------------===//
#include "Search/Orders.h"

#include "Graph.h"
#include "ckpt/Planner/Simulator.h"

#include <algorithm>
#include <numeric>
#include <queue>

namespace ckpt::planner {

namespace {
/// What a ready op is preferred for.
enum class Rule {
  /// Least memory added, then program order.
  Memory,
  /// Least memory added; among ops that add some, the one ready last.
  MemoryNewest,
  /// The one ready last.
  Newest,
};

/// An order is given up between so many ops, where time is limited.
constexpr int64_t kStepsPerLook = 4096;

/// Ready ops in a heap with stale entries: the memory that an op adds falls
/// when it becomes the last reader of an input.
class ForwardOrder {
public:
  ForwardOrder(const Graph &g, const Rows &after, Rule rule,
               const Deadline &deadline)
      : g(g), after(after), rule(rule), deadline(deadline),
        missing(g.numOps, 0), readersLeft(g.numValues), readyAt(g.numOps, 0),
        done(g.numOps, false), currentKey(g.numOps) {}

  /// The order, or nothing past the deadline.
  std::vector<OpId> run() {
    for (ValueId v = 0; v < g.numValues; ++v)
      readersLeft[v] =
          static_cast<int32_t>(g.users[v].size()) + (g.output[v] ? 1 : 0);
    for (OpId op = 0; op < g.numOps; ++op) {
      missing[op] =
          static_cast<int32_t>(g.inputs[op].size() + g.before[op].size());
      if (missing[op] == 0)
        push(op);
    }
    std::vector<OpId> order;
    while (!ready.empty()) {
      Key key = ready.top();
      ready.pop();
      if (done[key.op] || key < currentKey[key.op] || currentKey[key.op] < key)
        continue;
      done[key.op] = true;
      order.push_back(key.op);
      if (++clock % kStepsPerLook == 0 && deadline.passed())
        return {};
      finish(key.op);
    }
    return order;
  }

private:
  struct Key {
    int64_t first = 0, second = 0;
    OpId op = kNone;
    /// As std::priority_queue wants it: worse keys are "less".
    bool operator<(const Key &other) const {
      if (first != other.first)
        return first > other.first;
      return second != other.second ? second > other.second : op > other.op;
    }
  };

  const Graph &g;
  const Rows &after;
  const Rule rule;
  const Deadline &deadline;
  std::vector<int32_t> missing, readersLeft;
  std::vector<int64_t> readyAt;
  std::vector<char> done;
  std::vector<Key> currentKey;
  std::priority_queue<Key> ready;
  int64_t clock = 0;

  int64_t bytesAdded(OpId op) const {
    int64_t bytes = 0;
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
      if (readersLeft[v] > 0)
        bytes += g.bytes[v];
    for (ValueId v : g.inputs[op])
      if (readersLeft[v] == 1)
        bytes -= g.bytes[v];
    return bytes;
  }

  void push(OpId op) {
    Key key;
    key.op = op;
    if (rule == Rule::Newest) {
      key.first = -readyAt[op];
    } else {
      key.first = bytesAdded(op);
      if (rule == Rule::MemoryNewest && key.first > 0)
        key.second = -readyAt[op];
    }
    currentKey[op] = key;
    ready.push(key);
  }

  void finish(OpId op) {
    for (ValueId v : g.inputs[op]) {
      if (--readersLeft[v] != 1 || rule == Rule::Newest || g.output[v])
        continue;
      for (OpId reader : g.users[v])
        if (!done[reader]) {
          if (missing[reader] == 0)
            push(reader);
          break;
        }
    }
    auto release = [&](OpId next) {
      if (--missing[next] == 0) {
        readyAt[next] = clock;
        push(next);
      }
    };
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
      for (OpId reader : g.users[v])
        release(reader);
    for (OpId next : after[op])
      release(next);
  }
};

/// From the end: schedules last the op whose removal, seen backwards, leaves
/// least memory: its results need not be kept any more, its inputs must be.
class BackwardOrder {
public:
  BackwardOrder(const Graph &g, const Rows &after, const Deadline &deadline)
      : g(g), after(after), deadline(deadline) {}

  /// The order, or nothing past the deadline.
  std::vector<OpId> run() {
    std::vector<int32_t> missing(g.numOps, 0);
    std::vector<char> needed(g.numValues, false), done(g.numOps, false);
    for (ValueId v = 0; v < g.numValues; ++v)
      needed[v] = g.output[v];
    for (OpId op = 0; op < g.numOps; ++op) {
      missing[op] = static_cast<int32_t>(after[op].size());
      for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
        missing[op] += static_cast<int32_t>(g.users[v].size());
    }
    using Key = std::pair<int64_t, OpId>;
    std::priority_queue<Key> ready;
    std::vector<int64_t> currentKey(g.numOps);
    auto push = [&](OpId op) {
      int64_t freed = 0;
      for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
        if (needed[v])
          freed += g.bytes[v];
      for (ValueId v : g.inputs[op])
        if (!needed[v])
          freed -= g.bytes[v];
      currentKey[op] = freed;
      ready.push({freed, op});
    };
    for (OpId op = 0; op < g.numOps; ++op)
      if (missing[op] == 0)
        push(op);
    std::vector<OpId> order;
    while (!ready.empty()) {
      auto [freed, op] = ready.top();
      ready.pop();
      if (done[op] || freed != currentKey[op])
        continue;
      done[op] = true;
      order.push_back(op);
      if (order.size() % kStepsPerLook == 0 && deadline.passed())
        return {};
      auto release = [&](OpId before) {
        if (--missing[before] == 0)
          push(before);
      };
      for (ValueId v : g.inputs[op]) {
        if (!needed[v]) {
          needed[v] = true;
          for (OpId reader : g.users[v])
            if (!done[reader] && missing[reader] == 0)
              push(reader);
        }
        release(g.producer[v]);
      }
      for (OpId before : g.before[op])
        release(before);
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

private:
  const Graph &g;
  const Rows &after;
  const Deadline &deadline;
};
} // namespace

/// No op before something needs it: the ops whose results nobody reads, in
/// program order, each right after those of its ancestors that are not there
/// yet. These run in program order or, with `inputByInput`, what one input
/// needs before what the next one does. So what is big and made from little
/// comes late, e.g. the gradients that are summed over all steps of a loop.
static std::vector<OpId> demandOrder(const Graph &g, bool inputByInput) {
  std::vector<OpId> order;
  std::vector<char> seen(g.numOps, false);
  struct Frame {
    OpId op;
    size_t next;
  };
  std::vector<Frame> stack;
  auto visit = [&](OpId op) {
    if (!seen[op])
      stack.push_back({op, 0});
    seen[op] = true;
  };
  for (OpId sink = 0; sink < g.numOps; ++sink) {
    bool read = false;
    for (ValueId v = g.firstResult[sink]; v < g.firstResult[sink + 1]; ++v)
      read |= !g.users[v].empty();
    if (read)
      continue;
    const auto begin = static_cast<std::ptrdiff_t>(order.size());
    visit(sink);
    while (!stack.empty()) {
      auto [op, next] = stack.back();
      const size_t numInputs = g.inputs[op].size();
      if (next == numInputs + g.before[op].size()) {
        order.push_back(op);
        stack.pop_back();
        continue;
      }
      ++stack.back().next;
      visit(next < numInputs ? g.producer[g.inputs[op][next]]
                             : g.before[op][next - numInputs]);
    }
    if (!inputByInput)
      std::sort(order.begin() + begin, order.end());
  }
  return order;
}

/// The program order, but ops whose results nobody reads come last, newest
/// first: what they read may be recomputed when nothing else is in memory.
static std::vector<OpId> sinksLast(const Graph &g) {
  std::vector<char> last(g.numOps, true);
  for (OpId op = g.numOps - 1; op >= 0; --op) {
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
      last[op] &= g.users[v].empty();
    for (OpId before : g.before[op])
      last[before] = false;
  }
  std::vector<OpId> order;
  for (OpId op = 0; op < g.numOps; ++op)
    if (!last[op])
      order.push_back(op);
  for (OpId op = g.numOps - 1; op >= 0; --op)
    if (last[op])
      order.push_back(op);
  return order;
}

std::vector<MemoryOrder> memoryOrders(const Problem &problem,
                                      const Deadline &deadline) {
  std::vector<MemoryOrder> result;
  auto add = [&](std::vector<OpId> order) {
    if (order.empty() && problem.numOps() > 0)
      return;
    for (const MemoryOrder &other : result)
      if (other.order == order)
        return;
    int64_t peak = simulate(problem, planFromRuns(problem, order)).peak;
    auto place = std::upper_bound(
        result.begin(), result.end(), peak,
        [](int64_t p, const MemoryOrder &other) { return p < other.peak; });
    result.insert(place, {std::move(order), peak});
  };
  std::vector<OpId> program(problem.numOps());
  std::iota(program.begin(), program.end(), 0);
  add(std::move(program));
  if (deadline.passed())
    return result;
  Graph g = Graph::build(problem);
  Rows after = g.before.transposed(g.numOps);
  for (Rule rule : {Rule::Memory, Rule::MemoryNewest, Rule::Newest})
    add(ForwardOrder(g, after, rule, deadline).run());
  add(BackwardOrder(g, after, deadline).run());
  add(sinksLast(g));
  for (bool inputByInput : {false, true})
    add(demandOrder(g, inputByInput));
  return result;
}

std::vector<OpId> firstRuns(int32_t numOps, const std::vector<OpId> &runs) {
  std::vector<OpId> order;
  std::vector<char> seen(numOps, false);
  for (OpId op : runs)
    if (!seen[op]) {
      seen[op] = true;
      order.push_back(op);
    }
  return order;
}

} // namespace ckpt::planner
