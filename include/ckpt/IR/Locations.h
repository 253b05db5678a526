//===- Locations.h - What locations remember ------------------*- C++ -*-===//
//
// Front ends keep the names of scopes in locations. We add to them: the region
// that an op came from, that an op belongs to the backward pass, and that it is
// a recomputation.
//
//===----------------------------------------------------------------------===//

#ifndef CKPT_IR_LOCATIONS_H
#define CKPT_IR_LOCATIONS_H

#include "ckpt/IR/CkptDialect.h"
#include "mlir/IR/Location.h"

namespace ckpt {

/// `loc`, noted as a recomputation: `loc("recomputed"(...))`.
mlir::Location markRecomputed(mlir::Location loc);
/// `loc`, noted as part of the backward pass: `loc("gradient"(...))`.
mlir::Location markGradient(mlir::Location loc);
bool isGradient(mlir::Location loc);

/// All names in `loc`, outermost first: scopes of front ends and our notes.
llvm::SmallVector<llvm::StringRef> getNames(mlir::Location loc);
/// The regions that an op at `loc` came from, outermost first.
llvm::SmallVector<ScopeAttr> getScopes(mlir::Location loc);

} // namespace ckpt

#endif // CKPT_IR_LOCATIONS_H
