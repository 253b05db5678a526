//===- SectionTest.cpp - Parts of schedules as problems -------------------===//
#include "Solvers/Section.h"
#include "Samples.h"
#include "Solvers/Exact.h"
#include "Solvers/SectionSearch.h"

#include "gtest/gtest.h"

using namespace ckpt::planner;
using namespace ckpt::planner::test;

namespace {
/// A random problem and the runs of a plan that is hardly ever the best one.
struct Schedule {
  Sample sample;
  Options options;
  std::vector<OpId> runs;
  int64_t time = 0;
};
} // namespace

/// Calls `fn` with `count` schedules of at most `maxOps` ops.
template <typename Fn>
static void forEachSchedule(unsigned count, int maxOps, Fn fn) {
  const unsigned end = 100 * count;
  for (unsigned seed = 0; count > 0 && seed < end; ++seed) {
    Schedule schedule{sample(80'000 + seed, maxOps), {}, {}, 0};
    const Problem &problem = schedule.sample.problem;
    for (const char *solver : {"all", "greedy"}) {
      schedule.options =
          optionsFor(solver, schedule.sample.budget, schedule.sample.order);
      const Result result = solve(problem, schedule.options);
      if (!result.solved() || result.recomputations == 0)
        continue;
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + solver + "\n" +
                   schedule.sample.text());
      schedule.runs = result.plan.runs();
      schedule.time = result.time;
      fn(schedule);
      --count;
      break;
    }
  }
  ASSERT_EQ(count, 0u);
}

static std::vector<OpId> withSection(const std::vector<OpId> &runs,
                                     const Section &section,
                                     const ExactOutcome &outcome) {
  std::vector<OpId> result(runs.begin(), runs.begin() + section.begin);
  for (OpId op : outcome.runs)
    result.push_back(section.ops[op]);
  result.insert(result.end(), runs.begin() + section.end, runs.end());
  return result;
}

/// The best plan of a section takes no more time than the runs of it, and the
/// schedule with the one instead of the other is a plan within the budget that
/// takes so much less.
TEST(Section, FitsIntoItsSchedule) {
  int better = 0, shorter = 0, lost = 0;
  forEachSchedule(300, 30, [&](const Schedule &schedule) {
    const Problem &problem = schedule.sample.problem;
    const Graph g = Graph::build(problem);
    const SectionCutter cutter(g, schedule.options.budget, schedule.runs);
    for (int32_t numOps : {5, 12, 56})
      for (int32_t begin = 0; begin < cutter.numRuns(); begin += numOps / 3) {
        const std::optional<Section> section = cutter.cut(begin, numOps);
        if (!section)
          continue;
        ASSERT_EQ(section->problem.check(), "");
        Options options = schedule.options;
        options.budget = section->budget;
        const Graph part = Graph::build(section->problem);
        ExactLimits limits;
        limits.maxStates = 5000;
        limits.costLimit = section->time + 1;
        const ExactOutcome outcome =
            makeForwardSearch(part, options, section->done, section->live)
                ->run(limits);
        if (!outcome.complete)
          continue;
        // See Section: buffers that must not be taken over.
        lost += !outcome.found;
        if (!outcome.found)
          continue;
        const Simulation simulation =
            simulate(problem,
                     planFromRuns(problem, withSection(schedule.runs, *section,
                                                       outcome)),
                     schedule.options.budget);
        EXPECT_TRUE(simulation.valid) << simulation.error;
        EXPECT_EQ(simulation.time,
                  schedule.time - section->time + outcome.bound);
        better += outcome.bound < section->time;
        shorter += section->begin > 0 && section->end < cutter.numRuns();
      }
  });
  EXPECT_GT(better, 500);
  EXPECT_GT(shorter, 5000);
  EXPECT_LT(lost, 5);
}

/// A section of all runs is as good as the whole problem.
TEST(Section, OfAllRunsIsTheWholeProblem) {
  forEachSchedule(100, 10, [&](const Schedule &schedule) {
    const Graph g = Graph::build(schedule.sample.problem);
    const SectionCutter cutter(g, schedule.options.budget, schedule.runs);
    const std::optional<Section> section = cutter.cut(0, 56);
    ASSERT_TRUE(section);
    EXPECT_EQ(section->begin, 0);
    EXPECT_EQ(section->end, cutter.numRuns());
    EXPECT_EQ(section->time, schedule.time);
    EXPECT_EQ(section->budget, schedule.options.budget);
    EXPECT_EQ(section->done | section->live, Section::Mask(0));
    const Graph part = Graph::build(section->problem);
    const ExactOutcome whole = makeForwardSearch(g, schedule.options)->run({});
    const ExactOutcome outcome =
        makeForwardSearch(part, schedule.options, 0, 0)->run({});
    EXPECT_EQ(outcome.bound, whole.bound);
  });
}

/// Finds the best plan where one section holds all, stays within its limits,
/// and does nothing the second time.
TEST(SectionSearch, ImprovesSchedules) {
  int better = 0;
  forEachSchedule(100, 12, [&](const Schedule &schedule) {
    const Problem &problem = schedule.sample.problem;
    Random random(1);
    SectionSearch search(problem, schedule.options, random);
    LocalSearchResult found{0, schedule.time, schedule.runs, 0};
    SectionSearchOptions how;
    how.maxStates = 0;
    search.improve(found, how);
    EXPECT_EQ(found.runs, schedule.runs);
    how.maxStates = INT64_MAX;
    how.goodEnough = schedule.time;
    search.improve(found, how);
    EXPECT_EQ(found.runs, schedule.runs);
    how.goodEnough = -1;
    search.improve(found, how);
    const Simulation simulation = simulate(
        problem, planFromRuns(problem, found.runs), schedule.options.budget);
    EXPECT_TRUE(simulation.valid) << simulation.error;
    EXPECT_EQ(simulation.time, static_cast<int64_t>(found.cost));
    const ExactOutcome best =
        makeForwardSearch(Graph::build(problem), schedule.options)->run({});
    EXPECT_EQ(simulation.time, best.bound);
    better += found.cost < schedule.time;
    LocalSearchResult again = found;
    search.improve(again, how);
    EXPECT_EQ(again.runs, found.runs);
    EXPECT_EQ(again.moves, found.moves);
  });
  EXPECT_GT(better, 50);
}

/// What touches no change is not searched again, and what does is: the result
/// is one that a search from the beginning cannot improve.
TEST(SectionSearch, SearchesWhatAChangeTouches) {
  int better = 0;
  forEachSchedule(12, 150, [&](const Schedule &schedule) {
    const Problem &problem = schedule.sample.problem;
    Random random(1);
    LocalSearchResult found{0, schedule.time, schedule.runs, 0};
    SectionSearch(problem, schedule.options, random).improve(found, {});
    better += found.cost < schedule.time;
    LocalSearchResult again = found;
    SectionSearch(problem, schedule.options, random).improve(again, {});
    EXPECT_EQ(again.cost, found.cost);
  });
  EXPECT_GT(better, 5);
}
