//===- Payload.h - Operands and payloads inside kernels ---------*- C++ -*-===//
#ifndef CKPT_LIB_CONVERSION_LINALGTOGPU_PAYLOAD_H
#define CKPT_LIB_CONVERSION_LINALGTOGPU_PAYLOAD_H

#include "Operand.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "llvm/ADT/BitVector.h"

namespace ckpt {

/// Ops of the payload that `wanted` values depend on, and checks (cf.assert)
/// that guard them, in program order.
llvm::SetVector<mlir::Operation *>
payloadSlice(mlir::Block &payload, llvm::ArrayRef<mlir::Value> wanted);

/// The inputs that `wanted` values of the payload are computed from.
llvm::BitVector usedInputs(LoopNest &nest, llvm::ArrayRef<mlir::Value> wanted);

/// Whether they depend on what outputs hold.
bool readsOutputs(LoopNest &nest, llvm::ArrayRef<mlir::Value> wanted);

/// How many iterations of `loop` can compute `wanted` at once, with memory
/// accesses of up to 16 bytes for the inputs that these need and for `stored`
/// outputs: a power of two that divides the loop's size (or, `withTail`, is at
/// most the size), 1 where the payload or an operand forbids more.
int64_t payloadWidth(LoopNest &nest, unsigned loop,
                     llvm::ArrayRef<mlir::Value> wanted,
                     llvm::ArrayRef<const Access *> stored, bool withTail);

/// Emits the part of the payload that computes `wanted` at `point` and returns
/// their values. Inputs are loaded as they are needed; block arguments in
/// `known` have values already. Where a check fails the failure is recorded,
/// nothing after it is evaluated, and the values are zeros. Everything the
/// payload captures must have been captured by `kernel`.
llvm::SmallVector<mlir::Value> emitPayload(KernelBuilder &kernel,
                                           LoopNest &nest, const Point &point,
                                           llvm::ArrayRef<mlir::Value> wanted,
                                           const mlir::IRMapping &known = {});

/// What a failing check says: where it is and its text. A recomputed check says
/// the same as the original.
mlir::StringAttr checkMessage(mlir::cf::AssertOp check);

/// Captures what the payload and the scalar operands use from outside. Fails
/// with an error at the op where that cannot be done.
mlir::LogicalResult capturePayload(KernelBuilder &kernel, LoopNest &nest);

} // namespace ckpt

#endif // CKPT_LIB_CONVERSION_LINALGTOGPU_PAYLOAD_H
