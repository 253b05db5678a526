//===- DifferentiableTypeInterface.cpp - Cotangents -----------------------===//

#include "ckpt/Interfaces/DifferentiableTypeInterface.h"

using namespace mlir;

#include "ckpt/Interfaces/DifferentiableTypeInterface.cpp.inc"

bool ckpt::carriesGradient(Type type) {
  auto differentiable = dyn_cast<DifferentiableTypeInterface>(type);
  return !differentiable || differentiable.carriesGradient();
}
