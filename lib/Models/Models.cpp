//===- Models.cpp - Our interfaces for upstream ops -----------------------===//

#include "ckpt/Models/Models.h"

void ckpt::registerAllModels(mlir::DialectRegistry &registry) {
  registerBuiltinDifferentiation(registry);
  registerArithDifferentiation(registry);
  registerFuncDifferentiation(registry);
  registerLinalgDifferentiation(registry);
  registerMathDifferentiation(registry);
  registerTensorDifferentiation(registry);
}
