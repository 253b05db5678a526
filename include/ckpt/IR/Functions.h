//===- Functions.h - Passes over every function ---------------*- C++ -*-===//

#ifndef CKPT_IR_FUNCTIONS_H
#define CKPT_IR_FUNCTIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace ckpt {

/// Calls `transform` on each function with a body in `root` and the modules
/// nested in it, in program order, until one fails. Kernels (functions in ops
/// such as `gpu.module`) and functions of other type systems (`llvm.func`) are
/// none of these.
inline llvm::LogicalResult forEachFunction(
    mlir::Operation *root,
    llvm::function_ref<llvm::LogicalResult(mlir::FunctionOpInterface)>
        transform) {
  llvm::SmallVector<mlir::FunctionOpInterface> functions;
  root->walk<mlir::WalkOrder::PreOrder>(
      [&](mlir::FunctionOpInterface function) {
        if (function.isExternal() ||
            !llvm::isa<mlir::FunctionType>(function.getFunctionType()))
          return;
        mlir::Operation *parent = function->getParentOp();
        while (parent != root && llvm::isa_and_nonnull<mlir::ModuleOp>(parent))
          parent = parent->getParentOp();
        if (parent == root)
          functions.push_back(function);
      });
  for (mlir::FunctionOpInterface function : functions)
    if (mlir::failed(transform(function)))
      return mlir::failure();
  return mlir::success();
}

} // namespace ckpt

#endif // CKPT_IR_FUNCTIONS_H
