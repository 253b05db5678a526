//===- Construct.cpp - Schedules from sets of stored values ---------------===//
#include "Search/Construct.h"

#include <algorithm>
#include <cmath>
#include <deque>

namespace ckpt::planner {

bool evictAcross(ScheduleState &state, int32_t stage,
                 const std::vector<char> &stored, __int128 costLimit,
                 const Deadline &deadline) {
  const Graph &g = state.graph();
  ScheduleState::EvictOptions options;
  options.keep = &stored;
  ValueId end = stage < g.numOps ? g.firstResult[stage] : g.numValues;
  for (ValueId v = end - 1; v >= 0; --v) {
    if (stored[v])
      continue;
    if (const ScheduleState::Gap gap = state.gapAcross(v, stage))
      state.evict(v, gap.from, gap.to, options);
    if (state.cost() > costLimit || (v % 256 == 0 && deadline.passed()))
      return false;
  }
  state.flush();
  return true;
}

__int128 hopelessCost(const Graph &g, __int128 known) {
  // On small graphs it costs little to be patient.
  const int32_t fifths = g.numOps <= 1000 ? 20 : 8;
  return g.totalTime + (known - g.totalTime) * fifths / 5 + 1;
}

/// Last op before `stage` that reads `v`; -1: none.
static OpId lastUserBefore(const Graph &g, ValueId v, int32_t stage) {
  Rows::Range users = g.users[v];
  const int32_t *it = std::lower_bound(users.begin(), users.end(), stage);
  return it == users.begin() ? -1 : it[-1];
}

static bool usedFrom(const Graph &g, ValueId v, int32_t stage) {
  return g.output[v] || (!g.users[v].empty() && g.users[v].back() >= stage);
}

/// Bytes that cross each position p in 0..stage: made before p, read by an op
/// in p..stage-1.
static std::vector<int64_t> crossingBytes(const Graph &g, int32_t stage) {
  std::vector<int64_t> bytes(stage + 2, 0);
  for (OpId op = 0; op < stage; ++op)
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
      if (OpId last = lastUserBefore(g, v, stage); last > op) {
        bytes[op + 1] += g.bytes[v];
        bytes[last + 1] -= g.bytes[v];
      }
  for (int32_t p = 1; p <= stage; ++p)
    bytes[p] += bytes[p - 1];
  return bytes;
}

std::vector<NarrowCut> narrowCuts(const Graph &g, int32_t stage) {
  std::vector<int64_t> bytes = crossingBytes(g, stage);
  const int32_t window =
      std::max<int32_t>(2, static_cast<int32_t>(std::sqrt(stage) / 2));
  std::vector<NarrowCut> cuts;
  // Positions within the window in order of increasing bytes: the first one is
  // the minimum.
  std::deque<int32_t> minima;
  int32_t entered = 1;
  for (int32_t p = 1; p < stage; ++p) {
    for (; entered <= std::min(stage - 1, p + window); ++entered) {
      while (!minima.empty() && bytes[minima.back()] > bytes[entered])
        minima.pop_back();
      minima.push_back(entered);
    }
    while (minima.front() < p - window)
      minima.pop_front();
    if (bytes[p] <= bytes[minima.front()])
      cuts.push_back({p, bytes[p]});
  }
  return cuts;
}

std::vector<char> crossingValues(const Graph &g, int32_t stage,
                                 const std::vector<OpId> &positions) {
  std::vector<char> crosses(g.numValues, false);
  for (OpId op = 0; op < stage; ++op)
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v) {
      // The first position after the producer.
      auto it = std::upper_bound(positions.begin(), positions.end(), op);
      crosses[v] = it != positions.end() && lastUserBefore(g, v, stage) >= *it;
    }
  return crosses;
}

/// Cuts the ops before `stage` where a segment has as many bytes of values
/// needed after it as `mostBytes` allows, given the bytes that cross the
/// positions so far.
template <typename Fn>
static std::vector<OpId> cutSegments(const Graph &g, int32_t stage,
                                     Fn mostBytes) {
  std::vector<int64_t> crossing = crossingBytes(g, stage);
  auto neededBytes = [&](OpId op) {
    int64_t bytes = 0;
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
      if (usedFrom(g, v, stage))
        bytes += g.bytes[v];
    return static_cast<double>(bytes);
  };
  std::vector<OpId> positions;
  double inSegment = 0, crossed = 0;
  int32_t last = 0;
  for (int32_t p = 1; p < stage; ++p) {
    inSegment += neededBytes(p - 1);
    if (inSegment < mostBytes(crossed))
      continue;
    int32_t best = p;
    for (int32_t q = std::max(1, last + (p - last) / 2 + 1); q <= p; ++q)
      if (crossing[q] < crossing[best])
        best = q;
    positions.push_back(best);
    crossed += static_cast<double>(crossing[best]);
    inSegment = 0;
    for (int32_t q = best; q < p; ++q)
      inSegment += neededBytes(q);
    last = best;
  }
  return positions;
}

std::vector<OpId> segmentPositions(const Graph &g, int32_t stage,
                                   double bytesPerSegment) {
  return cutSegments(g, stage, [&](double) { return bytesPerSegment; });
}

std::vector<OpId> shrinkingSegmentPositions(const Graph &g, int32_t stage,
                                            double room) {
  return cutSegments(g, stage, [&](double crossed) {
    // Where nothing is left, ever smaller segments would not help.
    return std::max(room - crossed, room / 16);
  });
}

std::vector<char> mixCuts(const Graph &g, const MomentCut &under,
                          const MomentCut &over, int64_t room, bool fromLast) {
  std::vector<char> stored = under.stored;
  room -= under.storedBytes;
  for (ValueId i = 0; i < g.numValues; ++i) {
    ValueId v = fromLast ? g.numValues - 1 - i : i;
    int64_t more =
        (over.stored[v] ? g.bytes[v] : 0) - (under.stored[v] ? g.bytes[v] : 0);
    if (more > room)
      break;
    room -= more;
    stored[v] = over.stored[v];
  }
  return stored;
}

} // namespace ckpt::planner
