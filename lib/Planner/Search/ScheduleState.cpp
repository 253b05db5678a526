//===- ScheduleState.cpp - Intervals, stages, memory, undo ----------------===//
#include "Search/ScheduleState.h"

#include <algorithm>
#include <climits>

namespace ckpt::planner {

ScheduleState::ScheduleState(const Graph &g, int64_t budget, WithoutMemory)
    : g(g), limit(budget), lives(g.numValues), uses(g.numValues),
      groups(g.numOps + 1), stagePeak(g.numOps + 1, 0), memory(g.numOps + 1),
      totalCost(g.totalTime), activePosition(g.numOps + 1, -1),
      isDirty(g.numOps + 1, false), lastReader(g.numValues, 0),
      readerStamp(g.numValues, 0), inTrim(g.numValues, false),
      seen(g.numValues, 0) {
  for (ValueId v = 0; v < g.numValues; ++v) {
    uses[v].reserve(static_cast<uint32_t>(g.users[v].size()) + g.output[v]);
    for (OpId user : g.users[v])
      uses[v].push_back({user, 1});
    if (g.output[v])
      uses[v].push_back({g.numOps, 1});
    int32_t born = g.producer[v];
    lives[v].push_back({born, uses[v].empty() ? born : uses[v].back().stage});
  }
}

ScheduleState::ScheduleState(const Graph &g, int64_t budget)
    : ScheduleState(g, budget, WithoutMemory()) {
  computeMemory();
}

ScheduleState::ScheduleState(const Graph &g, int64_t budget,
                             const std::vector<OpId> &runs)
    : ScheduleState(g, budget, WithoutMemory()) {
  std::vector<OpId> opInGraph(g.numOps);
  for (OpId op = 0; op < g.numOps; ++op)
    opInGraph[g.problemOp[op]] = op;
  // The stage of a run is that of the first run that follows it. Each
  // recomputation splits the interval in which it falls; uses go to the copy
  // that is latest, as the runs' order wants it.
  int32_t stage = 0;
  for (OpId run : runs) {
    OpId op = opInGraph[run];
    if (op == stage) {
      ++stage;
      continue;
    }
    if (hasRun(op, stage))
      continue;
    insertRun(op, stage);
    for (ValueId input : g.inputs[op])
      addUse(input, stage, 1);
  }
  for (stage = 0; stage <= g.numOps; ++stage)
    for (OpId op : groups[stage])
      for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
        lives[v].push_back({stage, stage});
  for (ValueId v = 0; v < g.numValues; ++v) {
    // Each copy ends at its last use.
    InlineVector<Interval> &list = lives[v];
    for (size_t k = 0; k < list.size(); ++k) {
      int32_t until = k + 1 < list.size() ? list[k + 1].start - 1 : g.numOps;
      list[k].end = std::max(previousUse(v, until), list[k].start);
    }
    queueTrim(v);
  }
  trim();
  computeMemory();
}

void ScheduleState::computeMemory() {
  for (int32_t stage : dirty)
    isDirty[stage] = false;
  dirty.clear();
  // What begins or stops to be strictly inside an interval at each stage.
  std::vector<int64_t> bytes(g.numOps + 2, 0);
  for (ValueId v = 0; v < g.numValues; ++v)
    for (Interval interval : lives[v])
      if (interval.end > interval.start + 1) {
        bytes[interval.start + 1] += g.bytes[v];
        bytes[interval.end] -= g.bytes[v];
      }
  int64_t inside = 0;
  for (int32_t stage = 0; stage <= g.numOps; ++stage) {
    inside += bytes[stage];
    stagePeak[stage] = simulateStage(stage);
    bytes[stage] = inside + stagePeak[stage];
  }
  bytes.pop_back();
  memory.assign(bytes);
}

std::vector<int32_t> ScheduleState::violationsBefore() const {
  const std::vector<int64_t> bytes = memory.values();
  std::vector<int32_t> before(g.numOps + 2, 0);
  for (int32_t stage = 0; stage <= g.numOps; ++stage)
    before[stage + 1] = before[stage] + (bytes[stage] > limit);
  return before;
}

int64_t ScheduleState::excess() const {
  int64_t sum = 0;
  for (int32_t stage = memory.firstAbove(limit, 0); stage >= 0;
       stage = memory.firstAbove(limit, stage + 1)) {
    if (__builtin_add_overflow(sum, memory.at(stage) - limit, &sum))
      return INT64_MAX;
    if (stage == g.numOps)
      break;
  }
  return sum;
}

int32_t ScheduleState::find(ValueId v, int32_t stage) const {
  const InlineVector<Interval> &list = lives[v];
  int32_t k = static_cast<int32_t>(list.size()) - 1;
  if (k < 8) {
    while (k > 0 && list[k].start > stage)
      --k;
  } else {
    k = static_cast<int32_t>(std::upper_bound(list.begin(), list.end(), stage,
                                              [](int32_t s, Interval i) {
                                                return s < i.start;
                                              }) -
                             list.begin()) -
        1;
  }
  return list[k].end >= stage ? k : -1 - k;
}

int32_t ScheduleState::nextUse(ValueId v, int32_t stage) const {
  const InlineVector<Use> &list = uses[v];
  auto it = std::upper_bound(list.begin(), list.end(), stage,
                             [](int32_t s, Use use) { return s < use.stage; });
  return it == list.end() ? INT32_MAX : it->stage;
}

int32_t ScheduleState::previousUse(ValueId v, int32_t stage) const {
  const InlineVector<Use> &list = uses[v];
  auto it = std::upper_bound(list.begin(), list.end(), stage,
                             [](int32_t s, Use use) { return s < use.stage; });
  return it == list.begin() ? -1 : (--it)->stage;
}

ScheduleState::Gap ScheduleState::gapAt(ValueId v, int32_t stage) const {
  const int32_t k = find(v, stage);
  if (k < 0)
    return {};
  const Interval interval = lives[v][k];
  const int32_t next = nextUse(v, stage);
  if (next > interval.end)
    return {};
  return {std::max(interval.start, previousUse(v, stage)), next};
}

int32_t ScheduleState::lastUse(ValueId v, Interval interval) const {
  int32_t use = previousUse(v, interval.end);
  return use >= interval.start ? use : -1;
}

std::vector<OpId> ScheduleState::runs() const {
  std::vector<OpId> result;
  result.reserve(g.numOps + recomputed);
  for (int32_t stage = 0; stage <= g.numOps; ++stage) {
    for (OpId op : groups[stage])
      result.push_back(g.problemOp[op]);
    if (stage < g.numOps)
      result.push_back(g.problemOp[stage]);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Elementary changes, each logged
//===----------------------------------------------------------------------===//

void ScheduleState::addMemory(int32_t from, int32_t to, int64_t bytes) {
  if (from > to || bytes == 0)
    return;
  memory.add(from, to, bytes);
  record({Change::AddMemory, from, to, 0, bytes});
}

void ScheduleState::setInterval(ValueId v, int32_t k, Interval to) {
  Interval old = lives[v][k];
  if (old.start == to.start && old.end == to.end)
    return;
  record({Change::SetInterval, v, k, old.start, old.end});
  for (int32_t stage : {old.start, old.end, to.start, to.end})
    markDirty(stage);
  int64_t bytes = g.bytes[v];
  if (old.start == to.start) {
    if (to.end > old.end)
      addMemory(std::max(old.end, old.start + 1), to.end - 1, bytes);
    else
      addMemory(std::max(to.end, to.start + 1), old.end - 1, -bytes);
  } else {
    addMemory(old.start + 1, old.end - 1, -bytes);
    addMemory(to.start + 1, to.end - 1, bytes);
  }
  lives[v][k] = to;
}

void ScheduleState::insertInterval(ValueId v, int32_t k, Interval interval) {
  record({Change::InsertInterval, v, k, 0, 0});
  lives[v].insert(lives[v].begin() + k, interval);
  addMemory(interval.start + 1, interval.end - 1, g.bytes[v]);
  markDirty(interval.start);
  markDirty(interval.end);
}

void ScheduleState::eraseInterval(ValueId v, int32_t k) {
  Interval old = lives[v][k];
  record({Change::EraseInterval, v, k, old.start, old.end});
  addMemory(old.start + 1, old.end - 1, -g.bytes[v]);
  markDirty(old.start);
  markDirty(old.end);
  lives[v].erase(lives[v].begin() + k);
}

void ScheduleState::addUse(ValueId v, int32_t stage, int32_t count) {
  record({Change::AddUse, v, stage, count, 0});
  changeUse(v, stage, count);
  markDirty(stage);
}

void ScheduleState::changeUse(ValueId v, int32_t stage, int32_t count) {
  InlineVector<Use> &list = uses[v];
  auto it = std::lower_bound(list.begin(), list.end(), stage,
                             [](Use use, int32_t s) { return use.stage < s; });
  if (it == list.end() || it->stage != stage) {
    list.insert(it, {stage, count});
    return;
  }
  it->count += count;
  if (it->count == 0)
    list.erase(it);
}

void ScheduleState::changeGroup(OpId op, int32_t stage, bool insert) {
  InlineVector<OpId> &group = groups[stage];
  auto it = std::lower_bound(group.begin(), group.end(), op);
  if (insert) {
    group.insert(it, op);
    ++recomputed;
    totalCost += g.time[op];
    if (activePosition[stage] < 0) {
      activePosition[stage] = static_cast<int32_t>(active.size());
      active.push_back(stage);
    }
    return;
  }
  group.erase(it);
  --recomputed;
  totalCost -= g.time[op];
  if (!group.empty())
    return;
  int32_t position = activePosition[stage];
  active[position] = active.back();
  activePosition[active[position]] = position;
  active.pop_back();
  activePosition[stage] = -1;
}

void ScheduleState::insertRun(OpId op, int32_t stage) {
  record({Change::InsertRun, op, stage, 0, 0});
  changeGroup(op, stage, /*insert=*/true);
  markDirty(stage);
}

void ScheduleState::eraseRun(OpId op, int32_t stage) {
  record({Change::EraseRun, op, stage, 0, 0});
  changeGroup(op, stage, /*insert=*/false);
  markDirty(stage);
}

void ScheduleState::rollback(size_t mark) {
  for (int32_t stage : dirty)
    isDirty[stage] = false;
  dirty.clear();
  while (log.size() > mark) {
    Change c = log.back();
    log.pop_back();
    switch (c.kind) {
    case Change::AddMemory:
      memory.add(c.a, c.b, -c.x);
      break;
    case Change::SetInterval:
      lives[c.a][c.b] = {c.c, static_cast<int32_t>(c.x)};
      break;
    case Change::InsertInterval:
      lives[c.a].erase(lives[c.a].begin() + c.b);
      break;
    case Change::EraseInterval:
      lives[c.a].insert(lives[c.a].begin() + c.b,
                        {c.c, static_cast<int32_t>(c.x)});
      break;
    case Change::AddUse:
      changeUse(c.a, c.b, -c.c);
      break;
    case Change::InsertRun:
      changeGroup(c.a, c.b, /*insert=*/false);
      break;
    case Change::EraseRun:
      changeGroup(c.a, c.b, /*insert=*/true);
      break;
    case Change::SetPeak:
      stagePeak[c.a] = c.x;
      break;
    }
  }
}

//===----------------------------------------------------------------------===//
// Memory inside a stage
//===----------------------------------------------------------------------===//

int64_t ScheduleState::simulateStage(int32_t stage) {
  const InlineVector<OpId> &group = groups[stage];
  const int32_t numRecomputed = static_cast<int32_t>(group.size());
  const int32_t numRuns = numRecomputed + (stage < g.numOps);
  workDone += numRuns;
  auto runAt = [&](int32_t i) { return i < numRecomputed ? group[i] : stage; };

  // Values that enter the stage and die in it.
  ++stamp;
  int64_t current = 0;
  for (int32_t i = 0; i < numRuns; ++i)
    for (ValueId v : g.inputs[runAt(i)]) {
      if (readerStamp[v] != stamp) {
        readerStamp[v] = stamp;
        int32_t k = find(v, stage);
        if (k >= 0 && lives[v][k].start < stage && lives[v][k].end == stage)
          current += g.bytes[v];
      }
      lastReader[v] = i;
    }
  // Outputs that live up to the end do so in the last stage.
  if (stage == g.numOps)
    for (ValueId v : g.outputs)
      if (readerStamp[v] != stamp) {
        int32_t k = find(v, stage);
        if (k >= 0 && lives[v][k].start < stage && lives[v][k].end == stage)
          current += g.bytes[v];
      }

  auto diesAfter = [&](ValueId v, int32_t i) {
    if (stage == g.numOps && g.output[v])
      return false;
    if (readerStamp[v] == stamp && lastReader[v] > i)
      return false;
    int32_t k = find(v, stage);
    return k >= 0 && lives[v][k].end == stage;
  };
  int64_t peak = current;
  for (int32_t i = 0; i < numRuns; ++i) {
    OpId op = runAt(i);
    bool inPlace = false;
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
      if (g.inPlaceOf[v] != kNone) {
        inPlace = diesAfter(g.inPlaceOf[v], i);
        if (!inPlace)
          break;
      }
    int64_t scratch = g.workspace[op];
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v) {
      int32_t k = find(v, stage);
      if (k >= 0 && lives[v][k].start == stage)
        current += g.bytes[v];
      else
        scratch += g.bytes[v];
      // The buffer taken over is the input's, counted already.
      if (inPlace && g.inPlaceOf[v] != kNone)
        scratch -= g.bytes[v];
    }
    peak = std::max(peak, current + scratch);
    for (ValueId v : g.inputs[op])
      if (lastReader[v] == i && diesAfter(v, i))
        current -= g.bytes[v];
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v) {
      int32_t k = find(v, stage);
      if (k >= 0 && lives[v][k].start == stage && diesAfter(v, i))
        current -= g.bytes[v];
    }
  }
  return peak;
}

void ScheduleState::flush() {
  for (int32_t stage : dirty) {
    isDirty[stage] = false;
    int64_t peak = simulateStage(stage);
    if (peak == stagePeak[stage])
      continue;
    record({Change::SetPeak, stage, 0, 0, stagePeak[stage]});
    addMemory(stage, stage, peak - stagePeak[stage]);
    stagePeak[stage] = peak;
  }
  dirty.clear();
}

} // namespace ckpt::planner
