//===- Comparison.h - Results against reference results ---------*- C++ -*-===//
#ifndef CKPT_TOOLS_CKPT_BUNDLE_RUNNER_COMPARISON_H
#define CKPT_TOOLS_CKPT_BUNDLE_RUNNER_COMPARISON_H

#include "ckpt/Support/Npy.h"

#include <map>
#include <string>

namespace ckpt::bundle {

struct Tolerance {
  bool relative = true;
  double bound = 0;
};

/// One result against its reference.
struct Comparison {
  int result = 0;
  /// L2 norm of the difference; divided by the reference's where relative.
  double error = 0;
  Tolerance tolerance;
  bool passed() const { return error <= tolerance.bound; }
  double shareOfTolerance() const {
    return tolerance.bound > 0 ? error / tolerance.bound : error;
  }
};

/// Reads tolerances.txt, by the number of the result; none where there is no
/// such file. On failure returns false and writes a message.
bool readTolerances(const std::string &path,
                    std::map<int, Tolerance> &tolerances, std::string &error);

/// Compares element by element. `bfloat` says that `actual` holds the bits of
/// bf16 numbers. On failure (other shapes) returns false and writes a message.
bool compare(const NpyArray &actual, bool bfloat, const NpyArray &expected,
             Comparison &comparison, std::string &error);

} // namespace ckpt::bundle

#endif // CKPT_TOOLS_CKPT_BUNDLE_RUNNER_COMPARISON_H
