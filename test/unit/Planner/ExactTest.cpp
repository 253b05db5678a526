//===- ExactTest.cpp - The two complete searches --------------------------===//
#include "Solvers/Exact.h"
#include "Samples.h"
#include "Search/Orders.h"
#include "Search/SinkSearch.h"
#include "Solvers/ExactEstimate.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <numeric>

using namespace ckpt::planner;
using namespace ckpt::planner::test;

/// Calls `fn` with random problems of at most 13 ops, their graphs, options and
/// limits.
template <typename Fn>
static void forEachSample(unsigned firstSeed, unsigned count, Fn fn) {
  for (unsigned seed = firstSeed; seed < firstSeed + count; ++seed) {
    Sample s = sample(seed, 13);
    if (!exactTakes(s.problem))
      continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + s.text());
    Graph g = Graph::build(s.problem);
    Options options = optionsFor("exact", s.budget, s.order);
    ExactLimits limits;
    limits.maxStates = 200'000;
    fn(s, g, options, limits);
  }
}

/// Forwards and backwards agree on feasibility and time, their runs are what
/// they say, and any plan is found exactly where there is one.
TEST(Exact, BothWaysAgree) {
  int found = 0, impossible = 0, dearer = 0;
  forEachSample(
      50'000, 400,
      [&](const Sample &s, const Graph &g, const Options &options,
          const ExactLimits &limits) {
        ExactOutcome forward = makeForwardSearch(g, options)->run(limits);
        ExactOutcome backward = makeBackwardSearch(g, options)->run(limits);
        if (!forward.complete || !backward.complete)
          return;
        ASSERT_EQ(forward.found, backward.found);
        EXPECT_EQ(forward.bound, backward.bound);
        ExactOutcome any = searchAnyPlan(s.problem, options, limits);
        ASSERT_TRUE(any.complete);
        ASSERT_EQ(any.found, backward.found);
        impossible += !any.found;
        if (!any.found)
          return;
        ++found;
        dearer += backward.bound > s.problem.totalTime();
        for (const ExactOutcome *outcome : {&forward, &backward, &any}) {
          Simulation simulation = simulate(
              s.problem, planFromRuns(s.problem, outcome->runs), s.budget);
          EXPECT_TRUE(simulation.valid) << simulation.error;
          EXPECT_LE(simulation.peak, s.budget);
          EXPECT_GE(simulation.time, backward.bound);
          if (outcome != &any)
            EXPECT_EQ(simulation.time, backward.bound);
        }
      });
  EXPECT_GT(found, 200);
  EXPECT_GT(impossible, 15);
  EXPECT_GT(dearer, 30);
}

/// Ops of time 1 that leave nothing, so many that sets of ops and values need
/// two words, and then those of `problem`.
static constexpr int32_t kOthers = 64;
static Problem inTwoWords(const Problem &problem) {
  Problem result;
  for (int32_t i = 0; i < kOthers; ++i) {
    result.addOp(1, {});
    result.addResult(0);
  }
  auto shift = [&](std::vector<int32_t> &ids) {
    for (int32_t &id : ids)
      id += kOthers;
  };
  for (Op op : problem.ops) {
    shift(op.inputs);
    shift(op.after);
    op.firstResult += kOthers;
    result.ops.push_back(std::move(op));
  }
  for (Value value : problem.values) {
    value.producer += kOthers;
    for (ValueId *id : {&value.aliasOf, &value.inPlaceOf})
      if (*id != kNone)
        *id += kOthers;
    result.values.push_back(value);
  }
  return result;
}

/// Sets of two words give what sets of one word give.
TEST(Exact, LargeSetsAsSmallOnes) {
  int found = 0, impossible = 0, dearer = 0;
  forEachSample(
      90'000, 250,
      [&](const Sample &s, const Graph &g, const Options &options,
          const ExactLimits &limits) {
        const Problem large = inTwoWords(s.problem);
        ASSERT_EQ(large.check(), "");
        if (!OpMasks<LargeMask>::fit(large.numOps(), large.numValues()))
          return;
        ASSERT_FALSE(
            OpMasks<SmallMask>::fit(large.numOps(), large.numValues()));
        const Graph largeGraph = Graph::build(large);
        for (bool forward : {false, true}) {
          auto search = [&](const Graph &graph) {
            return (forward ? makeForwardSearch(graph, options)
                            : makeBackwardSearch(graph, options))
                ->run(limits);
          };
          const ExactOutcome expected = search(g), outcome = search(largeGraph);
          if (!expected.complete)
            continue;
          ASSERT_TRUE(outcome.complete);
          ASSERT_EQ(outcome.found, expected.found);
          if (expected.bound < INT64_MAX)
            EXPECT_EQ(outcome.bound, expected.bound + kOthers);
          impossible += !outcome.found;
          if (!outcome.found)
            continue;
          ++found;
          dearer += outcome.bound > large.totalTime();
          Simulation simulation =
              simulate(large, planFromRuns(large, outcome.runs), s.budget);
          EXPECT_TRUE(simulation.valid) << simulation.error;
          EXPECT_EQ(simulation.time, outcome.bound);
        }
        const ExactOutcome any = searchAnyPlan(large, options, limits);
        EXPECT_TRUE(any.complete);
        EXPECT_EQ(any.found, searchAnyPlan(s.problem, options, limits).found);
      });
  EXPECT_GT(found, 250);
  EXPECT_GT(impossible, 20);
  EXPECT_GT(dearer, 30);
}

/// An op that takes over a buffer runs again while some of its other results
/// are still there: these go first. The best plan is 0 1 2 3 0 1 4.
TEST(Exact, TakesOverBesideOldResults) {
  Problem problem;
  problem.addOp(4, {});
  ValueId x = problem.addResult(4);
  problem.addOp(2, {x}, /*workspace=*/2);
  ValueId y = problem.addResult(3), small = problem.addResult(1),
          other = problem.addResult(2);
  problem.values[y].inPlaceOf = x;
  problem.values[y].output = true;
  problem.addOp(3, {small});
  ValueId z = problem.addResult(0);
  problem.addOp(0, {other, z}, /*workspace=*/1);
  problem.addResult(4);
  problem.addOp(9, {y, z});
  problem.addResult(3);
  ASSERT_EQ(problem.check(), "");
  Graph g = Graph::build(problem);
  Options options = optionsFor("exact", 9, Order::Free);
  ExactLimits limits;
  limits.maxStates = 10'000;
  for (const auto &search :
       {makeForwardSearch(g, options), makeBackwardSearch(g, options)}) {
    ExactOutcome outcome = search->run(limits);
    EXPECT_TRUE(outcome.complete);
    EXPECT_EQ(outcome.bound, 24);
  }
}

/// Along an optimal plan, what the estimates say of each state is never more
/// than the plan spends from there on, or spent on recomputation before.
TEST(Exact, EstimatesAreBounds) {
  int telling = 0;
  forEachSample(
      70'000, 400,
      [&](const Sample &s, const Graph &g, const Options &options,
          const ExactLimits &limits) {
        ExactOutcome best = makeBackwardSearch(g, options)->run(limits);
        if (!best.found)
          return;
        using Mask = SmallMask;
        OpMasks<Mask> masks(g);
        ExactEstimate<Mask> estimate(g, masks, s.order, s.budget, Deadline());
        ASSERT_FALSE(estimate.infeasible());
        // Before each run: what ran, and the time of all runs but the first
        // ones.
        std::vector<Mask> done = {0};
        std::vector<int64_t> again = {0};
        for (OpId op : best.runs) {
          again.push_back(again.back() +
                          (done.back() & masks.bit(op) ? g.time[op] : 0));
          done.push_back(done.back() | masks.bit(op));
        }
        Mask needed = 0;
        for (ValueId v : g.outputs)
          needed |= masks.bit(v);
        int64_t rest = 0;
        for (size_t k = best.runs.size();; --k) {
          EXPECT_LE(estimate.remaining(estimate.futureOf(done[k]), needed),
                    rest);
          Mask left = 0;
          forEachBit(needed, [&](ValueId v) {
            left |= masks.ancestors[g.producer[v]];
          });
          const int64_t before = estimate.againBefore(needed, left);
          EXPECT_LE(before, again[k]);
          telling += before > 0;
          if (k == 0)
            break;
          const OpId op = best.runs[k - 1];
          rest += g.time[op];
          needed = (needed & ~masks.results[op]) | masks.inputs[op];
        }
        telling += estimate.remaining(estimate.futureOf(0), 0) > g.totalTime;
      });
  EXPECT_GT(telling, 100);
}

/// A search that is interrupted often comes to the same end, with a bound that
/// never falls and never exceeds it, also if the limit falls on the way.
TEST(Exact, GoesOnWhereItStopped) {
  int interrupted = 0;
  forEachSample(60'000, 60,
                [&](const Sample &s, const Graph &g, const Options &options,
                    const ExactLimits &limits) {
                  auto make = [&](bool fromTheEnd) {
                    return fromTheEnd ? makeBackwardSearch(g, options)
                                      : makeForwardSearch(g, options);
                  };
                  for (bool fromTheEnd : {false, true}) {
                    const ExactOutcome whole = make(fromTheEnd)->run(limits);
                    if (!whole.complete)
                      continue;
                    for (int64_t costLimit : {INT64_MAX, whole.bound}) {
                      const auto search = make(fromTheEnd);
                      ExactLimits part = limits;
                      int64_t bound = 0, turns = 0;
                      for (;; ++turns) {
                        const ExactOutcome &outcome =
                            search->run(part, /*states=*/5);
                        EXPECT_GE(outcome.bound, bound);
                        bound = outcome.bound;
                        if (outcome.complete)
                          break;
                        ASSERT_LE(bound, whole.bound);
                        part.costLimit = costLimit;
                      }
                      interrupted += turns > 0;
                      EXPECT_EQ(bound, whole.bound);
                      // With the time of the best plan as limit, that is not
                      // found again.
                      const ExactOutcome &end = search->run(part);
                      if (turns == 0 || costLimit == INT64_MAX)
                        EXPECT_EQ(end.runs, whole.runs);
                      else
                        EXPECT_FALSE(end.found);
                    }
                  }
                });
  EXPECT_GT(interrupted, 100);
}

/// No op needs more than 7 bytes at once, but each of the two that read a pair
/// of values does so beside the result of the other.
TEST(Exact, ProvesThatThereIsNoPlanAboveTheFloor) {
  Problem problem;
  auto add = [&](std::vector<ValueId> inputs, int64_t bytes) {
    problem.addOp(1, std::move(inputs));
    return problem.addResult(bytes);
  };
  ValueId a = add({}, 3), b = add({}, 3), c = add({}, 3), d = add({}, 3);
  ValueId left = add({a, b}, 1), right = add({c, d}, 1);
  problem.values[add({left, right}, 1)].output = true;
  Options options = optionsFor("auto", 7);
  Result result = solve(problem, options);
  EXPECT_EQ(result.floor.bytes, 7);
  EXPECT_EQ(result.status, Status::BelowFloor);
  EXPECT_TRUE(result.bound.infeasible);
  EXPECT_TRUE(result.bound.bySearch);
  // A search that is cut short says what the others found.
  Options brief = options;
  brief.solver = "exact";
  brief.effort = 1;
  result = solve(problem, brief);
  EXPECT_EQ(result.status, Status::NotFound);
  EXPECT_GE(result.smallestPeak, 8);
  options.budget = 8;
  EXPECT_TRUE(solve(problem, options).solved());
  // Too many ops to be searched before all else.
  const Problem large = inTwoWords(problem);
  EXPECT_TRUE(solve(large, options).solved());
  options.budget = 7;
  result = solve(large, options);
  EXPECT_EQ(result.status, Status::BelowFloor);
  EXPECT_TRUE(result.bound.bySearch);
}

/// More ops than sets have bits are refused.
TEST(Exact, SaysHowManyOpsItTakes) {
  Problem problem;
  for (int i = 0; i < 129; ++i) {
    problem.addOp(1, {});
    problem.addResult(1);
  }
  const Result result = solve(problem, optionsFor("exact", 10));
  EXPECT_EQ(result.status, Status::Unsupported);
  EXPECT_NE(result.message.find("at most 128 ops"), std::string::npos)
      << result.message;
}

/// Up to 64 ops, auto begins with the complete search: a layered problem whose
/// budget is tight is solved to the end, whatever the seed.
TEST(Exact, AutoProvesSmallWideProblems) {
  int proven = 0;
  for (unsigned seed = 0; seed < 6; ++seed) {
    std::mt19937 random(seed);
    Features plain{false, false, false, false};
    Problem problem = randomProblem(random, 40, plain);
    Options options = optionsFor("auto", storeAllPeak(problem) * 7 / 10);
    Result first = solve(problem, options);
    options.seed = 1;
    Result second = solve(problem, options);
    EXPECT_EQ(first.solved(), second.solved());
    EXPECT_EQ(first.time, second.time);
    proven += first.stop == StopReason::Optimal || first.bound.infeasible;
  }
  EXPECT_EQ(proven, 6);
}

/// Sums of big terms, each made from a little and needed late only: there is an
/// order in which no term is made before the one before it is used up.
TEST(Orders, OnDemand) {
  Problem problem;
  std::vector<ValueId> little, terms;
  auto add = [&](std::vector<ValueId> inputs, int64_t bytes) {
    problem.addOp(1, std::move(inputs));
    return problem.addResult(bytes);
  };
  constexpr int steps = 8;
  for (int i = 0; i < steps; ++i) {
    little.push_back(add(i == 0 ? std::vector<ValueId>{}
                                : std::vector<ValueId>{little.back()},
                         1));
    terms.push_back(add({little.back()}, 100));
  }
  add({little.back()}, 0);
  ValueId sum = terms[0];
  for (int i = 1; i < steps; ++i)
    sum = add({sum, terms[i]}, 100);
  add({sum}, 0);
  std::vector<OpId> ids(problem.numOps());
  std::iota(ids.begin(), ids.end(), 0);
  bool late = false;
  for (const MemoryOrder &order : memoryOrders(problem)) {
    std::vector<OpId> sorted = order.order;
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(sorted, ids);
    Simulation simulation =
        simulate(problem, planFromRuns(problem, order.order));
    EXPECT_TRUE(simulation.valid) << simulation.error;
    EXPECT_EQ(simulation.peak, order.peak);
    late |= order.peak < 320;
  }
  EXPECT_TRUE(late);
}

/// Two ops whose results nobody reads, each of which reads a value from the
/// middle of the chain: some order has both at the end, the newest first.
TEST(Orders, UnreadOpsLast) {
  Problem problem;
  auto add = [&](std::vector<ValueId> inputs, int64_t bytes) {
    problem.addOp(1, std::move(inputs));
    return problem.addResult(bytes);
  };
  ValueId a = add({}, 9), b = add({a}, 9);
  add({a}, 1);
  ValueId c = add({b}, 9);
  add({b}, 1);
  add({c}, 1);
  problem.values[add({c}, 1)].output = true;
  std::vector<std::vector<OpId>> orders;
  for (const MemoryOrder &order : memoryOrders(problem))
    orders.push_back(order.order);
  const std::vector<OpId> last = {0, 1, 3, 6, 5, 4, 2};
  EXPECT_EQ(std::count(orders.begin(), orders.end(), last), 1);
}

/// What the search over sinks returns is what it says and never dearer than
/// what it began with. Here it is cheaper: at the end of the chain the sink
/// reads what would have to be recomputed, at the beginning it is there.
TEST(SinkSearch, FindsAnotherPlace) {
  Problem problem;
  auto add = [&](std::vector<ValueId> inputs, int64_t time, int64_t bytes) {
    problem.addOp(time, std::move(inputs));
    return problem.addResult(bytes);
  };
  ValueId big = add({}, 10, 10);
  ValueId x = add({big}, 1, 1);
  for (int i = 0; i < 4; ++i)
    x = add({x}, 1, 8);
  add({big, x}, 1, 0);
  ValueId y = add({x}, 1, 1);
  problem.values[y].output = true;
  const OpId sink = add({big}, 1, 0);
  std::vector<OpId> runs(problem.numOps());
  std::iota(runs.begin(), runs.end(), 0);
  // The big value is dropped after its first use and made twice again.
  runs.insert(runs.end() - 3, 0);
  runs.insert(runs.end() - 1, 0);
  ASSERT_EQ(runs.back(), sink);
  OrderSearchOptions search;
  search.budget = 19;
  search.maxMoves = 20'000;
  Random random(1);
  LocalSearchResult found = searchSinks(problem, runs, search, random);
  Simulation simulation =
      simulate(problem, planFromRuns(problem, found.runs), search.budget);
  EXPECT_TRUE(simulation.valid) << simulation.error;
  EXPECT_EQ(found.excess, 0);
  EXPECT_EQ(simulation.time, static_cast<int64_t>(found.cost));
  EXPECT_EQ(simulation.time, problem.totalTime() + 10);
}
