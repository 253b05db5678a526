//===- Differentiation.h - Reverse mode on functions ----------*- C++ -*-===//

#ifndef CKPT_DIFFERENTIATION_DIFFERENTIATION_H
#define CKPT_DIFFERENTIATION_DIFFERENTIATION_H

#include "ckpt/IR/CkptDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace ckpt {

/// Emits, where `rewriter` stands, the gradients of `loss` by each of `wrt`,
/// given the cotangent `seed` of `loss`. `ops` are the ops, in program order
/// and all in the block where `rewriter` stands, through which the gradients
/// go; their operands from elsewhere count as constants unless `wrt` lists
/// them. Each op is asked through `DifferentiableOpInterface`; nothing is
/// stored or recomputed beyond what its rule says. A gradient that does not
/// depend on `loss` is filled with zeros. What was emitted without use is
/// erased again.
///
/// Cotangents are summed in the reverse order of the uses, so equal inputs give
/// equal IR. Time is linear in the ops; nothing recurses on their number.
/// Emits one error, at the op at fault, and fails if an op has no adjoint.
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
emitGradients(mlir::RewriterBase &rewriter,
              llvm::ArrayRef<mlir::Operation *> ops, mlir::Value loss,
              mlir::Value seed, mlir::ValueRange wrt);

/// Replaces `op` by the ops of its callee, inlined with everything that it
/// calls (but functions with a custom gradient), and the gradients. Regions are
/// inlined too; each op keeps their names and policies in its location.
llvm::LogicalResult expandValueAndGrad(mlir::RewriterBase &rewriter,
                                       ValueAndGradOp op,
                                       mlir::SymbolTableCollection &symbols);

/// Expands every `ckpt.value_and_grad` below `root`, those in the functions
/// that others call first. Fails after an error if functions refer to each
/// other in a cycle.
llvm::LogicalResult differentiate(mlir::Operation *root);

} // namespace ckpt

#endif // CKPT_DIFFERENTIATION_DIFFERENTIATION_H
