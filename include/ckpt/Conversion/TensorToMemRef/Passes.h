//===- Passes.h - From tensors to one arena -------------------*- C++ -*-===//

#ifndef CKPT_CONVERSION_TENSORTOMEMREF_PASSES_H
#define CKPT_CONVERSION_TENSORTOMEMREF_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace ckpt {

#define GEN_PASS_DECL
#include "ckpt/Conversion/TensorToMemRef/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ckpt/Conversion/TensorToMemRef/Passes.h.inc"

} // namespace ckpt

#endif // CKPT_CONVERSION_TENSORTOMEMREF_PASSES_H
