//===- Bundle.h - Runs a compiled step without the compiler -----*- C++ -*-===//
//
// A bundle is a folder:
//
//   step.so                     the host code; exports `ckpt_step_info`
//   kernels.{fatbin,cubin,ptx}  the kernels for a GPU, the first that is there
//   kernels.bc                  the kernels for the emulated device
//   args/argK.npy               one file per argument
//   expected/resultK.npy        optional: reference results, in float64
//   expected/tolerances.txt     optional: lines "K relative X" or "K absolute
//   X",
//                               a bound on the L2 norm of the error of result K
//   results/resultK.npy         written
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_TOOLS_CKPT_BUNDLE_RUNNER_BUNDLE_H
#define CKPT_TOOLS_CKPT_BUNDLE_RUNNER_BUNDLE_H

#include "Comparison.h"

#include "ckpt/Runtime/Runtime.h"

#include <string>
#include <vector>

namespace ckpt::bundle {

struct Options {
  std::string folder;
  std::string device = "cuda";
  /// Timed runs, after one that is not.
  int runs = 10;
  /// Relative, for results without one of their own.
  double tolerance = 1e-5;
};

struct Report {
  std::string device;
  bool emulated = false;
  int64_t argumentBytes = 0;
  int64_t resultBytes = 0;
  int64_t arenaBytes = 0;
  int64_t peakBytes = 0;
  int64_t launches = 0;
  /// Of the timed runs, ascending.
  std::vector<double> seconds;
  /// Of all results' bytes: equal where two plans agree bit for bit.
  uint64_t resultsHash = 0;
  /// Whether the last run gave the same bytes as the first.
  bool repeatable = true;
  std::vector<Comparison> comparisons;

  double medianSeconds() const;
  /// Repeatable, and every comparison within its tolerance.
  bool passed() const;
};

/// Runs the bundle. On failure returns false and writes one message. Results
/// that differ from the expected ones are no failure but in the report.
bool runBundle(const Options &options, Report &report, std::string &error);

/// A table for people.
std::string formatTable(const Report &report);
/// One line of JSON.
std::string formatJson(const Report &report);

} // namespace ckpt::bundle

#endif // CKPT_TOOLS_CKPT_BUNDLE_RUNNER_BUNDLE_H
