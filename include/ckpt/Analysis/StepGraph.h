//===- StepGraph.h - A training step as a planning problem ----*- C++ -*-===//
//
// Projects the body of a step function into a planner's Problem and keeps the
// way back. Ops that own buffers or have effects are planned; constants,
// undefined tensors, fills that only initialise, views and scalar arithmetic
// are not: they are made anew wherever they are used.
//
//===----------------------------------------------------------------------===//

#ifndef CKPT_ANALYSIS_STEPGRAPH_H
#define CKPT_ANALYSIS_STEPGRAPH_H

#include "ckpt/Analysis/CostModel.h"
#include "ckpt/Planner/Problem.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace ckpt {

struct StepGraph {
  planner::Problem problem;
  /// The op of each planner::OpId.
  std::vector<mlir::Operation *> ops;
  /// The tensor of each planner::ValueId.
  std::vector<mlir::Value> values;
  /// Bytes of the caller's arguments and results, which no peak includes.
  int64_t argumentBytes = 0;
  int64_t resultBytes = 0;
  /// Whether each op belongs to the forward pass: the first result depends on
  /// it.
  std::vector<bool> isForward;

  /// Whether `op` is planned: it owns a buffer or has effects.
  bool isPlanned(mlir::Operation *op) const { return planned.contains(op); }

  /// The buffers that `value` is, or is a view of: results of planned ops and
  /// arguments. Scalars are views of all the tensors that they were read from.
  /// Deterministic order.
  llvm::SmallVector<mlir::Value> getBuffers(mlir::Value value) const;

  llvm::DenseSet<mlir::Operation *> planned;
  /// Of each tensor that is a view: the value that it is a view of.
  llvm::DenseMap<mlir::Value, mlir::Value> viewSources;
};

/// Size of the buffer of a tensor as the step's arena stores it, rounded up to
/// the arena's alignment; nothing for a shape that is not static or elements
/// that are no numbers, 0 for what is no tensor.
std::optional<int64_t> getBufferBytes(mlir::Type type);
/// The same without rounding, for the caller's buffers.
std::optional<int64_t> getTensorBytes(mlir::Type type);

/// The planning problem of `step`. The results that the function returns are
/// the caller's buffers: they count as 0 bytes and stay. Fails, with an error
/// at the op, where a shape is dynamic, the body has several blocks, or a size
/// overflows.
llvm::FailureOr<StepGraph> extractStepGraph(mlir::FunctionOpInterface step,
                                            const CostModel &costs);

} // namespace ckpt

#endif // CKPT_ANALYSIS_STEPGRAPH_H
