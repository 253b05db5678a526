//===- SolveChainDp.cpp - Optimal persistent schedules on chains ----------===//
#include "Solvers/Candidates.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace ckpt::planner {

namespace {
/// A chain x0, F1..FL, loss, BL..B1: step i makes x[i] from x[i-1]; its
/// backward op reads x[i-1] and d[i] and makes d[i-1]. Step 0 makes x[0] from
/// nothing and has no backward op.
struct Chain {
  int32_t steps = 0;
  std::vector<OpId> forward, backward;
  OpId loss = kNone;
};

class Recognizer {
public:
  explicit Recognizer(const Problem &problem) : problem(problem) {}

  std::optional<Chain> run() const {
    int32_t n = problem.numOps();
    if (n < 2 || n % 2 != 0)
      return std::nullopt;
    Chain chain;
    chain.steps = (n - 2) / 2;
    chain.loss = chain.steps + 1;
    chain.backward.assign(chain.steps + 1, kNone);
    for (OpId op = 0; op < n; ++op)
      if (!isPlain(problem.ops[op]))
        return std::nullopt;
    for (int32_t i = 0; i <= chain.steps; ++i) {
      chain.forward.push_back(i);
      if (!reads(i, i == 0 ? std::vector<OpId>{} : std::vector<OpId>{i - 1}))
        return std::nullopt;
    }
    if (!reads(chain.loss, {chain.steps}))
      return std::nullopt;
    for (int32_t i = chain.steps; i >= 1; --i) {
      OpId op = n - i;
      chain.backward[i] = op;
      if (!reads(op, {i - 1, op - 1}))
        return std::nullopt;
    }
    for (ValueId v = 0; v + 1 < problem.numValues(); ++v)
      if (problem.values[v].output)
        return std::nullopt;
    return chain;
  }

private:
  const Problem &problem;

  bool isPlain(const Op &op) const {
    if (op.numResults != 1 || op.workspace != 0 || !op.recomputable ||
        !op.after.empty())
      return false;
    const Value &value = problem.values[op.firstResult];
    return value.aliasOf == kNone && value.inPlaceOf == kNone &&
           !value.mustStay;
  }
  bool reads(OpId op, std::vector<OpId> expected) const {
    std::vector<OpId> found;
    for (ValueId v : problem.ops[op].inputs)
      found.push_back(problem.values[v].producer);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    std::sort(expected.begin(), expected.end());
    return found == expected;
  }
};

/// Cost tables over segments i..j of steps and amounts of memory in units, as
/// in Beaumont et al. (2020), "Optimal checkpointing for heterogeneous chains".
class ChainTables {
public:
  static constexpr int64_t kImpossible = INT64_MAX / 4;
  static constexpr int64_t kMaxCells = 25'000'000;

  ChainTables(const Problem &problem, const Chain &chain, int64_t budget,
              int64_t maxSteps)
      : problem(problem), chain(chain), last(chain.steps) {
    chooseUnit(budget, maxSteps);
    for (int32_t i = 0; i <= last; ++i) {
      x.push_back(units(bytes(chain.forward[i])));
      forwardTime.push_back(problem.ops[chain.forward[i]].time);
      // d[i] is the result of the loss or of the backward op of step i + 1.
      OpId op = i == last ? chain.loss : chain.backward[i + 1];
      d.push_back(units(bytes(op)));
      backwardTime.push_back(i == 0 ? 0 : problem.ops[chain.backward[i]].time);
    }
    fillTables();
  }

  /// The runs of the best schedule; empty: none.
  std::vector<OpId> schedule() {
    std::vector<OpId> runs;
    if (top[0][amount] >= kImpossible)
      return runs;
    struct Task {
      bool isTop;
      int32_t i, j;
      int64_t memory;
    };
    std::vector<Task> stack = {{true, 0, last, amount}};
    while (!stack.empty()) {
      Task task = stack.back();
      stack.pop_back();
      if (task.isTop && task.i > last) {
        runs.push_back(chain.loss);
        continue;
      }
      if (!task.isTop && task.i == task.j) {
        if (task.i > 0)
          runs.push_back(chain.backward[task.i]);
        continue;
      }
      int32_t k = task.isTop ? bestTop(task.i, task.memory).second
                             : bestSplit(task.i, task.j, task.memory).second;
      for (int32_t step = task.i; step <= k; ++step)
        runs.push_back(chain.forward[step]);
      stack.push_back({false, task.i, k, task.memory});
      stack.push_back({task.isTop, k + 1, task.j, task.memory - x[k]});
    }
    return runs;
  }

private:
  const Problem &problem;
  const Chain &chain;
  const int32_t last;
  int64_t unit = 1, amount = 0;
  std::vector<int64_t> x, d, forwardTime, backwardTime;
  /// cost[segment(i, j)][m]: from x[i-1] (not counted) and d[j] to d[i-1].
  std::vector<std::vector<int64_t>> cost;
  /// top[i][m]: from x[i-1] to d[i-1], the loss in between.
  std::vector<std::vector<int64_t>> top;

  int64_t bytes(OpId op) const {
    return problem.values[problem.ops[op].firstResult].bytes;
  }
  int64_t units(int64_t size) const { return (size + unit - 1) / unit; }
  size_t segment(int32_t i, int32_t j) const {
    return static_cast<size_t>(i) * (last + 1) + j;
  }

  /// The greatest common divisor where the tables stay small with it, so that
  /// nothing is rounded; else as fine a unit as fits.
  void chooseUnit(int64_t budget, int64_t maxSteps) {
    int64_t total = 0, divisor = 0;
    for (const Value &value : problem.values) {
      total += value.bytes;
      divisor = std::gcd(divisor, value.bytes);
    }
    int64_t segments = static_cast<int64_t>(last + 1) * (last + 2) / 2;
    // A cell takes a third of the steps of the chain, on average.
    int64_t maxUnits =
        std::max<int64_t>(1, std::min(kMaxCells / segments,
                                      maxSteps / segments * 3 / (last + 1)));
    int64_t memory = std::min(budget, total);
    unit = std::max<int64_t>(1, divisor);
    if (memory / unit > maxUnits)
      unit = memory / maxUnits + 1;
    amount = memory / unit;
  }

  /// Calls `fn(k, time)` for each last step k that can be run forward from i
  /// with `held` units held besides, in `memory`.
  template <typename Fn>
  void forEachAdvance(int32_t i, int32_t end, int64_t held, int64_t memory,
                      Fn fn) const {
    int64_t time = 0;
    for (int32_t k = i; k <= end; ++k) {
      int64_t need = x[k] + (k > i ? x[k - 1] : 0) + held;
      if (need > memory)
        return;
      time += forwardTime[k];
      fn(k, time);
    }
  }

  std::pair<int64_t, int32_t> bestSplit(int32_t i, int32_t j,
                                        int64_t memory) const {
    std::pair<int64_t, int32_t> best = {kImpossible, kNone};
    forEachAdvance(i, j - 1, d[j], memory, [&](int32_t k, int64_t time) {
      int64_t right = cost[segment(k + 1, j)][memory - x[k]];
      int64_t left = cost[segment(i, k)][memory];
      if (right < kImpossible && left < kImpossible &&
          time + right + left < best.first)
        best = {time + right + left, k};
    });
    return best;
  }

  std::pair<int64_t, int32_t> bestTop(int32_t i, int64_t memory) const {
    std::pair<int64_t, int32_t> best = {kImpossible, kNone};
    forEachAdvance(i, last, 0, memory, [&](int32_t k, int64_t time) {
      int64_t right = top[k + 1][memory - x[k]];
      int64_t left = cost[segment(i, k)][memory];
      if (right < kImpossible && left < kImpossible &&
          time + right + left < best.first)
        best = {time + right + left, k};
    });
    return best;
  }

  void fillTables() {
    cost.resize(static_cast<size_t>(last + 1) * (last + 1));
    for (int32_t length = 0; length <= last; ++length)
      for (int32_t i = 0; i + length <= last; ++i) {
        int32_t j = i + length;
        std::vector<int64_t> &row = cost[segment(i, j)];
        row.assign(amount + 1, kImpossible);
        for (int64_t memory = 0; memory <= amount; ++memory) {
          if (length > 0)
            row[memory] = bestSplit(i, j, memory).first;
          else if (memory >= d[i] + (i > 0 ? d[i - 1] : 0))
            row[memory] = backwardTime[i];
        }
      }
    top.assign(last + 2, std::vector<int64_t>(amount + 1, kImpossible));
    for (int64_t memory = d[last]; memory <= amount; ++memory)
      top[last + 1][memory] = problem.ops[chain.loss].time;
    for (int32_t i = last; i >= 0; --i)
      for (int64_t memory = 0; memory <= amount; ++memory)
        top[i][memory] = bestTop(i, memory).first;
  }
};
} // namespace

Result solveChainDp(const Problem &problem, const Options &options) {
  Candidates candidates(problem, options);
  std::optional<Chain> chain = Recognizer(problem).run();
  if (!chain)
    return candidates.unsupported(
        "chain-dp takes chains only: x0, F1 ... FL, loss, BL ... B1, where "
        "step "
        "i reads the step before it and its backward op reads x[i-1] and the "
        "gradient of x[i]");
  if (static_cast<int64_t>(chain->steps + 1) * (chain->steps + 2) / 2 >
      ChainTables::kMaxCells / 8)
    return candidates.unsupported("chain-dp takes chains of up to 2400 steps");
  if (candidates.belowFloor())
    return candidates.finish(StopReason::Failed);
  std::vector<OpId> runs =
      ChainTables(problem, *chain, options.budget,
                  options.effort >= 0 ? options.effort : 2'000'000'000)
          .schedule();
  if (!runs.empty())
    candidates.offer(runs);
  return candidates.finish(StopReason::Finished);
}

} // namespace ckpt::planner
