//===- Registration.cpp - Everything that embedders register --------------===//

#include "ckpt/Pipelines/Registration.h"

#include "ckpt/Differentiation/Passes.h"
#include "ckpt/IR/CkptDialect.h"
#include "ckpt/Models/Models.h"
#include "mlir/IR/DialectRegistry.h"

void ckpt::registerCkptDialects(mlir::DialectRegistry &registry) {
  registry.insert<CkptDialect>();
  registerAllModels(registry);
}

void ckpt::registerCkptPasses() { registerCkptDifferentiationPasses(); }
