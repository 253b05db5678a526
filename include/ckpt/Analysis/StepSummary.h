//===- StepSummary.h - What a step costs ----------------------*- C++ -*-===//

#ifndef CKPT_ANALYSIS_STEPSUMMARY_H
#define CKPT_ANALYSIS_STEPSUMMARY_H

#include "ckpt/Analysis/StepGraph.h"

namespace ckpt {

/// Memory and arithmetic of a step as it stands in the IR. Bytes are those that
/// the step allocates; the caller's are apart.
struct StepSummary {
  int64_t peakBytes = 0;
  int64_t argumentBytes = 0;
  int64_t resultBytes = 0;
  /// Ops that own buffers, recomputations included, and how many of them are
  /// recomputations (they carry the number of an op before).
  int64_t ops = 0;
  int64_t recomputedOps = 0;
  /// Operations (2 per multiply-add of a contraction), recomputations included.
  int64_t flops = 0;
  int64_t recomputedFlops = 0;
  /// Operations of the forward pass, each op once.
  int64_t forwardFlops = 0;
  /// Picoseconds by the cost model; without recomputations.
  int64_t time = 0;
  int64_t storeAllTime = 0;
};

/// Fails where extractStepGraph() does.
llvm::FailureOr<StepSummary> summarizeStep(mlir::FunctionOpInterface step,
                                           const CostModel &costs);

} // namespace ckpt

#endif // CKPT_ANALYSIS_STEPSUMMARY_H
