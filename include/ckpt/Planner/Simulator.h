//===- Simulator.h - The judge of plans -------------------------*- C++ -*-===//
#ifndef CKPT_PLANNER_SIMULATOR_H
#define CKPT_PLANNER_SIMULATOR_H

#include "ckpt/Planner/Plan.h"

#include <limits>

namespace ckpt::planner {

/// What replaying a plan shows.
struct Simulation {
  bool valid = false;
  /// Why it is not, with the event and the op; empty when valid.
  std::string error;
  /// Most bytes in memory at once, without the problem's fixed bytes.
  int64_t peak = 0;
  /// The event at which the peak occurs.
  int64_t peakEvent = -1;
  /// Sum of the times of all runs.
  int64_t time = 0;
  /// Runs beyond the first of each op.
  int64_t recomputations = 0;
};

/// Replays `plan`. The only judge of validity, peak and time: nothing else in
/// this library may claim them. Valid means: every op runs, ops that are not
/// recomputable run once, inputs are in memory when they are read, effects and
/// unmovable ops keep their order, outputs are in memory at the end, only live
/// values are freed and none that must stay, no op runs all of whose results
/// are in memory, and no more than `budget` bytes are in memory at once.
/// O(events x inputs).
Simulation simulate(const Problem &problem, const Plan &plan,
                    int64_t budget = std::numeric_limits<int64_t>::max());

/// The peak of storing everything in program order, each value freed after its
/// last use: what percentages of a budget refer to.
int64_t storeAllPeak(const Problem &problem);

} // namespace ckpt::planner

#endif // CKPT_PLANNER_SIMULATOR_H
