//===- Passes.h - From tensors to kernels and host code ---------*- C++ -*-===//
//
// Each pass is a shell over a function of the headers beside this one.
//
//===----------------------------------------------------------------------===//

#ifndef CKPT_CONVERSION_PASSES_H
#define CKPT_CONVERSION_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace ckpt {

#define GEN_PASS_DECL
#include "ckpt/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ckpt/Conversion/Passes.h.inc"

} // namespace ckpt

#endif // CKPT_CONVERSION_PASSES_H
