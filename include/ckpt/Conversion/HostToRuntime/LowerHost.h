//===- LowerHost.h - Launches become runtime calls --------------*- C++ -*-===//

#ifndef CKPT_CONVERSION_HOSTTORUNTIME_LOWERHOST_H
#define CKPT_CONVERSION_HOSTTORUNTIME_LOWERHOST_H

#include "mlir/IR/BuiltinOps.h"

namespace ckpt {

/// The argument attribute that tells a step's results from its arguments.
/// Upstream's `buffer-results-to-out-params{add-result-attr}` writes it.
inline constexpr llvm::StringLiteral resultArgumentName = "bufferize.result";

/// Lowers the step to the LLVM dialect (see the pass `ckpt-lower-host`). An
/// empty `entry` means the module's only function with a body. On failure an
/// error was emitted and the module is in no particular state.
llvm::LogicalResult lowerHost(mlir::ModuleOp module,
                              llvm::StringRef entry = {});

} // namespace ckpt

#endif // CKPT_CONVERSION_HOSTTORUNTIME_LOWERHOST_H
