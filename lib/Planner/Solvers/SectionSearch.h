//===- SectionSearch.h - Sections of a schedule planned anew ----*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SOLVERS_SECTIONSEARCH_H
#define CKPT_LIB_PLANNER_SOLVERS_SECTIONSEARCH_H

#include "Search/LocalSearch.h"
#include "Solvers/Section.h"
#include "ckpt/Planner/Solvers.h"

namespace ckpt::planner {

struct SectionSearchOptions {
  /// States of the complete searches together, and of each section what it
  /// takes to make it.
  int64_t maxStates = INT64_MAX;
  Deadline deadline;
  /// Stop as soon as the cost is not above this (a proven bound).
  __int128 goodEnough = -1;
};

/// Plans sections of a schedule anew, by complete search for something that
/// takes less time: much may change at once that local search would have to
/// change step by step. Sections of some thirty runs overlap by most of their
/// length. After a change, those that it touches are searched again. What is
/// found may depend on the order, which is random.
class SectionSearch {
public:
  /// For the budget and the order of the options; all must outlive this.
  SectionSearch(const Problem &problem, const Options &options, Random &random);

  /// Improves a schedule that fits. Goes on where it stopped if that is the one
  /// that it left. Adds the states seen to the moves, a hundred as one.
  void improve(LocalSearchResult &schedule, const SectionSearchOptions &how);

  static constexpr int64_t kStatesPerMove = 100;

private:
  /// A section, or from where on it was not yet cut.
  struct Place {
    int32_t begin, end, numOps;
  };
  /// Of one section; few need more.
  static constexpr int64_t kMostStates = 5000;
  static constexpr int64_t kStatesToCut = 100;

  const Problem &problem;
  const Options &options;
  Random &random;
  const Graph g;
  /// The schedule, and where it is to be searched and was.
  std::vector<OpId> runs;
  std::vector<Place> waiting, searched;

  void begin(const std::vector<OpId> &newRuns);
  std::vector<OpId> search(const Section &section,
                           const SectionSearchOptions &how, int64_t maxStates,
                           int64_t &states) const;
  void replace(const Section &section, std::vector<OpId> newRuns);
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SOLVERS_SECTIONSEARCH_H
