//===- LocalSearch.cpp - Large-neighbourhood search -----------------------===//
#include "Search/LocalSearch.h"

#include "Search/Repair.h"

#include <algorithm>
#include <cmath>

namespace ckpt::planner {

/// Exponentially distributed with mean 1, from comparisons only (von Neumann
/// 1951): the same on every machine.
static double exponential(Random &random) {
  double whole = 0;
  while (true) {
    double first = random.uniform(), last = first;
    bool odd = true;
    while (true) {
      double next = random.uniform();
      if (next >= last)
        break;
      last = next;
      odd = !odd;
    }
    if (odd)
      return whole + first;
    whole += 1;
  }
}

namespace {
class Search {
public:
  Search(ScheduleState &state, const LocalSearchOptions &options,
         Random &random)
      : state(state), g(state.graph()), options(options), random(random),
        cost(state.cost()), excess(state.excess()), kept(g.numValues, false) {}

  LocalSearchResult run() {
    state.setLogging(true);
    state.estimateLimit = 200;
    saveBest();
    while (!mustStop()) {
      ++moves;
      step();
    }
    state.setLogging(false);
    LocalSearchResult result;
    result.excess = bestExcess;
    result.cost = bestCost;
    result.moves = moves;
    result.runs = bestRuns();
    return result;
  }

private:
  ScheduleState &state;
  const Graph &g;
  const LocalSearchOptions &options;
  Random &random;
  /// Of the current state.
  __int128 cost;
  int64_t excess;
  /// Of the best state: its recomputations.
  __int128 bestCost = 0;
  int64_t bestExcess = 0;
  std::vector<std::pair<int32_t, OpId>> bestRecomputed;
  int64_t moves = 0;
  double progress = 0;
  std::vector<ValueId> chosen;
  /// Those of them that the repair may not evict again.
  std::vector<char> kept;
  static constexpr double kKeep = 0.6;
  /// Parts of the moves: repairs by best fit, moves of many values at once,
  /// moves of kin.
  static constexpr double kBestFit = 0.6, kLeap = 0.03, kKin = 0.1;
  /// A move of kin evicts and looks at no more.
  static constexpr int32_t kMostKin = 64, kMostLooks = 1000;

  bool mustStop() {
    if (state.activeStages().empty() || moves >= options.maxMoves)
      return true;
    if (bestExcess == 0 && bestCost <= options.goodEnough)
      return true;
    progress =
        static_cast<double>(moves) / static_cast<double>(options.maxMoves);
    if (!options.deadline.limited())
      return false;
    if (moves % 16 == 0)
      elapsed = options.deadline.elapsed();
    progress = std::max(progress, elapsed / options.deadline.limit());
    return progress >= 1;
  }
  double elapsed = 0;

  void saveBest() {
    bestCost = cost;
    bestExcess = excess;
    bestRecomputed.clear();
    for (int32_t stage : state.activeStages())
      for (OpId op : state.recomputedIn(stage))
        bestRecomputed.push_back({stage, op});
  }

  std::vector<OpId> bestRuns() {
    std::sort(bestRecomputed.begin(), bestRecomputed.end());
    std::vector<OpId> runs;
    runs.reserve(g.numOps + bestRecomputed.size());
    size_t next = 0;
    for (int32_t stage = 0; stage <= g.numOps; ++stage) {
      for (;
           next < bestRecomputed.size() && bestRecomputed[next].first == stage;
           ++next)
        runs.push_back(g.problemOp[bestRecomputed[next].second]);
      if (stage < g.numOps)
        runs.push_back(g.problemOp[stage]);
    }
    return runs;
  }

  //===--------------------------------------------------------------------===//
  // Neighbourhoods
  //===--------------------------------------------------------------------===//

  /// An op that is recomputed somewhere, and a result of it.
  ValueId randomRecomputed() {
    const std::vector<int32_t> &active = state.activeStages();
    const InlineVector<OpId> &group = state.recomputedIn(
        active[random.below(static_cast<int32_t>(active.size()))]);
    return resultOf(group[random.below(static_cast<int32_t>(group.size()))]);
  }
  ValueId resultOf(OpId op) {
    int32_t count = g.firstResult[op + 1] - g.firstResult[op];
    return count == 0 ? kNone : g.firstResult[op] + random.below(count);
  }
  bool isSplit(ValueId v) const { return state.intervals(v).size() > 1; }

  void chooseNear(ValueId seed, ValueId from, ValueId to, int32_t count,
                  double probability) {
    for (int32_t d = 0;
         static_cast<int32_t>(chosen.size()) < count && d < 6 * count + 20;
         ++d) {
      ValueId v = seed + ((d & 1) ? -(d + 1) / 2 : d / 2);
      if (v >= from && v <= to && isSplit(v) &&
          (probability >= 1 || random.chance(probability)))
        chosen.push_back(v);
    }
  }

  /// Evicts `v` in one of its gaps, in one of several ways.
  void evictSomewhere(ValueId v, double costLimit, int32_t ways) {
    if (v == kNone || g.bytes[v] == 0 || g.pinned(v))
      return;
    const InlineVector<Interval> &lives = state.intervals(v);
    Interval interval = lives[random.below(static_cast<int32_t>(lives.size()))];
    if (interval.end <= interval.start)
      return;
    int32_t stage =
        interval.start + random.below(interval.end - interval.start);
    ScheduleState::Gap gap = state.gapAt(v, stage);
    if (!gap)
      return;
    ScheduleState::EvictOptions how;
    int32_t way = random.below(ways);
    double estimate = state.estimate(v, gap.from, gap.to, 0).cost;
    if (estimate > costLimit && way < 2)
      return;
    if (way == 1)
      how.credit = g.bytes[v] - 1;
    else if (way == 2)
      how.credit = INT64_MAX / 4;
    if (way == 3) {
      int32_t early = state.earlyStage(v, stage, gap.to);
      if (early > stage)
        gap.to = early;
    }
    state.evict(v, gap.from, gap.to, how);
  }

  /// Moves of neighbouring values only; sets from..to for the repair.
  void perturbWindow(int32_t size, ValueId &from, ValueId &to) {
    ValueId seed = randomRecomputed();
    if (seed == kNone)
      return;
    double exponent = 5.3 * random.uniform();
    int32_t whole = static_cast<int32_t>(exponent);
    int32_t width =
        static_cast<int32_t>(10.0 * (1 << whole) * (1 + exponent - whole));
    from = std::max(0, seed - width);
    to = std::min(g.numValues - 1, seed + width);
    int32_t kind = random.below(10);
    if (kind < 4) {
      chooseNear(seed, from, to, size, 1);
    } else if (kind < 8) {
      for (int32_t i = 0;
           i < 4 * size + 20 && static_cast<int32_t>(chosen.size()) < size; ++i)
        if (ValueId v = from + random.below(to - from + 1); isSplit(v))
          chosen.push_back(v);
    } else {
      double limit = extraCost() / 4;
      for (int32_t i = random.below(3); i >= 0; --i) {
        ValueId v = from + random.below(to - from + 1);
        evictSomewhere(
            v, limit + 8 * static_cast<double>(g.time[g.producer[v]]), 3);
      }
    }
  }

  void perturbAnywhere(int32_t size) {
    int32_t kind = random.below(10);
    if (excess > 0 && random.chance(0.5))
      kind = 9;
    if (kind < 4) {
      if (ValueId seed = randomRecomputed(); seed != kNone)
        chooseNear(seed, 0, g.numValues - 1, size, 0.8);
    } else if (kind < 6) {
      const std::vector<int32_t> &active = state.activeStages();
      const InlineVector<OpId> &group = state.recomputedIn(
          active[random.below(static_cast<int32_t>(active.size()))]);
      int32_t count = static_cast<int32_t>(group.size());
      int32_t first = count > size ? random.below(count - size + 1) : 0;
      for (int32_t i = first; i < std::min(count, first + size); ++i)
        for (ValueId v = g.firstResult[group[i]];
             v < g.firstResult[group[i] + 1]; ++v)
          chosen.push_back(v);
    } else if (kind < 8) {
      for (int32_t i = 0; i < size; ++i)
        if (ValueId v = randomRecomputed(); v != kNone)
          chosen.push_back(v);
    } else {
      int32_t over =
          excess > 0 ? state.peaks().firstAbove(state.budget(), 0) : -1;
      for (int32_t i = random.below(3); i >= 0; --i)
        evictSomewhere(randomVictim(over), static_cast<double>(g.totalTime) / 4,
                       4);
    }
  }

  /// Any value, or one that has to do with the stage `over` the budget.
  ValueId randomVictim(int32_t over) {
    if (over > 0 && over < g.numOps && random.chance(0.5)) {
      Rows::Range inputs = g.inputs[over];
      if (!inputs.empty() && random.chance(0.5))
        return inputs[random.below(static_cast<int32_t>(inputs.size()))];
      return resultOf(random.below(over));
    }
    return g.numValues == 0 ? kNone : random.below(g.numValues);
  }

  //===--------------------------------------------------------------------===//
  // Kin: values made from the same inputs. The first one that is evicted keeps
  // or recomputes the inputs; each other one then costs a single op.
  //===--------------------------------------------------------------------===//

  void perturbKin() {
    constexpr double both = 0.7, all = 0.5;
    if (random.chance(both))
      mergeKin();
    evictKin(random.chance(all) ? kMostKin : 1 + random.below(12));
  }

  /// Takes back all recomputations that share inputs with one of them.
  void mergeKin() {
    const ValueId seed = randomRecomputed();
    if (seed == kNone)
      return;
    int32_t looks = 0;
    for (ValueId shared : g.inputs[g.producer[seed]])
      for (OpId op : g.users[shared]) {
        if (++looks > kMostLooks)
          return;
        for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
          if (isSplit(v)) {
            chosen.push_back(v);
            state.mergeAll(v);
          }
      }
  }

  /// Evicts a value across the fullest stage, or another one, with its inputs
  /// kept, and then up to `count` of its kin.
  void evictKin(int32_t count) {
    const std::vector<int32_t> &active = state.activeStages();
    int32_t stage = state.peaks().argMax();
    if (!active.empty() && random.chance(0.3))
      stage = active[random.below(static_cast<int32_t>(active.size()))];
    const ValueId end = stage < g.numOps ? g.firstResult[stage] : g.numValues;
    ScheduleState::EvictOptions how;
    how.credit = INT64_MAX / 4;
    ValueId first = kNone;
    for (int tries = 0; tries < 20 && end > 0 && first == kNone; ++tries) {
      const ValueId v = random.below(end);
      const ScheduleState::Gap gap = evictableAcross(v, stage);
      if (gap && state.evict(v, gap.from, gap.to, how))
        first = v;
    }
    if (first == kNone || g.inputs[g.producer[first]].empty())
      return;
    const Rows::Range inputs = g.inputs[g.producer[first]];
    for (int32_t tries = 4 * count; count > 0 && tries > 0; --tries) {
      const Rows::Range users =
          g.users[inputs[random.below(static_cast<int32_t>(inputs.size()))]];
      const OpId op = users[random.below(static_cast<int32_t>(users.size()))];
      const ValueId kin = op < stage ? resultOf(op) : kNone;
      if (kin == kNone)
        continue;
      const ScheduleState::Gap gap = evictableAcross(kin, stage);
      if (gap && state.estimate(kin, gap.from, gap.to, 0).cost <=
                     static_cast<double>(g.time[op]))
        count -= state.evict(kin, gap.from, gap.to, how);
    }
  }

  ScheduleState::Gap evictableAcross(ValueId v, int32_t stage) const {
    return g.bytes[v] == 0 || g.pinned(v) ? ScheduleState::Gap()
                                          : state.gapAcross(v, stage);
  }

  //===--------------------------------------------------------------------===//
  // One move
  //===--------------------------------------------------------------------===//

  double extraCost() const { return static_cast<double>(cost - g.totalTime); }

  void step() {
    const double cooling = (1 - progress) * (1 - progress);
    const double temperature =
        options.heat * cooling * extraCost() /
        static_cast<double>(std::max<int64_t>(1, state.numRecomputed()));
    const size_t start = state.mark();
    chosen.clear();
    double u = random.uniform();
    int32_t size = 1 + static_cast<int32_t>(u * u * 12);
    if (random.chance(kLeap))
      size *= 8;
    const bool large = g.numOps > 20000;
    const bool kin = !large && random.chance(kKin);
    const bool windowed = excess == 0 && !kin &&
                          (large || random.chance(g.numOps > 1500 ? 0.8 : 0.3));
    RepairOptions how;
    if (kin)
      perturbKin();
    else if (windowed)
      perturbWindow(size, how.from, how.to);
    else
      perturbAnywhere(size);
    for (ValueId v : chosen)
      state.mergeAll(v);
    state.flush();

    how.ignore = random.chance(0.5) ? 0 : 0.3;
    how.exponent = static_cast<LengthExponent>(random.below(4));
    how.noise = random.chance(0.3) ? 0 : 2 * random.uniform();
    how.bestFit = random.chance(kBestFit);
    // From left to right, each stage would need a little more than the last.
    how.worstFirst = how.bestFit || random.chance(0.5);
    // A move is long only where much is above the budget.
    how.maxWork = 20 * static_cast<int64_t>(g.numOps) + 20'000;
    if (excess > 0) {
      how.deadline = options.deadline;
      how.costLimit = cost + 2 * static_cast<__int128>(g.totalTime);
    }
    if (excess == 0)
      how.costLimit =
          cost + static_cast<__int128>(8 * temperature + extraCost() / 10) + 1;
    // Else the repair often takes back what was just kept.
    const bool keep = random.chance(kKeep);
    if (keep) {
      for (ValueId v : chosen)
        kept[v] = random.chance(0.7);
      how.kept = &kept;
    }
    int64_t left = repair(state, how, random);
    for (ValueId v : chosen)
      kept[v] = false;
    if (left >= 0 && left <= excess) {
      double noise = random.chance(0.5) ? 0 : 1;
      if (windowed)
        fill(state, noise, random, g.producer[how.from], g.producer[how.to]);
      else
        fill(state, noise, random);
      double allowed = temperature > 0 ? temperature * exponential(random) : 0;
      if (left < excess ||
          static_cast<double>(state.cost() - cost) <= allowed) {
        accept(left);
        return;
      }
    }
    state.rollback(start);
  }

  void accept(int64_t left) {
    cost = state.cost();
    excess = left;
    state.commit();
    if (excess < bestExcess || (excess == bestExcess && cost < bestCost))
      saveBest();
  }
};
} // namespace

LocalSearchResult localSearch(ScheduleState &state,
                              const LocalSearchOptions &options,
                              Random &random) {
  return Search(state, options, random).run();
}

} // namespace ckpt::planner
