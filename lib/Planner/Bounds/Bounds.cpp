//===- Bounds.cpp - The floor, and what certificates prove ----------------===//
#include "ckpt/Planner/Bounds.h"

#include "Bounds/MomentModel.h"
#include "Bounds/WindowModel.h"
#include "Graph.h"

#include <algorithm>
#include <cmath>

namespace ckpt::planner {

PeakFloor peakFloor(const Problem &problem) {
  Graph g = Graph::build(problem);
  PeakFloor floor;
  for (ValueId v : g.outputs)
    floor.bytes += g.bytes[v];
  for (OpId op = 0; op < g.numOps; ++op) {
    int64_t need = g.workspace[op];
    for (ValueId v : g.inputs[op])
      need += g.bytes[v];
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v)
      if (g.inPlaceOf[v] == kNone)
        need += g.bytes[v];
    if (need > floor.bytes) {
      floor.bytes = need;
      floor.op = g.problemOp[op];
    }
  }
  return floor;
}

namespace {
/// Something that is so or not: an op runs again (moment kNone), or a fact.
struct Assumption {
  Fact::Kind kind;
  OpId moment;
  int32_t id;
  bool yes;
  bool sameQuestion(const Assumption &other) const {
    return kind == other.kind && moment == other.moment && id == other.id;
  }
};
using Assumptions = std::vector<Assumption>;
} // namespace

/// Is every way to answer the questions covered by one of `cases`? Splits on
/// one question after the other; a stack instead of recursion.
static bool casesCover(const std::vector<BoundCase> &cases) {
  std::vector<Assumptions> all;
  for (const BoundCase &which : cases) {
    all.emplace_back();
    for (OpId op : which.once)
      all.back().push_back({Fact::Kind::Ran, kNone, op, false});
    for (OpId op : which.again)
      all.back().push_back({Fact::Kind::Ran, kNone, op, true});
    for (const Fact &fact : which.facts)
      all.back().push_back({fact.kind, fact.moment, fact.id, fact.holds});
  }
  std::vector<std::vector<Assumptions>> stack = {std::move(all)};
  while (!stack.empty()) {
    std::vector<Assumptions> left = std::move(stack.back());
    stack.pop_back();
    if (left.empty())
      return false;
    bool covered = std::any_of(left.begin(), left.end(),
                               [](const Assumptions &a) { return a.empty(); });
    if (covered)
      continue;
    const Assumption split = left.front().front();
    for (bool yes : {false, true}) {
      std::vector<Assumptions> side;
      for (const Assumptions &list : left) {
        Assumptions rest;
        bool possible = true;
        for (Assumption assumption : list) {
          if (!assumption.sameQuestion(split))
            rest.push_back(assumption);
          else
            possible &= assumption.yes == yes;
        }
        if (possible)
          side.push_back(std::move(rest));
      }
      stack.push_back(std::move(side));
    }
  }
  return true;
}

/// What is wrong with a case, or an empty string.
static std::string checkCase(const Problem &problem, const BoundCase &which) {
  auto isOp = [&](OpId op) { return op >= 0 && op < problem.numOps(); };
  auto isPrice = [](double price) { return price >= 0 && !std::isinf(price); };
  for (const std::vector<OpId> *list : {&which.once, &which.again})
    for (OpId op : *list)
      if (!isOp(op))
        return "the certificate names an op that does not exist";
  for (const Fact &fact : which.facts) {
    if (!isOp(fact.moment))
      return "the certificate names an op that does not exist";
    int32_t ids =
        fact.kind == Fact::Kind::Held ? problem.numValues() : problem.numOps();
    if (fact.id < 0 || fact.id >= ids)
      return "a fact of the certificate is about nothing that exists";
  }
  if (which.moment.op != kNone && !isOp(which.moment.op))
    return "the certificate names an op that does not exist";
  if (!isPrice(which.moment.bytePrice))
    return "a price is negative or not finite";
  if (which.moment.granularity < 0)
    return "a granularity is negative";
  for (double multiplier : which.multipliers)
    if (!isPrice(multiplier))
      return "a multiplier is negative or not finite";
  return "";
}

int64_t evaluateCertificate(const Problem &problem, int64_t budget, Order order,
                            const Certificate &certificate,
                            std::string &error) {
  Graph g = Graph::build(problem);
  MomentModel model(g, order);
  if (certificate.cases.size() > 4096) {
    error = "the certificate has more than 4096 cases";
    return -1;
  }
  if (!casesCover(certificate.cases)) {
    error = "the cases of the certificate do not cover all plans";
    return -1;
  }
  // One model at a time: its cases need not follow one another.
  int64_t bound = MomentModel::kInfeasible;
  const int32_t numGrids = static_cast<int32_t>(certificate.grids.size());
  for (const BoundCase &which : certificate.cases) {
    error = checkCase(problem, which);
    if (error.empty() && which.grid >= numGrids)
      error = "a case of the certificate refers to no grid of it";
    if (!error.empty())
      return -1;
    if (which.grid < 0)
      bound = std::min(bound, model.evaluate(which, budget).bound);
  }
  for (int32_t i = 0; i < numGrids; ++i) {
    error = WindowModel::checkGrid(g, model, certificate.grids[i]);
    if (!error.empty())
      return -1;
    const WindowModel windows(g, model, budget, certificate.grids[i]);
    for (const BoundCase &which : certificate.cases) {
      if (which.grid != i)
        continue;
      if (which.multipliers.size() !=
          static_cast<size_t>(windows.program().numRows())) {
        error = "the multipliers are not one per row of the windows";
        return -1;
      }
      bound = std::min(bound, windows.evaluate(which.multipliers, which.facts));
    }
  }
  return bound;
}

} // namespace ckpt::planner
