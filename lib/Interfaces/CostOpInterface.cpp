//===- CostOpInterface.cpp - What an op costs -----------------------------===//

#include "ckpt/Interfaces/CostOpInterface.h"

using namespace mlir;

#include "ckpt/Interfaces/CostOpInterface.cpp.inc"

static constexpr std::pair<ckpt::OpKind, StringLiteral> kindNames[] = {
    {ckpt::OpKind::Contraction, "contraction"},
    {ckpt::OpKind::Elementwise, "elementwise"},
    {ckpt::OpKind::Reduction, "reduction"},
    {ckpt::OpKind::DataMovement, "data_movement"},
    {ckpt::OpKind::Other, "other"},
};

StringRef ckpt::stringifyOpKind(OpKind kind) {
  for (const auto &[value, name] : kindNames)
    if (value == kind)
      return name;
  llvm_unreachable("every kind has a name");
}

std::optional<ckpt::OpKind> ckpt::symbolizeOpKind(StringRef name) {
  for (const auto &[value, known] : kindNames)
    if (known == name)
      return value;
  return std::nullopt;
}

ckpt::OpKind ckpt::getOpKind(Operation *op) {
  auto cost = dyn_cast<CostOpInterface>(op);
  return cost ? cost.getKind() : OpKind::Other;
}

int64_t ckpt::getFlops(Operation *op) {
  auto cost = dyn_cast<CostOpInterface>(op);
  return cost ? cost.getFlops() : 0;
}
