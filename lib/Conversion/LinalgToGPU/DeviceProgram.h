//===- DeviceProgram.h - What a step does on the device ---------*- C++ -*-===//
#ifndef CKPT_LIB_CONVERSION_LINALGTOGPU_DEVICEPROGRAM_H
#define CKPT_LIB_CONVERSION_LINALGTOGPU_DEVICEPROGRAM_H

#include "LoopNest.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>
#include <vector>

namespace ckpt {

/// An op of the step that a kernel does, with the memory that it touches.
struct DeviceOp {
  mlir::Operation *op;
  /// Set for structured ops.
  std::optional<LoopNest> nest;
  llvm::SmallVector<BufferView> reads, writes;
  /// Top-level loads whose results the op depends on: done by its kernel, later
  /// than where they stand.
  llvm::SmallVector<mlir::Operation *> loads;
  /// Its effect is another op's initial value, or is overwritten unread.
  bool isAbsorbed = false;
};

/// The device ops of a step, in program order.
struct DeviceProgram {
  std::vector<DeviceOp> ops;

  /// Rewrites named ops and copies of `step` to generic ones and collects its
  /// device ops. Fails with an error at each kind of op that has no kernel.
  static mlir::FailureOr<DeviceProgram> build(mlir::func::FuncOp step,
                                              BufferViews &views);

  /// Turns fills into initial values of the ops that accumulate onto them, and
  /// drops fills that are overwritten before they are read.
  void absorbFills();

  /// Fails with an error where memory that a top-level load reads is written
  /// before the kernel that does the load: only a placement that let the buffer
  /// die too early does that.
  mlir::LogicalResult checkLoads();
};

} // namespace ckpt

#endif // CKPT_LIB_CONVERSION_LINALGTOGPU_DEVICEPROGRAM_H
