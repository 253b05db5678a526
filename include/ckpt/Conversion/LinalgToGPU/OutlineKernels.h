//===- OutlineKernels.h - Structured ops become kernels ---------*- C++ -*-===//

#ifndef CKPT_CONVERSION_LINALGTOGPU_OUTLINEKERNELS_H
#define CKPT_CONVERSION_LINALGTOGPU_OUTLINEKERNELS_H

#include "mlir/IR/BuiltinOps.h"

namespace ckpt {

/// The argument of a step that is the i32 status word of device-side checks.
inline constexpr llvm::StringLiteral statusArgumentName = "ckpt.status";
/// The module's attribute with what each check says, in the order of their ids.
inline constexpr llvm::StringLiteral checkMessagesName = "ckpt.check_messages";

/// Turns every structured op and copy of the module's functions into a launch
/// of a kernel in the gpu.module `kernelModule` (see the pass
/// `ckpt-outline-kernels`). On failure an error was emitted at the op and the
/// module is in no particular state.
llvm::LogicalResult outlineKernels(mlir::ModuleOp module,
                                   llvm::StringRef kernelModule = "kernels");

} // namespace ckpt

#endif // CKPT_CONVERSION_LINALGTOGPU_OUTLINEKERNELS_H
