//===- DifferentiationModels.cpp - Adjoints of upstream ops ---------------===//

#include "ckpt/Models/DifferentiationModels.h"

void ckpt::registerDifferentiationModels(mlir::DialectRegistry &registry) {
  registerBuiltinDifferentiation(registry);
  registerArithDifferentiation(registry);
  registerFuncDifferentiation(registry);
  registerLinalgDifferentiation(registry);
  registerMathDifferentiation(registry);
  registerTensorDifferentiation(registry);
}
