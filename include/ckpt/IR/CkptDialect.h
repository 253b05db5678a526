//===- CkptDialect.h - The ckpt dialect -----------------------*- C++ -*-===//

#ifndef CKPT_IR_CKPTDIALECT_H
#define CKPT_IR_CKPTDIALECT_H

#include "ckpt/Interfaces/DifferentiableOpInterface.h"
#include "ckpt/Interfaces/RematerializableOpInterface.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ckpt/IR/CkptOpsDialect.h.inc"

#include "ckpt/IR/CkptEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ckpt/IR/CkptAttributes.h.inc"

#define GET_OP_CLASSES
#include "ckpt/IR/CkptOps.h.inc"

namespace ckpt {

/// `ckpt.policy` on a function: its default policy.
inline constexpr llvm::StringLiteral policyAttrName = "ckpt.policy";
/// `ckpt.plan` on a function: the plan for its body.
inline constexpr llvm::StringLiteral planAttrName = "ckpt.plan";
/// `ckpt.op` on an op: its number in the plan.
inline constexpr llvm::StringLiteral opNumberAttrName = "ckpt.op";

} // namespace ckpt

#endif // CKPT_IR_CKPTDIALECT_H
