//===- Compiler.h - From a model to a compiled step -----------*- C++ -*-===//

#ifndef CKPT_PIPELINES_COMPILER_H
#define CKPT_PIPELINES_COMPILER_H

#include "ckpt/Analysis/StepSummary.h"
#include "ckpt/Conversion/GPUToNVVM/SerializeKernels.h"
#include "ckpt/Pipelines/Pipelines.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <functional>

namespace ckpt {

struct CompileOptions {
  /// The function to differentiate, or a joint graph.
  std::string entry = "main";
  /// Arguments to differentiate by; all of floats where it is not given; none
  /// for a joint graph.
  std::optional<std::vector<int64_t>> wrt;
  PlanOptions plan;
  SerializeOptions kernels;
  /// Called when a stage begins.
  std::function<void(llvm::StringRef stage)> onStage;
};

struct StageTime {
  std::string stage;
  double seconds = 0;
};

/// A step that can be executed, and what is known about it.
struct CompiledStep {
  std::unique_ptr<llvm::LLVMContext> context;
  /// Host code; exports "ckpt_step_info".
  std::unique_ptr<llvm::Module> host;
  KernelImage image;

  StepSummary summary;
  /// Peak of the same step without recomputation.
  int64_t storeAllPeakBytes = 0;
  int64_t arenaBytes = 0;
  int64_t numKernels = 0;
  int64_t numLaunches = 0;
  std::vector<StageTime> stages;
};

/// Compiles `module`, which is consumed. Fails after one error at the op at
/// fault.
llvm::FailureOr<CompiledStep> compileStep(mlir::ModuleOp module,
                                          const CompileOptions &options);

} // namespace ckpt

#endif // CKPT_PIPELINES_COMPILER_H
