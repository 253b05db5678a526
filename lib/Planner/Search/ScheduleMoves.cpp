//===- ScheduleMoves.cpp - Evicting, keeping and merging values -----------===//
#include "Random.h"
#include "Search/ScheduleState.h"

#include <algorithm>

namespace ckpt::planner {

bool ScheduleState::hasRun(OpId op, int32_t stage) const {
  return op == stage ||
         std::binary_search(groups[stage].begin(), groups[stage].end(), op);
}

bool ScheduleState::startsInterval(OpId op, int32_t stage) const {
  for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v) {
    int32_t k = find(v, stage);
    if (k >= 0 && lives[v][k].start == stage)
      return true;
  }
  return false;
}

void ScheduleState::dropRunIfIdle(OpId op, int32_t stage) {
  if (op == stage || startsInterval(op, stage))
    return;
  eraseRun(op, stage);
  for (ValueId input : g.inputs[op]) {
    addUse(input, stage, -1);
    queueTrim(input);
  }
}

void ScheduleState::trim() {
  while (!toTrim.empty()) {
    ValueId v = toTrim.back();
    toTrim.pop_back();
    inTrim[v] = false;
    for (int32_t k = static_cast<int32_t>(lives[v].size()) - 1; k >= 0; --k) {
      Interval interval = lives[v][k];
      int32_t use = lastUse(v, interval);
      if (use >= 0) {
        if (use < interval.end)
          setInterval(v, k, {interval.start, use});
      } else if (k == 0) {
        setInterval(v, 0, {interval.start, interval.start});
      } else {
        eraseInterval(v, k);
        dropRunIfIdle(g.producer[v], interval.start);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Making dead inputs available
//===----------------------------------------------------------------------===//

bool ScheduleState::canExtend(ValueId v, int32_t end, int32_t freeFrom,
                              int64_t credit) const {
  return credit >= g.bytes[v] &&
         (end >= freeFrom || memory.max(end, freeFrom) <= limit - g.bytes[v]);
}

void ScheduleState::startRun(OpId op, int32_t stage) {
  if (hasRun(op, stage))
    return;
  insertRun(op, stage);
  for (ValueId input : g.inputs[op]) {
    addUse(input, stage, 1);
    pending.push_back(input);
  }
}

void ScheduleState::ensure(ValueId v, int32_t stage, int32_t freeFrom,
                           EvictOptions &options) {
  ++workDone;
  int32_t covering = find(v, stage);
  if (covering >= 0)
    return;
  int32_t k = -1 - covering;
  const Interval before = lives[v][k];
  const OpId op = g.producer[v];
  const int64_t bytes = g.bytes[v];
  const bool hasNext = k + 1 < static_cast<int32_t>(lives[v].size());
  auto keep = [&] {
    if (hasNext)
      merge(v, k);
    else
      setInterval(v, k, {before.start, stage});
  };
  // Made by a run that is here anyhow?
  if (g.firstResult[op + 1] - g.firstResult[op] > 1 && hasRun(op, stage)) {
    insertInterval(v, k + 1, {stage, stage});
    return;
  }
  if (bytes == 0 || memory.max(before.end, stage) <= limit - bytes) {
    if (hasNext && (bytes == 0 ||
                    memory.max(stage, lives[v][k + 1].start) <= limit - bytes))
      merge(v, k);
    else
      setInterval(v, k, {before.start, stage});
    return;
  }
  if (!g.recomputable[op])
    return keep();
  if (hasNext && !(options.dice && options.dice->chance(options.ignore / 3))) {
    Interval next = lives[v][k + 1];
    if (memory.max(stage, next.start - 1) <= limit - bytes) {
      // Pull the next recomputation forward.
      setInterval(v, k + 1, {stage, next.end});
      startRun(op, stage);
      dropRunIfIdle(op, next.start);
      return;
    }
  }
  if (options.credit > 0 &&
      canExtend(v, before.end, freeFrom, options.credit) &&
      !(options.dice && options.dice->chance(options.ignore))) {
    options.credit -= bytes;
    setInterval(v, k, {before.start, stage});
    return;
  }
  if (options.keep && (*options.keep)[v])
    return keep();
  insertInterval(v, k + 1, {stage, stage});
  startRun(op, stage);
}

void ScheduleState::ensurePending(int32_t stage, int32_t freeFrom,
                                  EvictOptions options) {
  while (!pending.empty()) {
    ValueId v = pending.back();
    pending.pop_back();
    ensure(v, stage, freeFrom, options);
  }
}

bool ScheduleState::evict(ValueId v, int32_t from, int32_t to,
                          const EvictOptions &options) {
  int32_t k = find(v, to);
  if (k < 0 || g.pinned(v))
    return false;
  Interval old = lives[v][k];
  if (old.start > from || to <= from)
    return false;
  setInterval(v, k, {old.start, from});
  insertInterval(v, k + 1, {to, old.end});
  startRun(g.producer[v], to);
  ensurePending(to, from, options);
  trim();
  return true;
}

void ScheduleState::merge(ValueId v, int32_t k) {
  Interval first = lives[v][k], second = lives[v][k + 1];
  eraseInterval(v, k + 1);
  setInterval(v, k, {first.start, second.end});
  dropRunIfIdle(g.producer[v], second.start);
}

void ScheduleState::mergeAll(ValueId v) {
  while (lives[v].size() > 1)
    merge(v, static_cast<int32_t>(lives[v].size()) - 2);
  trim();
}

bool ScheduleState::tryDropRun(OpId op, int32_t stage) {
  int32_t earliest = stage;
  for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v) {
    int32_t k = find(v, stage);
    if (k < 1 || lives[v][k].start != stage)
      continue;
    int32_t end = lives[v][k - 1].end;
    if (end + 1 <= stage - 1 &&
        memory.max(end + 1, stage - 1) > limit - g.bytes[v])
      return false;
    earliest = std::min(earliest, end);
  }
  if (earliest == stage)
    return false;
  bool wasLogging = logging;
  logging = true;
  size_t start = mark();
  for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v) {
    int32_t k = find(v, stage);
    if (k >= 1 && lives[v][k].start == stage)
      merge(v, k - 1);
  }
  trim();
  flush();
  bool ok = memory.max(earliest, stage) <= limit;
  if (!ok)
    rollback(start);
  setLogging(wasLogging);
  return ok;
}

//===----------------------------------------------------------------------===//
// Estimates
//===----------------------------------------------------------------------===//

ScheduleState::Estimate ScheduleState::estimate(ValueId v, int32_t from,
                                                int32_t to, int64_t credit) {
  ++seenStamp;
  double cost = 0;
  int32_t looked = 0;
  auto pushInputs = [&](OpId op) {
    if (hasRun(op, to))
      return;
    cost += static_cast<double>(g.time[op]);
    for (ValueId input : g.inputs[op])
      if (seen[input] != seenStamp) {
        seen[input] = seenStamp;
        pending.push_back(input);
      }
  };
  pushInputs(g.producer[v]);
  while (!pending.empty()) {
    ValueId input = pending.back();
    pending.pop_back();
    int32_t covering = find(input, to);
    if (covering >= 0 || g.bytes[input] == 0)
      continue;
    OpId op = g.producer[input];
    int32_t k = -1 - covering;
    bool hasNext = k + 1 < static_cast<int32_t>(lives[input].size());
    ++workDone;
    if (++looked > estimateLimit ||
        (!g.recomputable[op] && !hasNext &&
         memory.max(lives[input][k].end, to) > limit - g.bytes[input])) {
      pending.clear();
      return {kHopeless, 0};
    }
    if (!g.recomputable[op])
      continue;
    if (!hasNext && credit > 0 &&
        canExtend(input, lives[input][k].end, from, credit)) {
      credit -= g.bytes[input];
      continue;
    }
    double before = cost;
    pushInputs(op);
    // A later recomputation will be pulled forward: its inputs matter only.
    if (hasNext)
      cost = before;
  }
  return {cost, credit};
}

int32_t ScheduleState::earlyStage(ValueId v, int32_t from, int32_t to) const {
  int32_t stage = to;
  for (ValueId input : g.inputs[g.producer[v]]) {
    int32_t covering = find(input, to);
    if (covering >= 0)
      continue;
    int32_t end = lives[input][-1 - covering].end;
    if (end <= from)
      return -1;
    stage = std::min(stage, end);
  }
  return stage < to ? stage : -1;
}

} // namespace ckpt::planner
