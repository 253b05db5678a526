//===- Functions.h - Passes over every function ---------------*- C++ -*-===//

#ifndef CKPT_IR_FUNCTIONS_H
#define CKPT_IR_FUNCTIONS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace ckpt {

/// Calls `transform` on each function with a body in or below `root`, in
/// program order, until one fails.
inline llvm::LogicalResult forEachFunction(
    mlir::Operation *root,
    llvm::function_ref<llvm::LogicalResult(mlir::FunctionOpInterface)>
        transform) {
  llvm::SmallVector<mlir::FunctionOpInterface> functions;
  root->walk<mlir::WalkOrder::PreOrder>(
      [&](mlir::FunctionOpInterface function) {
        if (!function.isExternal())
          functions.push_back(function);
      });
  for (mlir::FunctionOpInterface function : functions)
    if (mlir::failed(transform(function)))
      return mlir::failure();
  return mlir::success();
}

} // namespace ckpt

#endif // CKPT_IR_FUNCTIONS_H
