//===- Regions.h - Dissolving rematerialisation regions -------*- C++ -*-===//

#ifndef CKPT_IR_REGIONS_H
#define CKPT_IR_REGIONS_H

#include "ckpt/IR/CkptDialect.h"

namespace ckpt {

/// Replaces every `ckpt.region` below `root` by the ops of its body. Each of
/// them keeps the region's name and policy in its location (`#ckpt.scope`).
void inlineRegions(mlir::Operation *root);

} // namespace ckpt

#endif // CKPT_IR_REGIONS_H
