//===- Repair.cpp - From a schedule to one within the budget --------------===//
#include "Search/Repair.h"

#include <algorithm>
#include <cmath>

namespace ckpt::planner {

namespace {
/// Evicting `value` across `stage`: free after `from`, run again in `to`.
struct Eviction {
  double score;
  ValueId value;
  int32_t from, to;
  /// The next use that the gap was found with; the entry is stale when the
  /// value has another one.
  int32_t nextUse;
  int64_t credit = 0;
  /// The score is an estimate of all that must run again, not of one op.
  bool evaluated = false;
  /// Of the bytes that it frees, those that the score counts.
  int64_t counted = 0;

  bool operator<(const Eviction &other) const {
    return score > other.score || (score == other.score && value > other.value);
  }
};
} // namespace

/// Removes the eviction of least score from a heap.
static Eviction takeBest(std::vector<Eviction> &heap) {
  std::pop_heap(heap.begin(), heap.end());
  Eviction best = heap.back();
  heap.pop_back();
  return best;
}

/// The gap of `v` that holds `stage`; value kNone where it is not live across.
static Eviction gapAt(const ScheduleState &state, ValueId v, int32_t stage) {
  Eviction none{0, kNone, 0, 0, 0};
  if (state.graph().bytes[v] == 0 || state.graph().pinned(v))
    return none;
  const ScheduleState::Gap gap = state.gapAt(v, stage);
  return gap ? Eviction{0, v, gap.from, gap.to, gap.to} : none;
}

/// Scores the ways to evict across `gap`: everything dead recomputed, dead
/// inputs kept on the bytes that the value frees, or recomputed early, where
/// the inputs are still live. Bytes freed count up to those `needed`.
static void evaluate(ScheduleState &state, Eviction &gap, int32_t stage,
                     double length, int64_t needed = INT64_MAX) {
  const Graph &g = state.graph();
  const double own = static_cast<double>(g.time[g.producer[gap.value]]);
  const int64_t bytes = std::min(g.bytes[gap.value], needed);
  auto scoreOf = [&](double cost, int64_t counted) {
    return cost >= ScheduleState::kHopeless
               ? ScheduleState::kHopeless
               : (cost + 1) / (static_cast<double>(counted) * length);
  };
  gap.evaluated = true;
  gap.to = gap.nextUse;
  gap.credit = 0;
  gap.counted = bytes;
  double full = state.estimate(gap.value, gap.from, gap.nextUse, 0).cost;
  gap.score = scoreOf(full, bytes);
  if (full <= own)
    return;
  const int64_t most = g.bytes[gap.value] - 1;
  ScheduleState::Estimate kept =
      state.estimate(gap.value, gap.from, gap.nextUse, most);
  if (int64_t freed = 1 + kept.creditLeft; freed <= most) {
    const int64_t counted = std::min(freed, needed);
    double score = scoreOf(kept.cost, counted);
    if (score < gap.score) {
      gap.score = score;
      gap.counted = counted;
      gap.credit = most;
    }
  }
  if (int32_t early = state.earlyStage(gap.value, stage, gap.nextUse);
      early > gap.from) {
    double score =
        scoreOf(state.estimate(gap.value, gap.from, early, 0).cost, bytes);
    if (score < gap.score) {
      gap.score = score;
      gap.counted = bytes;
      gap.credit = 0;
      gap.to = early;
    }
  }
}

/// Evicts; undoes it and returns false if `stage` got no better for it.
static bool evictIfBetter(ScheduleState &state, const Eviction &gap,
                          int32_t stage, double ignore, Random *dice) {
  bool wasLogging = state.isLogging();
  state.setLogging(true);
  size_t start = state.mark();
  int64_t before = state.peaks().at(stage);
  ScheduleState::EvictOptions options;
  options.credit = gap.credit;
  options.ignore = ignore;
  options.dice = ignore > 0 ? dice : nullptr;
  bool done = state.evict(gap.value, gap.from, gap.to, options);
  if (done)
    state.flush();
  bool better = done && state.peaks().at(stage) < before;
  if (!better)
    state.rollback(start);
  state.setLogging(wasLogging);
  return better;
}

//===----------------------------------------------------------------------===//
// Sweep
//===----------------------------------------------------------------------===//

namespace {
class Sweep {
public:
  Sweep(ScheduleState &state, const SweepOptions &options,
        const Deadline &deadline)
      : state(state), g(state.graph()), options(options), deadline(deadline) {
    if (!options.countViolations)
      return;
    violationsBefore = state.violationsBefore();
  }

  bool run() {
    bool fits = true;
    for (int32_t stage = 0; stage <= g.numOps; ++stage) {
      if (stage < g.numOps) {
        pushValuesOf(stage, stage);
        for (OpId op : state.recomputedIn(stage))
          pushValuesOf(op, stage);
      }
      if (state.peaks().at(stage) <= state.budget())
        continue;
      if (!lower(stage))
        return false;
      fits &= state.peaks().at(stage) <= state.budget();
    }
    return fits && state.fits();
  }

private:
  ScheduleState &state;
  const Graph &g;
  const SweepOptions &options;
  const Deadline &deadline;
  std::vector<int32_t> violationsBefore;
  std::vector<Eviction> heap, hopeless;
  const int64_t workBefore = state.work();
  int64_t evictions = 0;

  double length(int32_t stage, int32_t nextUse) const {
    int32_t stages = options.countViolations
                         ? violationsBefore[nextUse] - violationsBefore[stage]
                         : nextUse - stage;
    return lengthFactor(stages, options.exponent);
  }

  void push(Eviction eviction) {
    heap.push_back(eviction);
    std::push_heap(heap.begin(), heap.end());
  }

  void pushGap(ValueId v, int32_t stage) {
    Eviction gap = gapAt(state, v, stage);
    if (gap.value == kNone)
      return;
    gap.score = (static_cast<double>(g.time[g.producer[v]]) + 1) /
                (static_cast<double>(g.bytes[v]) * length(stage, gap.nextUse));
    push(gap);
  }

  void pushValuesOf(OpId op, int32_t stage) {
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
      pushGap(v, stage);
    for (ValueId v : g.inputs[op])
      pushGap(v, stage);
  }

  bool mustStop() {
    return state.cost() > options.costLimit ||
           state.work() - workBefore > options.maxWork ||
           (evictions % 16 == 0 && deadline.passed());
  }

  /// Evicts until `stage` fits or nothing is left; false: give up.
  bool lower(int32_t stage) {
    hopeless.clear();
    while (state.peaks().at(stage) > state.budget() && !heap.empty()) {
      ++evictions;
      if (mustStop())
        return false;
      Eviction top = takeBest(heap);
      Eviction gap = gapAt(state, top.value, stage);
      if (gap.value == kNone || gap.nextUse != top.nextUse)
        continue;
      evaluate(state, gap, stage, length(stage, gap.nextUse));
      if (gap.score >= ScheduleState::kHopeless) {
        hopeless.push_back(top);
        continue;
      }
      if (!heap.empty() && gap.score > heap.front().score * 1.001 &&
          (!top.evaluated || gap.score > top.score * 1.05)) {
        push(gap);
        continue;
      }
      if (!evictIfBetter(state, gap, stage, 0, nullptr)) {
        hopeless.push_back(top);
        continue;
      }
      OpId op = g.producer[gap.value];
      for (ValueId input : g.inputs[op])
        pushGap(input, stage);
    }
    for (Eviction &eviction : hopeless) {
      eviction.evaluated = false;
      push(eviction);
    }
    return true;
  }
};
} // namespace

bool sweep(ScheduleState &state, const SweepOptions &options,
           const Deadline &deadline) {
  return Sweep(state, options, deadline).run();
}

//===----------------------------------------------------------------------===//
// Repair
//===----------------------------------------------------------------------===//

/// Evicts across `stage` until it fits. Returns false past the cost limit or
/// when the state's work is at `workLimit`.
static bool lowerStage(ScheduleState &state, int32_t stage,
                       const RepairOptions &options, int64_t workLimit,
                       Random &random, std::vector<Eviction> &heap) {
  const Graph &g = state.graph();
  auto bytesNeeded = [&] {
    return options.bestFit ? state.peaks().at(stage) - state.budget()
                           : INT64_MAX;
  };
  // Returns whether the score counts fewer bytes than before.
  auto countAtMost = [](Eviction &gap, int64_t bytes) {
    if (bytes >= gap.counted)
      return false;
    gap.score *= static_cast<double>(gap.counted) / static_cast<double>(bytes);
    gap.counted = bytes;
    return true;
  };
  const int64_t neededAtFirst = bytesNeeded();
  heap.clear();
  ValueId last = std::min(options.to, g.numValues - 1);
  if (stage < g.numOps)
    last = std::min(last, g.firstResult[stage + 1] - 1);
  for (ValueId v = options.from; v <= last; ++v) {
    if (g.bytes[v] == 0 || g.pinned(v) || (options.kept && (*options.kept)[v]))
      continue;
    int32_t k = state.find(v, stage);
    if (k < 0 || state.intervals(v)[k].end <= stage)
      continue;
    Eviction gap{0, v, stage, 0, state.nextUse(v, stage)};
    if (gap.nextUse > state.intervals(v)[k].end)
      continue;
    gap.score = g.timePerByte[v] /
                lengthFactor(gap.nextUse - stage, options.exponent) *
                random.jitter(options.noise);
    gap.counted = g.bytes[v];
    countAtMost(gap, neededAtFirst);
    heap.push_back(gap);
  }
  std::make_heap(heap.begin(), heap.end());
  // Returns whether another one is better by now.
  auto putBackIfWorse = [&](const Eviction &gap) {
    if (heap.empty() || gap.score <= heap.front().score)
      return false;
    heap.push_back(gap);
    std::push_heap(heap.begin(), heap.end());
    return true;
  };
  while (state.peaks().at(stage) > state.budget() && !heap.empty()) {
    Eviction top = takeBest(heap);
    Eviction gap = gapAt(state, top.value, stage);
    if (gap.value == kNone || gap.nextUse != top.nextUse)
      continue;
    const int64_t needed = bytesNeeded();
    if (countAtMost(top, needed) && putBackIfWorse(top))
      continue;
    if (!top.evaluated) {
      evaluate(state, gap, stage,
               lengthFactor(gap.nextUse - stage, options.exponent), needed);
      if (gap.score >= ScheduleState::kHopeless)
        continue;
      gap.score *= random.jitter(options.noise);
      if (putBackIfWorse(gap))
        continue;
      top = gap;
    }
    top.from = gap.from;
    if (top.to <= std::max(top.from, stage))
      top.to = top.nextUse;
    if (evictIfBetter(state, top, stage, options.ignore, &random) &&
        state.cost() > options.costLimit)
      return false;
    if (state.work() > workLimit)
      return false;
  }
  return true;
}

int64_t repair(ScheduleState &state, const RepairOptions &options,
               Random &random) {
  std::vector<Eviction> heap;
  const int64_t workLimit = options.maxWork > INT64_MAX - state.work()
                                ? INT64_MAX
                                : state.work() + options.maxWork;
  if (options.worstFirst)
    while (!state.fits()) {
      int32_t stage = state.peaks().argMax();
      if (options.deadline.passed() ||
          !lowerStage(state, stage, options, workLimit, random, heap))
        return -1;
      if (state.peaks().at(stage) > state.budget())
        break;
    }
  int64_t excess = 0;
  for (int32_t stage = state.peaks().firstAbove(state.budget(), 0); stage >= 0;
       stage = state.peaks().firstAbove(state.budget(), stage)) {
    if (options.deadline.passed() ||
        !lowerStage(state, stage, options, workLimit, random, heap))
      return -1;
    int64_t over = state.peaks().at(stage) - state.budget();
    if (over > 0)
      excess += over;
    if (++stage > state.graph().numOps)
      break;
  }
  return excess;
}

//===----------------------------------------------------------------------===//
// Fill
//===----------------------------------------------------------------------===//

int64_t fill(ScheduleState &state, double noise, Random &random, OpId from,
             OpId to, int64_t maxWork, const Deadline &deadline) {
  const int64_t workBefore = state.work();
  struct Entry {
    double gain;
    OpId op;
    int32_t stage;
  };
  std::vector<Entry> entries;
  const Graph &g = state.graph();
  auto consider = [&](ValueId v, int32_t k) {
    Interval interval = state.intervals(v)[k];
    int32_t gap = interval.start - state.intervals(v)[k - 1].end;
    OpId op = g.producer[v];
    double gain = (static_cast<double>(g.time[op]) + 1) /
                  ((static_cast<double>(g.bytes[v]) + 1) * (gap + 1));
    entries.push_back({gain * random.jitter(noise), op, interval.start});
  };
  if (from == 0 && to >= g.numOps) {
    for (int32_t stage : state.activeStages())
      for (OpId op : state.recomputedIn(stage))
        for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
          if (int32_t k = state.find(v, stage);
              k >= 1 && state.intervals(v)[k].start == stage)
            consider(v, k);
  } else {
    for (OpId op = from; op <= std::min(to, g.numOps - 1); ++op)
      for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
        for (int32_t k = 1,
                     end = static_cast<int32_t>(state.intervals(v).size());
             k < end; ++k)
          consider(v, k);
  }
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    if (a.gain != b.gain)
      return a.gain > b.gain;
    return a.op != b.op ? a.op < b.op : a.stage < b.stage;
  });
  int64_t dropped = 0, looked = 0;
  for (const Entry &entry : entries) {
    if (state.work() - workBefore > maxWork ||
        (++looked % 64 == 0 && deadline.passed()))
      break;
    if (std::binary_search(state.recomputedIn(entry.stage).begin(),
                           state.recomputedIn(entry.stage).end(), entry.op))
      dropped += state.tryDropRun(entry.op, entry.stage);
  }
  return dropped;
}

} // namespace ckpt::planner
