//===- Passes.h - The form of linalg that is planned ----------*- C++ -*-===//

#ifndef CKPT_CONVERSION_LINALGTOLINALG_PASSES_H
#define CKPT_CONVERSION_LINALGTOLINALG_PASSES_H

#include "mlir/Pass/Pass.h"

namespace ckpt {

#define GEN_PASS_DECL
#include "ckpt/Conversion/LinalgToLinalg/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ckpt/Conversion/LinalgToLinalg/Passes.h.inc"

} // namespace ckpt

#endif // CKPT_CONVERSION_LINALGTOLINALG_PASSES_H
