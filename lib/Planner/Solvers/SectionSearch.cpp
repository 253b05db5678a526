//===- SectionSearch.cpp - Sections of a schedule planned anew ------------===//
#include "Solvers/SectionSearch.h"

#include "Solvers/Exact.h"
#include "ckpt/Planner/Simulator.h"

#include <algorithm>

namespace ckpt::planner {

SectionSearch::SectionSearch(const Problem &problem, const Options &options,
                             Random &random)
    : problem(problem), options(options), random(random),
      g(Graph::build(problem)) {}

void SectionSearch::begin(const std::vector<OpId> &newRuns) {
  runs = newRuns;
  searched.clear();
  waiting.clear();
  // Longer ones may change more at once, shorter ones have more room for ops
  // that may run again, and are searched sooner.
  for (int32_t numOps : {56, 40})
    for (int32_t first = 0; first < static_cast<int32_t>(runs.size());
         first += numOps / 6)
      waiting.push_back({first, first, numOps});
  for (size_t i = waiting.size(); i > 1; --i)
    std::swap(waiting[i - 1], waiting[random.below(static_cast<int32_t>(i))]);
}

void SectionSearch::improve(LocalSearchResult &schedule,
                            const SectionSearchOptions &how) {
  if (schedule.runs != runs)
    begin(schedule.runs);
  std::optional<SectionCutter> cutter;
  int64_t states = 0;
  while (!waiting.empty() && states < how.maxStates &&
         schedule.cost > how.goodEnough && !how.deadline.passed()) {
    const Place place = waiting.back();
    waiting.pop_back();
    if (!cutter)
      cutter.emplace(g, options.budget, runs);
    states += kStatesToCut;
    const std::optional<Section> section =
        cutter->cut(place.begin, place.numOps);
    if (!section)
      continue;
    std::vector<OpId> better =
        search(*section, how, how.maxStates - states, states);
    const Simulation judged =
        better.empty()
            ? Simulation()
            : simulate(problem, planFromRuns(problem, better), options.budget);
    if (judged.valid && judged.time < schedule.cost) {
      replace(*section, std::move(better));
      schedule.cost = judged.time;
      waiting.push_back({section->begin, section->begin, place.numOps});
      cutter.reset();
    } else {
      searched.push_back({section->begin, section->end, place.numOps});
    }
  }
  schedule.runs = runs;
  schedule.moves += states / kStatesPerMove;
}

/// The runs of the whole schedule with better ones in the section; none if
/// there are none or were not found.
std::vector<OpId> SectionSearch::search(const Section &section,
                                        const SectionSearchOptions &how,
                                        int64_t maxStates,
                                        int64_t &states) const {
  Options partOptions = options;
  partOptions.budget = section.budget;
  const Graph part = Graph::build(section.problem);
  ExactLimits limits;
  limits.costLimit = section.time;
  limits.maxStates = std::min(maxStates, kMostStates);
  limits.deadline = how.deadline;
  const ExactOutcome outcome =
      makeForwardSearch(part, partOptions, section.done, section.live)
          ->run(limits);
  states += outcome.states;
  std::vector<OpId> result;
  if (!outcome.found)
    return result;
  result.assign(runs.begin(), runs.begin() + section.begin);
  for (OpId op : outcome.runs)
    result.push_back(section.ops[op]);
  result.insert(result.end(), runs.begin() + section.end, runs.end());
  return result;
}

/// Sections beside the one that changed are what they were, at other places.
void SectionSearch::replace(const Section &section, std::vector<OpId> newRuns) {
  const auto grown =
      static_cast<int32_t>(newRuns.size()) - static_cast<int32_t>(runs.size());
  auto move = [&](Place &place) {
    if (place.begin < section.end)
      return;
    place.begin += grown;
    place.end += grown;
  };
  const auto firstTouched =
      std::partition(searched.begin(), searched.end(), [&](const Place &place) {
        return place.end <= section.begin || place.begin >= section.end;
      });
  waiting.insert(waiting.end(), firstTouched, searched.end());
  searched.erase(firstTouched, searched.end());
  std::for_each(searched.begin(), searched.end(), move);
  std::for_each(waiting.begin(), waiting.end(), move);
  runs = std::move(newRuns);
}

} // namespace ckpt::planner
