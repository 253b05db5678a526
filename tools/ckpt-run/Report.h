//===- Report.h - What a run shows ----------------------------*- C++ -*-===//

#ifndef CKPT_TOOLS_CKPTRUN_REPORT_H
#define CKPT_TOOLS_CKPTRUN_REPORT_H

#include "Execution.h"
#include "ckpt/Pipelines/Compiler.h"

namespace ckpt {

struct Report {
  std::string model;
  std::string plan;
  std::string budget;
  std::string device;
  /// Outcome of the comparison with store-everything, if there was one.
  std::optional<bool> bitwiseEqual;
  /// What execution counted; nothing where the step was only compiled.
  std::optional<CkptCounters> counters;
  double executionSeconds = 0;
};

/// Writes the report as JSON to `path`, whole or not at all ("-": standard
/// output).
llvm::Error writeReport(const std::string &path, const CompiledStep &step,
                        const Report &report);

/// Prints the report as a table.
void printReport(llvm::raw_ostream &os, const CompiledStep &step,
                 const Report &report);

} // namespace ckpt

#endif // CKPT_TOOLS_CKPTRUN_REPORT_H
