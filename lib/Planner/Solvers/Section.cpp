//===- Section.cpp - A part of a schedule as a problem --------------------===//
#include "Solvers/Section.h"

#include <algorithm>

namespace ckpt::planner {

SectionCutter::SectionCutter(const Graph &g, int64_t budget,
                             const std::vector<OpId> &problemRuns)
    : g(g), budget(budget), firstRun(g.numOps, INT32_MAX) {
  std::vector<OpId> newOp(g.numOps);
  for (OpId op = 0; op < g.numOps; ++op)
    newOp[g.problemOp[op]] = op;
  for (OpId op : problemRuns) {
    int32_t &first = firstRun[newOp[op]];
    first = std::min(first, numRuns());
    runs.push_back(newOp[op]);
  }
}

/// The ops of a section that is being made.
class SectionCutter::Members {
public:
  explicit Members(const Graph &g) : g(g), member(g.numOps, false) {}

  std::vector<OpId> ops;

  bool has(OpId op) const { return member[op]; }
  void add(OpId op) {
    if (member[op])
      return;
    member[op] = true;
    ops.push_back(op);
    numValues += g.firstResult[op + 1] - g.firstResult[op];
  }
  bool fit() const { return fit(numOps(), numValues); }
  bool wouldFitWith(OpId op) const {
    return fit(numOps() + 1,
               numValues + g.firstResult[op + 1] - g.firstResult[op]);
  }
  int32_t numOps() const { return static_cast<int32_t>(ops.size()); }

private:
  const Graph &g;
  std::vector<char> member;
  int32_t numValues = 0;

  static bool fit(int32_t ops, int32_t values) {
    return OpMasks<Section::Mask>::fit(ops, values);
  }
};

/// Values that were made before `run` and that it or a later one reads before
/// they are made again, or that must be there at the end.
std::vector<char> SectionCutter::liveAt(int32_t run) const {
  std::vector<char> live(g.output.begin(), g.output.end());
  for (int32_t k = numRuns() - 1; k >= run; --k) {
    const OpId op = runs[k];
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
      live[v] = g.mustStay[v];
    for (ValueId v : g.inputs[op])
      live[v] = true;
  }
  for (ValueId v = 0; v < g.numValues; ++v)
    live[v] = live[v] && firstRun[g.producer[v]] < run;
  return live;
}

std::optional<Section> SectionCutter::cut(int32_t begin, int32_t numOps) const {
  const std::vector<char> liveBefore = liveAt(begin);
  std::optional<Members> members;
  std::vector<char> liveAfter;
  int32_t end = begin;
  for (int32_t length = 2; end < numRuns(); length += 1 + length / 8) {
    const int32_t newEnd = std::min(begin + length, numRuns());
    Members longer(g);
    for (int32_t k = begin; k < newEnd; ++k)
      longer.add(runs[k]);
    std::vector<char> live = liveAt(newEnd);
    for (ValueId v = 0; v < g.numValues; ++v)
      if (liveBefore[v] && !live[v])
        longer.add(g.producer[v]);
    if (!longer.fit() || longer.numOps() > numOps)
      break;
    end = newEnd;
    liveAfter = std::move(live);
    members.emplace(std::move(longer));
  }
  if (end < begin + 2)
    return std::nullopt;
  addUseful(*members, begin, liveBefore);
  return makeSection(std::move(members->ops), begin, end, liveBefore,
                     liveAfter);
}

/// Ops that may run again in the section: first those that make what its ops
/// read, and so on, then those that made the largest values in memory.
void SectionCutter::addUseful(Members &members, int32_t begin,
                              const std::vector<char> &liveBefore) const {
  auto addIfUseful = [&](OpId op) {
    if (firstRun[op] < begin && g.recomputable[op] && members.wouldFitWith(op))
      members.add(op);
  };
  size_t next = 0;
  auto addMakersOfInputs = [&] {
    for (; next < members.ops.size(); ++next)
      for (ValueId v : g.inputs[members.ops[next]])
        addIfUseful(g.producer[v]);
  };
  addMakersOfInputs();
  std::vector<ValueId> others;
  for (ValueId v = 0; v < g.numValues; ++v)
    if (liveBefore[v] && !members.has(g.producer[v]))
      others.push_back(v);
  std::sort(others.begin(), others.end(), [&](ValueId a, ValueId b) {
    return g.bytes[a] != g.bytes[b] ? g.bytes[a] > g.bytes[b] : a < b;
  });
  for (ValueId v : others) {
    addIfUseful(g.producer[v]);
    addMakersOfInputs();
  }
}

Section SectionCutter::makeSection(std::vector<OpId> ops, int32_t begin,
                                   int32_t end,
                                   const std::vector<char> &liveBefore,
                                   const std::vector<char> &liveAfter) const {
  std::sort(ops.begin(), ops.end(),
            [&](OpId a, OpId b) { return firstRun[a] < firstRun[b]; });
  Section section;
  section.begin = begin;
  section.end = end;
  for (int32_t k = begin; k < end; ++k)
    section.time += g.time[runs[k]];
  section.budget = budget;
  constexpr auto bit = OpMasks<Section::Mask>::bit;
  std::vector<ValueId> newValue(g.numValues, kNone);
  std::vector<OpId> newOp(g.numOps, kNone);
  for (OpId op : ops) {
    const bool ran = firstRun[op] < begin;
    // What is in memory all the time need not be said; without what is not, an
    // op that ran cannot run again.
    bool again = g.recomputable[op];
    std::vector<ValueId> inputs;
    for (ValueId v : g.inputs[op])
      if (newValue[v] != kNone)
        inputs.push_back(newValue[v]);
      else
        again &= liveBefore[v] && liveAfter[v];
    const OpId id =
        section.problem.addOp(g.time[op], std::move(inputs), g.workspace[op]);
    newOp[op] = id;
    section.ops.push_back(g.problemOp[op]);
    Op &part = section.problem.ops[id];
    part.recomputable = again;
    for (OpId before : g.before[op])
      if (newOp[before] != kNone)
        part.after.push_back(newOp[before]);
    if (ran)
      section.done |= bit(id);
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v) {
      newValue[v] = section.problem.addResult(g.bytes[v]);
      Value &value = section.problem.values[newValue[v]];
      value.output = liveAfter[v];
      value.mustStay = g.mustStay[v];
      // Problems have no results in place of what is there at the end.
      if (ValueId old = g.inPlaceOf[v]; old != kNone && !liveAfter[old])
        value.inPlaceOf = newValue[old];
      if (ran && liveBefore[v])
        section.live |= bit(newValue[v]);
    }
  }
  for (ValueId v = 0; v < g.numValues; ++v)
    if (liveBefore[v] && newValue[v] == kNone)
      section.budget -= g.bytes[v];
  return section;
}

} // namespace ckpt::planner
