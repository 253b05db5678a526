//===- Plan.cpp - From a sequence of ops to a plan with frees -------------===//
#include "ckpt/Planner/Plan.h"

#include <algorithm>

namespace ckpt::planner {

int64_t Plan::numRuns() const {
  return std::count_if(events.begin(), events.end(),
                       [](Event event) { return !event.isFree(); });
}

std::vector<OpId> Plan::runs() const {
  std::vector<OpId> result;
  for (Event event : events)
    if (!event.isFree())
      result.push_back(event.id);
  return result;
}

namespace {
/// Finds, for every copy of every value, the run that uses it last.
class Lifetimes {
public:
  Lifetimes(const Problem &problem, const std::vector<OpId> &runs)
      : problem(problem), bornAt(problem.numValues(), kNone),
        instances(problem.numValues(), kNone) {
    for (int32_t k = 0; k < static_cast<int32_t>(runs.size()); ++k) {
      const Op &op = problem.ops[runs[k]];
      // What was never computed is for the Simulator to find.
      forEachRead(op, [&](ValueId v) {
        if (instances[v] != kNone)
          lastUse[instances[v]] = k;
      });
      firstInstance.push_back(static_cast<int32_t>(lastUse.size()));
      for (int32_t i = 0; i < op.numResults; ++i) {
        const Value &value = problem.values[op.firstResult + i];
        int32_t &current = instances[op.firstResult + i];
        if (current != kNone && value.mustStay) {
          // The copy that must stay goes on; the new one is scratch.
          lastUse.push_back(kScratch);
          continue;
        }
        current = static_cast<int32_t>(lastUse.size());
        lastUse.push_back(k);
      }
    }
    for (ValueId v = 0; v < problem.numValues(); ++v)
      if (instances[v] != kNone &&
          (problem.values[v].output || problem.values[v].mustStay))
        lastUse[instances[v]] = static_cast<int32_t>(runs.size());
  }

  /// Calls `fn` on each value that `op` reads and each buffer below a view.
  template <typename Fn>
  void forEachRead(const Op &op, Fn fn) const {
    for (ValueId v : op.inputs)
      for (; v != kNone; v = problem.values[v].aliasOf)
        fn(v);
  }

  static constexpr int32_t kScratch = -2;
  const Problem &problem;
  /// Of each live value while replaying: its instance.
  std::vector<int32_t> bornAt;
  /// Of each instance: the run that uses it last.
  std::vector<int32_t> lastUse;
  /// Of each run: its first instance; the others follow.
  std::vector<int32_t> firstInstance;

private:
  std::vector<int32_t> instances;
};
} // namespace

Plan planFromRuns(const Problem &problem, const std::vector<OpId> &runs) {
  Lifetimes lives(problem, runs);
  Plan plan;
  plan.events.reserve(runs.size() * 2);
  std::vector<ValueId> dying;
  for (int32_t k = 0; k < static_cast<int32_t>(runs.size()); ++k) {
    const Op &op = problem.ops[runs[k]];
    dying.clear();
    lives.forEachRead(op, [&](ValueId v) {
      if (lives.bornAt[v] != kNone && lives.lastUse[lives.bornAt[v]] == k)
        dying.push_back(v);
    });
    std::sort(dying.begin(), dying.end());
    dying.erase(std::unique(dying.begin(), dying.end()), dying.end());

    bool anyInPlace = false, allDie = true;
    for (int32_t i = 0; i < op.numResults; ++i)
      if (ValueId old = problem.values[op.firstResult + i].inPlaceOf;
          old != kNone) {
        anyInPlace = true;
        allDie &= std::binary_search(dying.begin(), dying.end(), old);
      }
    bool inPlace = anyInPlace && allDie;
    plan.events.push_back(inPlace ? Event::computeInPlace(runs[k])
                                  : Event::compute(runs[k]));
    for (int32_t i = 0; i < op.numResults; ++i) {
      ValueId v = op.firstResult + i;
      int32_t instance = lives.firstInstance[k] + i;
      if (lives.lastUse[instance] == Lifetimes::kScratch)
        continue;
      lives.bornAt[v] = instance;
      if (inPlace && problem.values[v].inPlaceOf != kNone) {
        ValueId old = problem.values[v].inPlaceOf;
        dying.erase(std::find(dying.begin(), dying.end(), old));
        lives.bornAt[old] = kNone;
      }
      if (lives.lastUse[instance] == k)
        dying.push_back(v);
    }
    for (ValueId v : dying) {
      plan.events.push_back(Event::free(v));
      lives.bornAt[v] = kNone;
    }
  }
  return plan;
}

std::vector<OpId> dropUnreadRuns(const Problem &problem,
                                 const std::vector<OpId> &runs) {
  // Backwards: which values are read later from the copy that is made here?
  std::vector<char> read(problem.numValues(), false);
  std::vector<char> kept(problem.numOps(), false);
  std::vector<int32_t> firstRun(problem.numOps(), kNone);
  for (int32_t k = static_cast<int32_t>(runs.size()) - 1; k >= 0; --k)
    firstRun[runs[k]] = k;
  // First runs that effects hold in their place.
  std::vector<char> fixed(problem.numOps(), false);
  for (OpId id = 0; id < problem.numOps(); ++id) {
    fixed[id] |= !problem.ops[id].movable;
    for (OpId before : problem.ops[id].after)
      fixed[before] = true;
  }
  for (ValueId v = 0; v < problem.numValues(); ++v)
    read[v] = problem.values[v].output || problem.values[v].mustStay;
  std::vector<OpId> result;
  for (int32_t k = static_cast<int32_t>(runs.size()) - 1; k >= 0; --k) {
    const Op &op = problem.ops[runs[k]];
    bool needed = firstRun[runs[k]] == k && (fixed[runs[k]] || !kept[runs[k]]);
    for (ValueId v = op.firstResult; v < op.firstResult + op.numResults; ++v)
      needed |= read[v];
    if (!needed)
      continue;
    for (ValueId v = op.firstResult; v < op.firstResult + op.numResults; ++v)
      read[v] = false;
    for (ValueId v : op.inputs)
      for (; v != kNone; v = problem.values[v].aliasOf)
        read[v] = true;
    kept[runs[k]] = true;
    result.push_back(runs[k]);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

} // namespace ckpt::planner
