//===- Report.h - What ckpt-plan prints -------------------------*- C++ -*-===//
#ifndef CKPT_TOOLS_CKPT_PLAN_REPORT_H
#define CKPT_TOOLS_CKPT_PLAN_REPORT_H

#include "ckpt/Planner/Solvers.h"
#include "ckpt/Planner/Verify.h"

namespace ckpt::planner {

/// A budget and what came of it.
struct Outcome {
  int64_t budget = 0;
  double seconds = 0;
  Result result;
};

/// What percentages refer to.
struct Scale {
  int64_t storeAllPeak = 0;
  int64_t storeAllTime = 0;
};

/// For people: one budget.
std::string printText(const Problem &problem, const Scale &scale,
                      const Outcome &outcome);
/// For people: a sweep.
std::string printTable(const Scale &scale, const std::vector<Outcome> &sweep);
/// The curve of overhead over budget.
std::string printSvg(const Problem &problem, const Scale &scale,
                     const std::vector<Outcome> &sweep);
/// An object {budget_bytes, budget_percent, status, peak, cost,
/// overhead_percent, bound, ...}; numbers that do not exist are null.
std::string printJson(const Problem &problem, const Scale &scale,
                      const Outcome &outcome);

/// What was found of a valid plan, for people and as JSON.
std::string printVerdict(const Problem &problem, const Scale &scale,
                         int64_t budget, const Verdict &verdict);
std::string printVerdictJson(const Problem &problem, const Scale &scale,
                             int64_t budget, const Verdict &verdict);

} // namespace ckpt::planner

#endif // CKPT_TOOLS_CKPT_PLAN_REPORT_H
