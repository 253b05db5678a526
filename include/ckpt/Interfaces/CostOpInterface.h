//===- CostOpInterface.h - What an op costs -------------------*- C++ -*-===//

#ifndef CKPT_INTERFACES_COSTOPINTERFACE_H
#define CKPT_INTERFACES_COSTOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"

#include <optional>

namespace ckpt {

/// What an op does, as far as policies and the cost model distinguish it.
enum class OpKind {
  Contraction,  ///< products summed over a shared dimension
  Elementwise,  ///< one result element from one element of each input
  Reduction,    ///< fewer result elements than input elements
  DataMovement, ///< copies, slices, concatenations, gathers
  Other         ///< nothing is known
};

/// "contraction", "elementwise", "reduction", "data_movement", "other".
llvm::StringRef stringifyOpKind(OpKind kind);
std::optional<OpKind> symbolizeOpKind(llvm::StringRef name);

} // namespace ckpt

#include "ckpt/Interfaces/CostOpInterface.h.inc"

namespace ckpt {

/// The kind of `op`; `Other` where it does not implement the interface.
OpKind getOpKind(mlir::Operation *op);
/// The operations of one execution of `op`; 0 where it does not implement the
/// interface.
int64_t getFlops(mlir::Operation *op);

} // namespace ckpt

#endif // CKPT_INTERFACES_COSTOPINTERFACE_H
