//===- MakeStep.h - A training step for a forward function ----*- C++ -*-===//

#ifndef CKPT_PIPELINES_MAKESTEP_H
#define CKPT_PIPELINES_MAKESTEP_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace ckpt {

/// Adds to `module` a function that takes what `entry` takes and returns its
/// results, followed by the gradient of the first of them with respect to each
/// argument in `wrt` (all arguments of floats where it is not given). Makes all
/// other functions private. Where `wrt` is empty, the step is `entry` itself: a
/// graph that needs no differentiation.
///
/// Fails with an error at `entry`, or at the module where there is no such
/// function: its first result is no scalar, or `wrt` names an argument that
/// does not exist, twice, or has no gradient.
llvm::FailureOr<mlir::func::FuncOp>
makeStep(mlir::ModuleOp module, llvm::StringRef entry,
         std::optional<llvm::ArrayRef<int64_t>> wrt);

} // namespace ckpt

#endif // CKPT_PIPELINES_MAKESTEP_H
