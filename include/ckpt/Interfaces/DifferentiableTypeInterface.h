//===- DifferentiableTypeInterface.h - Cotangents -------------*- C++ -*-===//

#ifndef CKPT_INTERFACES_DIFFERENTIABLETYPEINTERFACE_H
#define CKPT_INTERFACES_DIFFERENTIABLETYPEINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Types.h"

#include "ckpt/Interfaces/DifferentiableTypeInterface.h.inc"

namespace ckpt {

/// Whether a value of `type` can depend differentiably on another: true for
/// types that do not implement the interface.
bool carriesGradient(mlir::Type type);

} // namespace ckpt

#endif // CKPT_INTERFACES_DIFFERENTIABLETYPEINTERFACE_H
