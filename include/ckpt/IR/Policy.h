//===- Policy.h - What policies say of a value ----------------*- C++ -*-===//

#ifndef CKPT_IR_POLICY_H
#define CKPT_IR_POLICY_H

#include "ckpt/IR/CkptDialect.h"

namespace ckpt {

/// What a policy says of one value, and which rule said so.
struct PolicyDecision {
  Decision decision = Decision::Auto;
  Strength strength = Strength::Prefer;
  /// Null where a policy's default decided, or nothing did.
  RuleAttr rule;
};

/// The decision for the results of `op`: that of the innermost region it came
/// from, then outwards, then of `functionPolicy` (may be null). A region's own
/// default counts only where no rule of its policy matches. Ops of the backward
/// pass are never matched.
PolicyDecision lookupPolicy(mlir::Operation *op, PolicyAttr functionPolicy);

} // namespace ckpt

#endif // CKPT_IR_POLICY_H
