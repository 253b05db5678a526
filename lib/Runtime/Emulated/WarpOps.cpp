//===- WarpOps.cpp - Operations of the lanes of a warp on each other ------===//
//
// PTX ISA 8.7, sections 9.7.9.6 (shfl.sync), 9.7.13.9 (vote.sync), 9.7.13.10
// (match.sync) and 9.7.13.12 (redux.sync).
//
//===----------------------------------------------------------------------===//

#include "BlockRunner.h"
#include "RuntimeSymbols.h"

#include <cstring>

using namespace ckpt::emulated;

/// What reading from a lane that takes no part gives.
static constexpr uint32_t undefinedValue = 0xFFFFFFFF;

static Thread &threadOf(ThreadState *state) {
  return *static_cast<Thread *>(state);
}

/// Calls `visit(lane)` for each lane in `active`.
template <typename Visit>
static void forEachLane(uint32_t active, Visit visit) {
  for (uint32_t lane = 0; lane < warpSize; ++lane)
    if (active >> lane & 1)
      visit(lane);
}

void ckpt_emu_warp_sync(ThreadState *state, uint32_t mask) {
  Thread &thread = threadOf(state);
  thread.block->runner->meet(thread, mask, [](Thread *, uint32_t) {});
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// in: mode, value, lane operand, clamp operand; out: value, in range.
static void shuffle(Thread *lanes, uint32_t active) {
  forEachLane(active, [&](uint32_t lane) {
    Thread &thread = lanes[lane];
    const int32_t operand = int32_t(thread.in[2] & 0x1F);
    const uint32_t clamp = thread.in[3] & 0x1F;
    const uint32_t segment = thread.in[3] >> 8 & 0x1F;
    const int32_t maxLane = int32_t((lane & segment) | (clamp & ~segment));
    const int32_t minLane = int32_t(lane & segment);
    int32_t source = 0;
    bool inRange = false;
    switch (thread.in[0]) {
    case ShuffleUp:
      source = int32_t(lane) - operand;
      inRange = source >= maxLane;
      break;
    case ShuffleDown:
      source = int32_t(lane) + operand;
      inRange = source <= maxLane;
      break;
    case ShuffleBfly:
      source = int32_t(lane) ^ operand;
      inRange = source <= maxLane;
      break;
    default:
      source = minLane | (operand & ~int32_t(segment));
      inRange = source <= maxLane;
      break;
    }
    if (!inRange)
      source = int32_t(lane);
    thread.out[0] = active >> source & 1 ? lanes[source].in[1] : undefinedValue;
    thread.out[1] = inRange;
  });
}

uint64_t ckpt_emu_shuffle(ThreadState *state, uint32_t mode, uint32_t mask,
                          uint32_t value, uint32_t lane, uint32_t clamp) {
  Thread &thread = threadOf(state);
  thread.in[0] = mode;
  thread.in[1] = value;
  thread.in[2] = lane;
  thread.in[3] = clamp;
  thread.block->runner->meet(thread, mask, shuffle);
  return uint64_t(thread.out[1]) << 32 | thread.out[0];
}

//===----------------------------------------------------------------------===//
// Votes, matches, reductions
//===----------------------------------------------------------------------===//

/// in: predicate; out: the lanes whose predicate holds, all lanes.
static void ballot(Thread *lanes, uint32_t active) {
  uint32_t set = 0;
  forEachLane(active, [&](uint32_t lane) {
    set |= uint32_t(lanes[lane].in[0] != 0) << lane;
  });
  forEachLane(active, [&](uint32_t lane) {
    lanes[lane].out[0] = set;
    lanes[lane].out[1] = active;
  });
}

uint32_t ckpt_emu_vote(ThreadState *state, uint32_t mode, uint32_t mask,
                       uint32_t predicate) {
  Thread &thread = threadOf(state);
  thread.in[0] = predicate;
  thread.block->runner->meet(thread, mask, ballot);
  const uint32_t set = thread.out[0];
  const uint32_t all = thread.out[1];
  switch (mode) {
  case VoteAll:
    return set == all;
  case VoteAny:
    return set != 0;
  case VoteUni:
    return set == 0 || set == all;
  default:
    return set;
  }
}

/// in: low half, high half; out: lanes with an equal value, all lanes.
static void match(Thread *lanes, uint32_t active) {
  forEachLane(active, [&](uint32_t lane) {
    uint32_t equal = 0;
    forEachLane(active, [&](uint32_t other) {
      equal |= uint32_t(lanes[other].in[0] == lanes[lane].in[0] &&
                        lanes[other].in[1] == lanes[lane].in[1])
               << other;
    });
    lanes[lane].out[0] = equal;
    lanes[lane].out[1] = active;
  });
}

uint32_t ckpt_emu_match(ThreadState *state, uint32_t mode, uint32_t mask,
                        uint64_t value) {
  Thread &thread = threadOf(state);
  thread.in[0] = uint32_t(value);
  thread.in[1] = uint32_t(value >> 32);
  thread.block->runner->meet(thread, mask, match);
  if (mode == MatchAll)
    return thread.out[0] == thread.out[1] ? thread.out[1] : 0;
  return thread.out[0];
}

static uint32_t combine(uint32_t mode, uint32_t a, uint32_t b) {
  switch (mode) {
  case ReduxAdd:
    return a + b;
  case ReduxMin:
    return int32_t(a) < int32_t(b) ? a : b;
  case ReduxMax:
    return int32_t(a) > int32_t(b) ? a : b;
  case ReduxUMin:
    return a < b ? a : b;
  case ReduxUMax:
    return a > b ? a : b;
  case ReduxAnd:
    return a & b;
  case ReduxOr:
    return a | b;
  default:
    return a ^ b;
  }
}

/// in: mode, value; out: the reduction.
static void reduce(Thread *lanes, uint32_t active) {
  bool first = true;
  uint32_t result = 0;
  forEachLane(active, [&](uint32_t lane) {
    const uint32_t *in = lanes[lane].in;
    result = first ? in[1] : combine(in[0], result, in[1]);
    first = false;
  });
  forEachLane(active, [&](uint32_t lane) { lanes[lane].out[0] = result; });
}

uint32_t ckpt_emu_redux(ThreadState *state, uint32_t mode, uint32_t mask,
                        uint32_t value) {
  Thread &thread = threadOf(state);
  thread.in[0] = mode;
  thread.in[1] = value;
  thread.block->runner->meet(thread, mask, reduce);
  return thread.out[0];
}
