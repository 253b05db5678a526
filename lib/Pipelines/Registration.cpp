//===- Registration.cpp - Everything that embedders register --------------===//

#include "ckpt/Pipelines/Registration.h"

#include "ckpt/Conversion/GPUToNVVM/SerializeKernels.h"
#include "ckpt/Conversion/Passes.h"
#include "ckpt/Differentiation/Passes.h"
#include "ckpt/IR/CkptDialect.h"
#include "ckpt/Models/CostModels.h"
#include "ckpt/Models/DifferentiationModels.h"
#include "ckpt/Pipelines/Pipelines.h"
#include "ckpt/Transforms/Passes.h"
#include "mlir/IR/DialectRegistry.h"

void ckpt::registerCkptDialects(mlir::DialectRegistry &registry) {
  registry.insert<CkptDialect>();
  registerDifferentiationModels(registry);
  registerCostModels(registry);
  registerKernelTranslations(registry);
}

void ckpt::registerCkptPasses() {
  registerCkptConversionPasses();
  registerCkptDifferentiationPasses();
  registerCkptTransformsPasses();
  registerCkptPipelines();
}
