//===- Compiler.cpp - From a model to a compiled step ---------------------===//

#include "ckpt/Pipelines/Compiler.h"

#include "ckpt/Pipelines/MakeStep.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"

#include <chrono>

using namespace mlir;
using namespace ckpt;

namespace {
/// Runs stages one after the other and takes their time.
class Stages {
public:
  Stages(ModuleOp module, const CompileOptions &options)
      : module(module), options(options) {}

  LogicalResult run(StringRef name, function_ref<LogicalResult()> stage) {
    if (options.onStage)
      options.onStage(name);
    auto start = std::chrono::steady_clock::now();
    LogicalResult result = stage();
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    times.push_back({name.str(), elapsed.count()});
    return result;
  }

  LogicalResult runPasses(StringRef name,
                          function_ref<void(OpPassManager &)> build) {
    return run(name, [&] {
      PassManager pm(module.getContext(), ModuleOp::getOperationName());
      build(pm);
      return pm.run(module);
    });
  }

  std::vector<StageTime> takeTimes() { return std::move(times); }

private:
  ModuleOp module;
  const CompileOptions &options;
  std::vector<StageTime> times;
};
} // namespace

/// What the report says of the planned step.
static LogicalResult summarize(ModuleOp module, StringRef name,
                               const PlanOptions &options,
                               CompiledStep &compiled) {
  auto step = module.lookupSymbol<func::FuncOp>(name);
  FailureOr<CostModel> costs = getCostModel(step, options);
  if (failed(costs))
    return failure();
  FailureOr<StepSummary> summary = summarizeStep(step, *costs);
  if (failed(summary))
    return failure();
  compiled.summary = *summary;
  compiled.storeAllPeakBytes =
      step->getAttrOfType<PlanAttr>(planAttrName).getStoreAllPeak();
  return success();
}

static int64_t getArenaBytes(ModuleOp module, StringRef name) {
  auto step = module.lookupSymbol<func::FuncOp>(name);
  return cast<MemRefType>(step.getArgumentTypes().front()).getNumElements();
}

FailureOr<CompiledStep> ckpt::compileStep(ModuleOp module,
                                          const CompileOptions &options) {
  std::optional<ArrayRef<int64_t>> wrt;
  if (options.wrt)
    wrt = *options.wrt;
  FailureOr<func::FuncOp> step = makeStep(module, options.entry, wrt);
  if (failed(step))
    return failure();
  std::string name = step->getName().str();

  CompiledStep compiled;
  Stages stages(module, options);
  if (failed(stages.runPasses("forward", buildForwardPipeline)) ||
      failed(stages.runPasses("differentiate", buildDifferentiationPipeline)) ||
      failed(stages.runPasses("fuse", buildFusionPipeline)) ||
      failed(stages.runPasses(
          "plan",
          [&](OpPassManager &pm) { buildPlanPipeline(pm, options.plan); })) ||
      failed(summarize(module, name, options.plan, compiled)) ||
      failed(stages.runPasses("bufferise", buildBufferPipeline)))
    return failure();
  compiled.arenaBytes = getArenaBytes(module, name);

  if (failed(stages.runPasses("kernels", [&](OpPassManager &pm) {
        buildKernelPipeline(pm, options.kernels.chip);
      })))
    return failure();
  module.walk([&](gpu::LaunchFuncOp) { ++compiled.numLaunches; });

  for (auto kernels :
       llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>())) {
    kernels.walk([&](Operation *op) {
      if (op->hasAttr(gpu::GPUDialect::getKernelFuncAttrName()) ||
          op->hasAttr("nvvm.kernel"))
        ++compiled.numKernels;
    });
    LogicalResult serialized = stages.run("serialise", [&] {
      FailureOr<KernelImage> image = serializeKernels(kernels, options.kernels);
      if (failed(image))
        return failure();
      compiled.image = std::move(*image);
      return success();
    });
    if (failed(serialized))
      return failure();
  }

  if (failed(stages.runPasses("host", buildHostPipeline)))
    return failure();
  compiled.context = std::make_unique<llvm::LLVMContext>();
  compiled.host = translateModuleToLLVMIR(module, *compiled.context);
  if (!compiled.host)
    return failure();
  compiled.stages = stages.takeTimes();
  return compiled;
}
