//===- SearchTest.cpp - Linear programs, windows, searches ----------------===//
#include "Bounds/WindowModel.h"
#include "RandomProblems.h"
#include "Search/Construct.h"
#include "Search/OrderSearch.h"
#include "Search/Repair.h"
#include "Search/Squeeze.h"

#include "gtest/gtest.h"

using namespace ckpt::planner;
using namespace ckpt::planner::test;

static WindowGrid gridOf(std::vector<OpId> moments) {
  WindowGrid grid;
  grid.moments = std::move(moments);
  grid.granularities = {0};
  const int32_t count = static_cast<int32_t>(grid.moments.size());
  for (int32_t first = 0; first < count; ++first)
    for (int32_t last = first + 1; last <= count; ++last)
      grid.windows.push_back({first, last});
  return grid;
}

//===----------------------------------------------------------------------===//
// Linear programs
//===----------------------------------------------------------------------===//

/// x + 3 y + z with x + y >= 1, y + z >= 1, x <= 0.3: y = 0.7, z = 0.3.
TEST(LinearProgram, SolvesByHand) {
  LinearProgram program;
  int32_t x = program.addColumn(1, 0, 0.3);
  int32_t y = program.addColumn(3, 0, 1);
  int32_t z = program.addColumn(1, 0, 1);
  program.add(x, 1);
  program.add(y, 1);
  program.closeRow(1);
  program.add(y, 1);
  program.add(z, 1);
  program.closeRow(1);
  PrimalDual solver(program);
  PrimalDual::Point point;
  double bound =
      solver.run(point, program.lower, program.upper, 2000, /*target=*/1e300);
  EXPECT_NEAR(bound, 2.7, 1e-4);
  EXPECT_LE(bound, 2.7 + 1e-12);
  EXPECT_NEAR(point.primal[x], 0.3, 1e-3);
  EXPECT_NEAR(point.primal[y], 0.7, 1e-3);
  EXPECT_NEAR(point.primal[z], 0.3, 1e-3);

  // With y at 1, x and z may be 0.
  std::vector<double> lower = program.lower;
  lower[y] = 1;
  EXPECT_NEAR(solver.run(point, lower, program.upper, 2000, 1e300), 3.0, 1e-4);
  // It stops at the target.
  PrimalDual::Point fresh;
  EXPECT_GE(solver.run(fresh, program.lower, program.upper, 2000, 1.5), 1.5);
}

/// Branch and bound goes on from a point after a bound of one column changed:
/// some steps from there prove more than the same number from nothing.
TEST(LinearProgram, WarmStartsHelp) {
  int tried = 0, better = 0, worse = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    Problem problem = trainingStep(6, 2, seed);
    Graph g = Graph::build(problem);
    MomentModel model(g, Order::Program);
    WindowModel windows(g, model, storeAllPeak(problem) * 6 / 10,
                        gridOf({g.numOps / 2, g.numOps * 2 / 3}));
    if (windows.infeasible())
      continue;
    const LinearProgram &program = windows.program();
    PrimalDual solver(program);
    PrimalDual::Point solved;
    solver.run(solved, program.lower, program.upper, 4000, 1e300);
    for (const WindowModel::Question &question : windows.questions()) {
      const double x = solved.primal[question.column];
      if (std::min(x, 1 - x) < 0.1)
        continue;
      std::vector<double> upper = program.upper;
      upper[question.column] = 0;
      PrimalDual::Point warm = solved, cold;
      double fromWarm = solver.run(warm, program.lower, upper, 40, 1e300);
      double fromCold = solver.run(cold, program.lower, upper, 40, 1e300);
      ++tried;
      better += fromWarm > fromCold;
      worse += fromWarm < fromCold;
    }
  }
  EXPECT_GT(tried, 20);
  EXPECT_GT(better, 4 * worse);
}

/// Rows that cannot hold: the dual bound grows beyond everything.
TEST(LinearProgram, InfeasibleGrows) {
  LinearProgram program;
  int32_t x = program.addColumn(1, 0, 1);
  program.add(x, 1);
  program.closeRow(2);
  PrimalDual solver(program);
  PrimalDual::Point point;
  EXPECT_GT(solver.run(point, program.lower, program.upper, 5000, 10), 9.9);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// What one moment proves, it proves with another one beside it.
TEST(WindowModel, MoreMomentsKeepTheBound) {
  int tried = 0, higher = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    Problem problem = trainingStep(6, 2, seed);
    Graph g = Graph::build(problem);
    int64_t budget = storeAllPeak(problem) * 6 / 10;
    for (Order order : {Order::Free, Order::Program}) {
      MomentModel model(g, order);
      for (OpId first = g.numOps / 3; first + 3 < g.numOps; first += 4) {
        WindowGrid one = gridOf({first}), two = gridOf({first, first + 3});
        if (!WindowModel::checkGrid(g, model, two).empty())
          continue;
        WindowModel small(g, model, budget, one);
        WindowModel large(g, model, budget, two);
        if (small.infeasible() || large.infeasible())
          continue;
        PrimalDual of(small.program()), from(large.program());
        PrimalDual::Point point;
        double bound = of.run(point, small.program().lower,
                              small.program().upper, 400, 1e300);
        point.dual = of.bestDual();
        PrimalDual::Point start = large.extended(small, point);
        double carried = from.run(start, large.program().lower,
                                  large.program().upper, 0, 1e300);
        EXPECT_GE(carried, bound - 1e-9) << seed << " at " << first;
        ++tried;
        higher += from.run(start, large.program().lower, large.program().upper,
                           400, 1e300) > bound + 1e-6;
      }
    }
  }
  EXPECT_GT(tried, 20);
  EXPECT_GT(higher, 5);
}

//===----------------------------------------------------------------------===//
// Searches
//===----------------------------------------------------------------------===//

/// What the search over orders returns is what it says, and never dearer than
/// what it began with; often it is cheaper.
TEST(OrderSearch, KeepsItsWord) {
  int tried = 0, cheaper = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Problem problem = trainingStep(6, 3, seed);
    Options options;
    options.budget = storeAllPeak(problem) * 55 / 100;
    Result start = solveGreedy(problem, options);
    if (!start.solved() || start.recomputations == 0)
      continue;
    ++tried;
    OrderSearchOptions search;
    search.budget = options.budget;
    search.maxMoves = 4000;
    Random random(seed);
    LocalSearchResult found =
        searchOrders(problem, start.plan.runs(), search, random);
    ASSERT_EQ(found.excess, 0);
    Simulation simulation =
        simulate(problem, planFromRuns(problem, found.runs), options.budget);
    EXPECT_TRUE(simulation.valid) << simulation.error;
    EXPECT_EQ(simulation.time, static_cast<int64_t>(found.cost));
    EXPECT_LE(simulation.time, start.time);
    cheaper += simulation.time < start.time;
  }
  EXPECT_GT(tried, 5);
  EXPECT_GT(cheaper, tried / 2);
}

/// Two groups of values that wait for the end of the step. Those of the first,
/// made from a value that is kept anyway, are recomputed at 2 a byte. Those of
/// the second take 1 a byte, but all are made from values of 180 bytes that
/// nothing else needs: it pays to evict them only if nearly all are evicted.
static Problem twoGroups() {
  Problem problem;
  auto add = [&](std::vector<ValueId> inputs, int64_t time, int64_t bytes) {
    problem.addOp(time, std::move(inputs));
    return problem.addResult(bytes);
  };
  constexpr int first = 14, second = 20, shared = 10;
  const ValueId kept = add({}, 1000, 10);
  std::vector<ValueId> small, large;
  for (int i = 0; i < shared; ++i)
    small.push_back(add({}, 1000, 18));
  for (int i = 0; i < first; ++i)
    large.push_back(add({kept}, 60, 30));
  for (int i = 0; i < second; ++i)
    large.push_back(add(small, 20, 20));
  ValueId last = add({large.back()}, 1, 10);
  problem.ops.back().workspace = 400;
  for (; !large.empty(); large.pop_back())
    last = add({last, large.back()}, 1, 10);
  add({last, kept}, 1, 0);
  return problem;
}

/// 200 bytes less: 7 values of the first group take 420, 19 of the second 380.
TEST(LocalSearch, EvictsKinTogether) {
  Problem problem = twoGroups();
  Graph g = Graph::build(problem);
  int found = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    ScheduleState state(g, storeAllPeak(problem) - 200);
    ASSERT_EQ(repair(state, RepairOptions(), random), 0);
    EXPECT_EQ(state.cost() - g.totalTime, 420);
    LocalSearchOptions search;
    search.maxMoves = 1000;
    LocalSearchResult result = localSearch(state, search, random);
    EXPECT_EQ(result.excess, 0);
    found += result.cost - g.totalTime == 380;
  }
  EXPECT_GE(found, 18);
}

TEST(Squeeze, MeetsItsBudgets) {
  int met = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Problem problem = trainingStep(8, 2, seed);
    Graph g = Graph::build(problem);
    for (int percent : {40, 60, 80}) {
      int64_t budget = storeAllPeak(problem) * percent / 100;
      Random random(seed);
      SqueezeResult found = squeeze(g, budget, SqueezeOptions(), random);
      Simulation simulation =
          simulate(problem, planFromRuns(problem, found.runs));
      EXPECT_TRUE(simulation.valid) << simulation.error;
      EXPECT_EQ(found.excess == 0, simulation.peak <= budget)
          << seed << " at " << percent;
      met += found.excess == 0;
      Simulation fitting =
          simulate(problem, planFromRuns(problem, found.fitting));
      EXPECT_TRUE(fitting.valid) << fitting.error;
      EXPECT_LE(fitting.peak, storeAllPeak(problem));
    }
  }
  EXPECT_GT(met, 30);
}

/// On a chain, segments that shrink reach a smaller peak than equal ones.
TEST(Segments, ShrinkingOnesNeedLessMemory) {
  Problem problem =
      chain(std::vector<int64_t>(150, 10), std::vector<int64_t>(151, 100));
  Graph g = Graph::build(problem);
  const ScheduleState storeAll(g, storeAllPeak(problem));
  const int32_t stage = storeAll.peaks().argMax();
  auto peakOf = [&](const std::vector<OpId> &positions) {
    ScheduleState state(storeAll);
    evictAcross(state, stage, crossingValues(g, stage, positions));
    return state.peaks().max();
  };
  int64_t equal = INT64_MAX, shrinking = INT64_MAX;
  for (double bytes = 300; bytes < 8000; bytes += 100) {
    equal = std::min(equal, peakOf(segmentPositions(g, stage, bytes)));
    std::vector<OpId> positions = shrinkingSegmentPositions(g, stage, bytes);
    shrinking = std::min(shrinking, peakOf(positions));
    // Each is no longer than the one before, but for what rounding leaves.
    for (size_t i = 2; i < positions.size(); ++i)
      EXPECT_LE(positions[i] - positions[i - 1],
                positions[i - 1] - positions[i - 2] + 1)
          << bytes;
  }
  EXPECT_LT(shrinking, equal * 85 / 100);
}

//===----------------------------------------------------------------------===//
// Repair
//===----------------------------------------------------------------------===//

/// Four bytes are needed: of the large value six more would be freed, which are
/// worth something only without best fit.
TEST(Repair, BestFitCountsNeededBytesOnly) {
  Problem problem;
  problem.addOp(10, {});
  ValueId large = problem.addResult(10);
  problem.addOp(5, {});
  ValueId small = problem.addResult(4);
  problem.addOp(1, {}, /*workspace=*/20);
  problem.addOp(1, {large, small});
  ASSERT_EQ(problem.check(), "");
  Graph g = Graph::build(problem);
  for (bool bestFit : {false, true}) {
    ScheduleState state(g, 34 - 4);
    RepairOptions how;
    how.bestFit = bestFit;
    Random random(1);
    EXPECT_EQ(repair(state, how, random), 0);
    EXPECT_EQ(int64_t(state.cost()), bestFit ? 22 : 27);
  }
}
