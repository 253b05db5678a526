//===- Pipelines.cpp - Order of passes, and the reasons for it ------------===//

#include "ckpt/Pipelines/Pipelines.h"

#include "ckpt/Conversion/Passes.h"
#include "ckpt/Differentiation/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace ckpt;

static void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void ckpt::buildForwardPipeline(OpPassManager &pm) {
  // Regions leave their names in locations, which all passes keep.
  pm.addPass(createInlineRegions());
  pm.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  addCleanup(pm);
  // Fusion before differentiation: the adjoint of a fused op recomputes
  // interior scalars in registers, which would be stored tensors otherwise.
  pm.addPass(createFuseElementwise());
  addCleanup(pm);
}

void ckpt::buildDifferentiationPipeline(OpPassManager &pm) {
  pm.addPass(createDifferentiate());
  // The forward functions are inlined now.
  pm.addPass(createSymbolDCEPass());
  addCleanup(pm);
}

void ckpt::buildFusionPipeline(OpPassManager &pm) {
  // Adjoints fuse with each other, and with sums of cotangents.
  pm.addPass(createFuseElementwise());
  addCleanup(pm);
  // Last before planning: from here on every buffer is in the IR.
  pm.addPass(createNormalizeStep());
  addCleanup(pm);
}

static void addPlan(OpPassManager &pm, std::unique_ptr<Pass> plan) {
  pm.addPass(std::move(plan));
  pm.addPass(createMaterialize());
  // Views and destinations were cloned for each reader: merge them again. The
  // verification right after shows that this undoes no recomputation.
  pm.addPass(createCSEPass());
  pm.addPass(createVerifyPlan());
}

void ckpt::buildPlanPipeline(OpPassManager &pm, const PlanOptions &options) {
  addPlan(pm, createPlan(options));
}

static void addTrainingStep(OpPassManager &pm, std::unique_ptr<Pass> plan) {
  buildForwardPipeline(pm);
  buildDifferentiationPipeline(pm);
  buildFusionPipeline(pm);
  addPlan(pm, std::move(plan));
}

void ckpt::buildTrainingStepPipeline(OpPassManager &pm,
                                     const PlanOptions &options) {
  addTrainingStep(pm, createPlan(options));
}

void ckpt::buildBufferPipeline(OpPassManager &pm) {
  pm.addPass(createBufferizeStep());
  pm.addPass(createPlaceBuffers());
}

void ckpt::buildKernelPipeline(OpPassManager &pm, StringRef chip) {
  pm.addPass(createOutlineKernels());
  LowerKernelsOptions options;
  options.chip = chip.str();
  pm.addNestedPass<gpu::GPUModuleOp>(createLowerKernels(options));
}

void ckpt::buildHostPipeline(OpPassManager &pm) {
  pm.addPass(createLowerHost());
  pm.addPass(createVerifyLowered());
}

void ckpt::buildToNVVMPipeline(OpPassManager &pm, StringRef chip) {
  buildBufferPipeline(pm);
  buildKernelPipeline(pm, chip);
  buildHostPipeline(pm);
}

namespace {
struct TrainingStepOptions : PassPipelineOptions<TrainingStepOptions> {
  Option<std::string> plan{
      *this, "plan",
      llvm::cl::desc("options of ckpt-plan, separated by blanks"),
      llvm::cl::init("")};
};

struct ToNVVMOptions : PassPipelineOptions<ToNVVMOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("GPU architecture of the kernels"),
                           llvm::cl::init("sm_80")};
};
} // namespace

/// As PassPipelineRegistration, whose builder cannot fail, would register it.
static void registerTrainingStep() {
  registerPassPipeline(
      "ckpt-training-step",
      "Differentiate, fuse, plan, materialise and verify training steps",
      [](OpPassManager &pm, StringRef text,
         function_ref<LogicalResult(const Twine &)> emitError) {
        TrainingStepOptions options;
        std::unique_ptr<Pass> plan = createPlan();
        if (failed(options.parseFromString(text)) ||
            failed(plan->initializeOptions(options.plan, emitError)))
          return emitError("malformed options of ckpt-training-step");
        addTrainingStep(pm, std::move(plan));
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> visit) {
        visit(TrainingStepOptions());
      });
}

void ckpt::registerCkptPipelines() {
  registerTrainingStep();
  PassPipelineRegistration<ToNVVMOptions>(
      "ckpt-to-nvvm",
      "Lower planned training steps to NVVM kernels and calls of the runtime",
      [](OpPassManager &pm, const ToNVVMOptions &options) {
        buildToNVVMPipeline(pm, options.chip);
      });
}
