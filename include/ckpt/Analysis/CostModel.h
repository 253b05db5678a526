//===- CostModel.h - How long an op takes ---------------------*- C++ -*-===//
//
// A roofline (Williams et al. 2009): an op takes the longer of its arithmetic
// at the peak rate of its type and its bytes at the memory's bandwidth, plus
// the cost of a launch. What the hardware does comes from the module's DLTI
// target specification or from a preset; a profile overrides single ops.
//
//===----------------------------------------------------------------------===//

#ifndef CKPT_ANALYSIS_COSTMODEL_H
#define CKPT_ANALYSIS_COSTMODEL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"

#include <string>
#include <vector>

namespace ckpt {

/// Rates of a device. Dense rates (no structured sparsity), as vendors publish
/// them.
struct TargetModel {
  std::string name;
  /// Bytes of device memory.
  int64_t memoryCapacity = 0;
  /// Bytes per second.
  double memoryBandwidth = 0;
  /// Operations per second of contractions by input type, and of all other
  /// arithmetic by element type.
  double peakBF16 = 0, peakF16 = 0, peakTF32 = 0, peakF32 = 0, peakF64 = 0;
  /// Nanoseconds from one launch to the next.
  double launchCost = 0;
};

/// The preset of that name (h200, h100, a100, l4), or null.
const TargetModel *lookupTarget(llvm::StringRef name);
/// All preset names, for messages.
std::vector<llvm::StringRef> getTargetNames();

/// The target of `module`: what its `dlti.target_system_spec` says under the
/// device "GPU" (keys ckpt.memory_bandwidth in bytes/s, ckpt.memory_capacity in
/// bytes, ckpt.launch_cost in ns, ckpt.peak_{bf16,f16,tf32,f32,f64} in
/// operations/s; integers or floats) over `fallback`. Fails, with an error at
/// the module, on an unknown ckpt key or a rate that is not positive.
llvm::FailureOr<TargetModel> readTarget(mlir::ModuleOp module,
                                        const TargetModel &fallback);

/// Measured times that replace the model's, read from a JSON file
/// `{"times": [{"match": GLOB, "ns": NUMBER}, ...]}`. The glob is matched
/// against the names in an op's location and the op's name; the first entry
/// that matches counts.
class CostProfile {
public:
  /// Fails with one line in `error`.
  static llvm::FailureOr<CostProfile> read(llvm::StringRef path,
                                           std::string &error);
  /// Nanoseconds of `op`, if the profile has them.
  std::optional<double> lookup(mlir::Operation *op) const;

private:
  struct Entry {
    std::string pattern;
    double nanoseconds;
  };
  std::vector<Entry> entries;
};

/// Estimates times of ops.
class CostModel {
public:
  CostModel(TargetModel target, CostProfile profile = {})
      : target(std::move(target)), profile(std::move(profile)) {}

  /// Picoseconds of one execution of `op`, at least 1.
  int64_t getTime(mlir::Operation *op) const;

  const TargetModel &getTarget() const { return target; }

private:
  TargetModel target;
  CostProfile profile;
};

} // namespace ckpt

#endif // CKPT_ANALYSIS_COSTMODEL_H
