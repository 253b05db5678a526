//===- Arguments.h - The command line of ckpt-plan --------------*- C++ -*-===//
#ifndef CKPT_TOOLS_CKPT_PLAN_ARGUMENTS_H
#define CKPT_TOOLS_CKPT_PLAN_ARGUMENTS_H

#include "ckpt/Planner/Budget.h"
#include "ckpt/Planner/Solvers.h"

#include <optional>

namespace ckpt::planner {

struct Arguments {
  std::string graphFile;
  /// With `verify`, absent means the budget that the plan names.
  std::optional<BudgetSpec> budget;
  /// Percentages from, to, step.
  std::optional<std::vector<int64_t>> sweep;
  std::string planOut, certificateOut, svgOut;
  /// A plan to check, and what is to prove its bound.
  std::string verify, certificate;
  bool json = false, help = false;
  Options options;
};

extern const char *const kUsage;

/// Reads the command line; one line in `error` and nothing where it is wrong.
std::optional<Arguments> parseArguments(int argc, char **argv,
                                        std::string &error);

} // namespace ckpt::planner

#endif // CKPT_TOOLS_CKPT_PLAN_ARGUMENTS_H
