//===- Passes.h - Differentiation passes ----------------------*- C++ -*-===//

#ifndef CKPT_DIFFERENTIATION_PASSES_H
#define CKPT_DIFFERENTIATION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace ckpt {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ckpt/Differentiation/Passes.h.inc"

} // namespace ckpt

#endif // CKPT_DIFFERENTIATION_PASSES_H
