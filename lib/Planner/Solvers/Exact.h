//===- Exact.h - Complete search, for solvers to use ------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SOLVERS_EXACT_H
#define CKPT_LIB_PLANNER_SOLVERS_EXACT_H

#include "Effort.h"
#include "Graph.h"
#include "Solvers/OpMasks.h"
#include "ckpt/Planner/Solvers.h"

#include <memory>

namespace ckpt::planner {

/// States where nothing else limits the search: some seconds, some 100 bytes
/// each.
int64_t defaultStates(const Problem &problem);

struct ExactLimits {
  /// Only plans that cost less are of interest. A search that goes on must not
  /// get a higher limit than before.
  int64_t costLimit = INT64_MAX;
  /// In all, those of earlier runs of the search included.
  int64_t maxStates = INT64_MAX;
  Deadline deadline;
};

struct ExactOutcome {
  /// The search saw everything that costs less than the limit.
  bool complete = false;
  bool found = false;
  std::vector<OpId> runs;
  /// No plan costs less than this; `costLimit` where nothing below it is left.
  int64_t bound = 0;
  int64_t states = 0;
};

/// May a problem of this size be searched?
bool exactTakes(const Problem &problem);

/// A complete search that can go on where it stopped.
class ExactSearch {
public:
  virtual ~ExactSearch() = default;
  /// Goes on within `limits`, and for about `states` states. Returns all that
  /// is known by then.
  virtual const ExactOutcome &run(const ExactLimits &limits,
                                  int64_t states = INT64_MAX) = 0;
};

/// Over the values that are in memory, from nothing to the outputs: good where
/// it is decided early what is stored. Its estimate knows what must certainly
/// run again.
std::unique_ptr<ExactSearch> makeForwardSearch(const Graph &g,
                                               const Options &options);

/// The same for a graph of sets of one word, from where ops `done` ran and
/// values `live` are in memory.
std::unique_ptr<ExactSearch> makeForwardSearch(const Graph &g,
                                               const Options &options,
                                               SmallMask done, SmallMask live);

/// Over the values that must be in memory for what comes later, from the
/// outputs to nothing: needs no choice of what to give up. Good where there is
/// little room. With `anyPlan`, a plan of whatever time will do, and is found
/// much sooner; there must be no limit of cost.
std::unique_ptr<ExactSearch> makeBackwardSearch(const Graph &g,
                                                const Options &options,
                                                bool anyPlan = false);

/// Both in turn, for nobody knows which comes to its end first.
class TwoWaySearch {
public:
  TwoWaySearch(const Problem &problem, const Options &options);
  ExactOutcome run(const ExactLimits &limits);

private:
  const Graph g;
  const std::unique_ptr<ExactSearch> backward, forward;
  ExactOutcome known;
};

/// Any plan, of whatever time, or that there is none.
ExactOutcome searchAnyPlan(const Problem &problem, const Options &options,
                           const ExactLimits &limits);

/// Solver auto without its complete search.
Result solveHeuristically(const Problem &problem, const Options &options);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SOLVERS_EXACT_H
