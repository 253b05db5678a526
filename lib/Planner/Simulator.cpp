//===- Simulator.cpp - The judge of plans ---------------------------------===//
#include "ckpt/Planner/Simulator.h"

#include <algorithm>
#include <numeric>

namespace ckpt::planner {

namespace {
/// Replays events one by one. Written from the definitions in the headers, with
/// nothing shared with the solvers that it judges.
class Replay {
public:
  Replay(const Problem &problem, int64_t budget)
      : problem(problem), budget(budget), runs(problem.numOps(), 0),
        live(problem.numValues(), false) {}

  Simulation run(const Plan &plan) {
    for (Event event : plan.events) {
      bool ok =
          event.isFree()
              ? free(event.id)
              : compute(event.id, event.kind == Event::Kind::ComputeInPlace);
      if (!ok)
        return std::move(result);
      ++position;
    }
    finish();
    return std::move(result);
  }

private:
  const Problem &problem;
  const int64_t budget;
  std::vector<int64_t> runs;
  std::vector<char> live;
  OpId lastUnmovable = kNone;
  int64_t inMemory = 0, position = 0;
  Simulation result;

  bool fail(const std::string &what) {
    result.error = "event " + std::to_string(position) + ": " + what;
    return false;
  }

  std::string valueName(ValueId v) const {
    const Value &value = problem.values[v];
    std::string name = problem.opName(value.producer);
    if (problem.ops[value.producer].numResults == 1)
      return name;
    return "result " +
           std::to_string(v - problem.ops[value.producer].firstResult) +
           " of " + name;
  }

  bool free(ValueId v) {
    if (v < 0 || v >= problem.numValues())
      return fail("free of a value that does not exist");
    if (!live[v])
      return fail("free of " + valueName(v) + ", which is not in memory");
    if (problem.values[v].mustStay)
      return fail("free of " + valueName(v) + ", which must stay");
    live[v] = false;
    inMemory -= problem.values[v].bytes;
    return true;
  }

  bool checkFirstRun(OpId id) {
    for (OpId before : problem.ops[id].after)
      if (!runs[before])
        return fail(problem.opName(id) + " runs before " +
                    problem.opName(before) + ", which it must follow");
    if (problem.ops[id].movable)
      return true;
    if (lastUnmovable > id)
      return fail(problem.opName(id) + " runs after " +
                  problem.opName(lastUnmovable) +
                  "; the two may not trade places");
    lastUnmovable = id;
    return true;
  }

  bool checkMayRun(OpId id) {
    if (id < 0 || id >= problem.numOps())
      return fail("an op that does not exist");
    const Op &op = problem.ops[id];
    for (ValueId v : op.inputs)
      for (; v != kNone; v = problem.values[v].aliasOf)
        if (!live[v])
          return fail(problem.opName(id) + " needs " + valueName(v) +
                      ", which is not in memory");
    if (!runs[id])
      return checkFirstRun(id);
    if (!op.recomputable)
      return fail(problem.opName(id) + " may run only once");
    for (ValueId v = op.firstResult; v < op.firstResult + op.numResults; ++v)
      if (!live[v])
        return true;
    return fail(problem.opName(id) +
                " runs again while its results are in memory");
  }

  bool compute(OpId id, bool inPlace) {
    if (!checkMayRun(id))
      return false;
    const Op &op = problem.ops[id];
    int64_t scratch = op.workspace;
    for (ValueId v = op.firstResult; v < op.firstResult + op.numResults; ++v) {
      const Value &value = problem.values[v];
      if (inPlace && value.inPlaceOf != kNone) {
        if (live[v])
          return fail(problem.opName(id) +
                      " runs in place while its result is in memory");
        live[value.inPlaceOf] = false;
        inMemory -= problem.values[value.inPlaceOf].bytes;
      } else if (live[v]) {
        scratch += value.bytes;
        continue;
      }
      live[v] = true;
      inMemory += value.bytes;
    }
    // A buffer that is taken over counts whole while the op runs.
    if (inPlace)
      for (ValueId v = op.firstResult; v < op.firstResult + op.numResults; ++v)
        if (ValueId old = problem.values[v].inPlaceOf; old != kNone)
          scratch += problem.values[old].bytes - problem.values[v].bytes;
    int64_t now = inMemory + scratch;
    if (now > result.peak || result.peakEvent < 0) {
      result.peak = now;
      result.peakEvent = position;
    }
    if (now > budget)
      return fail(problem.opName(id) + " needs " + std::to_string(now) +
                  " bytes, more than the budget of " + std::to_string(budget));
    if (__builtin_add_overflow(result.time, op.time, &result.time))
      return fail("the times add up to more than 2^63-1");
    if (runs[id]++)
      ++result.recomputations;
    return true;
  }

  void finish() {
    for (OpId id = 0; id < problem.numOps(); ++id)
      if (!runs[id]) {
        fail(problem.opName(id) + " never runs");
        return;
      }
    for (ValueId v = 0; v < problem.numValues(); ++v)
      if ((problem.values[v].output || problem.values[v].mustStay) &&
          !live[v]) {
        fail("the output " + valueName(v) + " is not in memory at the end");
        return;
      }
    result.valid = true;
  }
};
} // namespace

Simulation simulate(const Problem &problem, const Plan &plan, int64_t budget) {
  return Replay(problem, budget).run(plan);
}

int64_t storeAllPeak(const Problem &problem) {
  std::vector<OpId> order(problem.numOps());
  std::iota(order.begin(), order.end(), 0);
  return simulate(problem, planFromRuns(problem, order)).peak;
}

} // namespace ckpt::planner
