//===- Arguments.h - The command line of ckpt-plan --------------*- C++ -*-===//
#ifndef CKPT_TOOLS_CKPT_PLAN_ARGUMENTS_H
#define CKPT_TOOLS_CKPT_PLAN_ARGUMENTS_H

#include "ckpt/Planner/Solvers.h"

#include <optional>

namespace ckpt::planner {

/// A budget as it was written.
struct BudgetSpec {
  enum class Kind { Bytes, Percent, Minimum } kind = Kind::Percent;
  int64_t bytes = 0;
  /// Millionths of a percent of the store-everything peak.
  int64_t microPercent = 100'000'000;

  /// In bytes; percentages are rounded down.
  int64_t resolve(int64_t storeAllPeak) const;
};

struct Arguments {
  std::string graphFile;
  BudgetSpec budget;
  /// Percentages from, to, step.
  std::optional<std::vector<int64_t>> sweep;
  std::string planOut, svgOut;
  bool json = false, help = false;
  Options options;
};

extern const char *const kUsage;

/// Reads the command line; one line in `error` and nothing where it is wrong.
std::optional<Arguments> parseArguments(int argc, char **argv,
                                        std::string &error);

} // namespace ckpt::planner

#endif // CKPT_TOOLS_CKPT_PLAN_ARGUMENTS_H
