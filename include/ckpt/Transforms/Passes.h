//===- Passes.h - Plan, materialise, verify -------------------*- C++ -*-===//
//
// Each pass is a shell over a function below.
//
//===----------------------------------------------------------------------===//

#ifndef CKPT_TRANSFORMS_PASSES_H
#define CKPT_TRANSFORMS_PASSES_H

#include "ckpt/Analysis/CostModel.h"
#include "ckpt/IR/CkptDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace ckpt {

#define GEN_PASS_DECL
#include "ckpt/Transforms/Passes.h.inc"

/// Plans `step` (see the pass `ckpt-plan`) and writes the plan onto it.
llvm::LogicalResult planStep(mlir::FunctionOpInterface step,
                             const PlanOptions &options);

/// The cost model that `options` name, over what the module of `step`
/// specifies. Fails with an error at the step or its module.
llvm::FailureOr<CostModel> getCostModel(mlir::FunctionOpInterface step,
                                        const PlanOptions &options);

/// Executes the plan of `step` (see the pass `ckpt-materialize`). Leaves the
/// function as it was on failure.
llvm::LogicalResult materializePlan(mlir::FunctionOpInterface step);

/// Checks the materialised plan of `step` (see the pass `ckpt-verify-plan`).
llvm::LogicalResult verifyPlan(mlir::FunctionOpInterface step);

#define GEN_PASS_REGISTRATION
#include "ckpt/Transforms/Passes.h.inc"

} // namespace ckpt

#endif // CKPT_TRANSFORMS_PASSES_H
