//===- LowerKernels.cpp - Kernels in the NVVM dialect ---------------------===//

#include "ckpt/Conversion/GPUToNVVM/LowerKernels.h"

#include "ExactMath.h"
#include "KernelTarget.h"
#include "ckpt/Conversion/Passes.h"

#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace {

/// Runs a function of this folder within the pipeline.
template <void (*function)(gpu::GPUModuleOp)>
struct ModulePass
    : PassWrapper<ModulePass<function>, OperationPass<gpu::GPUModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ModulePass<function>)

  void runOnOperation() override { function(this->getOperation()); }
};

} // namespace

void ckpt::buildKernelLoweringPipeline(OpPassManager &pm) {
  // Powers by a constant integer become products; upstream's conversion knows
  // 32-bit exponents alone.
  math::MathExpandOpsPassOptions expand;
  expand.opMnemonics = {"clampf", "fpowi"};
  pm.addPass(math::createMathExpandOpsPass(expand));
  pm.addPass(std::make_unique<ModulePass<expandClassification>>());
  // The emitters write every index computation where they need it.
  pm.addPass(createCSEPass());
  pm.addPass(createSCFToControlFlowPass());
  ConvertGpuOpsToNVVMOpsOptions convert;
  convert.indexBitwidth = 64;
  convert.useBarePtrCallConv = true;
  pm.addPass(createConvertGpuOpsToNVVMOps(convert));
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(std::make_unique<ModulePass<useExactIntrinsics>>());
}

namespace ckpt {
#define GEN_PASS_DEF_LOWERKERNELS
#include "ckpt/Conversion/Passes.h.inc"
} // namespace ckpt

/// Upstream takes vectors apart element by element: those of our kernels have
/// 16 elements at most.
static LogicalResult checkVectors(gpu::GPUModuleOp module) {
  constexpr int64_t maxElements = 256;
  WalkResult result = module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto vector = dyn_cast<VectorType>(type);
          vector && vector.getNumElements() > maxElements) {
        op->emitOpError("makes a vector of more than ")
            << maxElements << " elements: " << vector;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct LowerKernelsPass : ckpt::impl::LowerKernelsBase<LowerKernelsPass> {
  using LowerKernelsBase::LowerKernelsBase;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    if (failed(checkVectors(module)))
      return signalPassFailure();
    OpPassManager pipeline(gpu::GPUModuleOp::getOperationName());
    ckpt::buildKernelLoweringPipeline(pipeline);
    if (failed(runPipeline(pipeline, module)))
      return signalPassFailure();
    auto target = NVVM::NVVMTargetAttr::get(&getContext(), /*optLevel=*/3,
                                            ckpt::kernelTriple, chip,
                                            ckpt::kernelFeatures);
    module.setTargetsAttr(ArrayAttr::get(&getContext(), target));
  }
};
} // namespace
