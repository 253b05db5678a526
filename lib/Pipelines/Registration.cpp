//===- Registration.cpp - Everything that embedders register --------------===//

#include "ckpt/Pipelines/Registration.h"

#include "ckpt/Conversion/LinalgToLinalg/Passes.h"
#include "ckpt/Conversion/TensorToMemRef/Passes.h"
#include "ckpt/IR/CkptDialect.h"
#include "ckpt/Models/CostModels.h"
#include "ckpt/Transforms/Passes.h"
#include "mlir/IR/DialectRegistry.h"

void ckpt::registerCkptDialects(mlir::DialectRegistry &registry) {
  registry.insert<CkptDialect>();
  registerCostModels(registry);
}

void ckpt::registerCkptPasses() {
  registerCkptLinalgToLinalgPasses();
  registerCkptTensorToMemRefPasses();
  registerCkptTransformsPasses();
}
