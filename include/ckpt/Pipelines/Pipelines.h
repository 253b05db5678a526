//===- Pipelines.h - Order of passes --------------------------*- C++ -*-===//
//
// The two halves of the way from a forward function to kernels, for embedding.
// By name: `ckpt-training-step{plan="solver=sqrt"}` and `ckpt-to-nvvm`.
//
//===----------------------------------------------------------------------===//

#ifndef CKPT_PIPELINES_PIPELINES_H
#define CKPT_PIPELINES_PIPELINES_H

#include "ckpt/Transforms/Passes.h"

namespace ckpt {

/// Adds the passes that bring forward functions into the form that is
/// differentiated: regions inlined, elementwise chains fused.
void buildForwardPipeline(mlir::OpPassManager &pm);
/// Adds differentiation and the clean-up after it.
void buildDifferentiationPipeline(mlir::OpPassManager &pm);
/// Adds fusion of the whole step and the normal form that is planned.
void buildFusionPipeline(mlir::OpPassManager &pm);
/// Adds planning, materialisation and its verification.
void buildPlanPipeline(mlir::OpPassManager &pm, const PlanOptions &options);

/// All of the above: from functions with `ckpt.value_and_grad` (or joint
/// graphs) to planned training steps on tensors.
void buildTrainingStepPipeline(mlir::OpPassManager &pm,
                               const PlanOptions &options);

/// Adds the passes from a planned step on tensors to placed buffers.
void buildBufferPipeline(mlir::OpPassManager &pm);
/// Adds the passes from placed buffers to kernels in the NVVM dialect for
/// `chip` (sm_80, sm_90, ...).
void buildKernelPipeline(mlir::OpPassManager &pm, llvm::StringRef chip);
/// Adds the passes that turn the step itself into calls of the runtime.
void buildHostPipeline(mlir::OpPassManager &pm);

/// The last three: from a planned step to kernels and host calls.
void buildToNVVMPipeline(mlir::OpPassManager &pm, llvm::StringRef chip);

/// Registers both pipelines by name.
void registerCkptPipelines();

} // namespace ckpt

#endif // CKPT_PIPELINES_PIPELINES_H
