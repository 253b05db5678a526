//===- TextFormat.h - Problems and plans as JSON ----------------*- C++ -*-===//
//
// Reads graphs (the native format, a superset of {"nodes": [...]} graphs with
// one result per node, and node-link graphs); reads and writes plans and
// certificates. docs/Planner.md has the formats.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_PLANNER_TEXTFORMAT_H
#define CKPT_PLANNER_TEXTFORMAT_H

#include "ckpt/Planner/Solvers.h"
#include "ckpt/Planner/Verify.h"

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

/// A plan as it is written, with what is said of it.
struct WrittenPlan {
  Plan plan;
  PlanClaims claims;
};

/// Reads a plan, e.g. one written by printPlan(): ids exist, nothing else is
/// judged.
std::optional<WrittenPlan> parsePlan(const Problem &problem,
                                     std::string_view text, std::string &error);

/// Writes a bound and its certificate. Prices are written in hexadecimal, so
/// that they are read as they were.
std::string printCertificate(const Problem &problem, const BoundClaim &claim);

/// Reads what printCertificate() writes; prices and cases are not judged.
std::optional<BoundClaim> parseCertificate(const Problem &problem,
                                           std::string_view text,
                                           std::string &error);

} // namespace ckpt::planner

#endif // CKPT_PLANNER_TEXTFORMAT_H
