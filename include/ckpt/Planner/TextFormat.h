//===- TextFormat.h - Problems and plans as JSON ----------------*- C++ -*-===//
//
// Reads graphs (the native format, a superset of {"nodes": [...]} graphs with
// one result per node, and node-link graphs); writes plans. docs/Planner.md has
// the format.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_PLANNER_TEXTFORMAT_H
#define CKPT_PLANNER_TEXTFORMAT_H

#include "ckpt/Planner/Solvers.h"

#include <optional>
#include <string>
#include <string_view>

namespace ckpt::planner {

/// Reads a graph. On failure returns nothing and one line in `error`, with line
/// and column where the text is malformed.
std::optional<Problem> parseProblem(std::string_view text, std::string &error);

/// Writes a problem in the native format.
std::string printProblem(const Problem &problem);

/// Writes a solved result as
/// {"schedule": [...], "peak": ..., "cost": ..., "bound": ..., ...}.
std::string printPlan(const Problem &problem, const Result &result,
                      int64_t budget);

/// Reads the "schedule" of a plan, e.g. one written by printPlan().
std::optional<Plan> parsePlan(const Problem &problem, std::string_view text,
                              std::string &error);

} // namespace ckpt::planner

#endif // CKPT_PLANNER_TEXTFORMAT_H
