//===- Bounds.cpp - The floor, and what certificates prove ----------------===//
#include "ckpt/Planner/Bounds.h"

#include "Graph.h"
#include "MomentModel.h"

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
/// An op assumed to run once, or again.
struct Assumption {
  OpId op;
  bool again;
};
using Assumptions = std::vector<Assumption>;
} // namespace

/// Is every way in which ops run once or again covered by one of `cases`?
/// Splits on one op after the other; a stack instead of recursion.
static bool casesCover(const std::vector<BoundCase> &cases) {
  std::vector<Assumptions> all;
  for (const BoundCase &which : cases) {
    all.emplace_back();
    for (OpId op : which.once)
      all.back().push_back({op, false});
    for (OpId op : which.again)
      all.back().push_back({op, true});
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
    OpId split = left.front().front().op;
    for (bool again : {false, true}) {
      std::vector<Assumptions> side;
      for (const Assumptions &list : left) {
        Assumptions rest;
        bool possible = true;
        for (Assumption assumption : list) {
          if (assumption.op != split)
            rest.push_back(assumption);
          else
            possible &= assumption.again == again;
        }
        if (possible)
          side.push_back(std::move(rest));
      }
      stack.push_back(std::move(side));
    }
  }
  return true;
}

/// What is wrong with the prices of a case, or an empty string.
static std::string checkCase(const Problem &problem, const MomentModel &model,
                             const BoundCase &which) {
  auto isOp = [&](OpId op) { return op >= 0 && op < problem.numOps(); };
  for (const std::vector<OpId> *list : {&which.once, &which.again})
    for (OpId op : *list)
      if (!isOp(op))
        return "the certificate names an op that does not exist";
  for (size_t i = 0; i < which.moments.size(); ++i) {
    const PricedMoment &moment = which.moments[i];
    if (!isOp(moment.op))
      return "the certificate names an op that does not exist";
    if (i > 0 && !model.ordered(which.moments[i - 1].op, moment.op))
      return "the moments of the certificate are not in order of time";
    if (!(moment.bytePrice >= 0) || std::isinf(moment.bytePrice))
      return "a price is negative or not finite";
    if (moment.granularity < 0)
      return "a granularity is negative";
    if (moment.linkPrices.empty())
      continue;
    if (i == 0 ||
        moment.linkPrices.size() != static_cast<size_t>(problem.numValues()))
      return "link prices are not one per value after the first moment";
    for (double price : moment.linkPrices)
      if (!(price >= 0) || std::isinf(price))
        return "a price is negative or not finite";
  }
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
  int64_t bound = MomentModel::kInfeasible;
  for (const BoundCase &which : certificate.cases) {
    error = checkCase(problem, model, which);
    if (!error.empty())
      return -1;
    bound = std::min(bound, model.evaluate(which, budget).bound);
  }
  return bound;
}

} // namespace ckpt::planner
