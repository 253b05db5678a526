//===- DifferentiableOpInterface.h - Adjoints of ops ----------*- C++ -*-===//

#ifndef CKPT_INTERFACES_DIFFERENTIABLEOPINTERFACE_H
#define CKPT_INTERFACES_DIFFERENTIABLEOPINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace ckpt {

/// Where a contribution to a cotangent counts: where `condition` holds, or
/// where it does not if `negated`; everywhere if `condition` is null. Elsewhere
/// it is zero, whatever the contribution's value: a guarded infinity or NaN
/// never reaches a sum.
struct Guard {
  mlir::Value condition;
  bool negated = false;

  explicit operator bool() const { return static_cast<bool>(condition); }
  bool operator==(const Guard &other) const {
    return condition == other.condition && negated == other.negated;
  }
};

/// Adds `cotangent`, where `guard` lets it count, to the cotangent of `primal`.
using AccumulateFn = llvm::function_ref<void(
    mlir::Value primal, mlir::Value cotangent, Guard guard)>;

/// `ckpt.custom_gradient` on a function: the function that computes its
/// adjoint, called with the arguments and then a cotangent for each result that
/// carries a gradient; it returns a cotangent for each argument that carries
/// one.
inline constexpr llvm::StringLiteral customGradientAttrName =
    "ckpt.custom_gradient";

} // namespace ckpt

#include "ckpt/Interfaces/DifferentiableOpInterface.h.inc"

#endif // CKPT_INTERFACES_DIFFERENTIABLEOPINTERFACE_H
