//===- Payload.h - Operands and payloads inside kernels ---------*- C++ -*-===//
#ifndef CKPT_LIB_CONVERSION_LINALGTOGPU_PAYLOAD_H
#define CKPT_LIB_CONVERSION_LINALGTOGPU_PAYLOAD_H

#include "KernelBuilder.h"
#include "LoopNest.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace ckpt {

/// Where in a nest code is emitted: an index per loop (null: zero), and how
/// many iterations of loop `vectorLoop`, starting at its index, run at once as
/// the elements of vectors.
struct Point {
  llvm::SmallVector<mlir::Value> indices;
  unsigned vectorLoop = 0;
  int64_t width = 1;

  /// `type`, or vectors of it.
  mlir::Type typeOf(mlir::Type type) const;
};

/// How many iterations of `loop` can run at once with memory accesses of up to
/// 16 bytes each: a power of two that divides the loop's size (its largest
/// multiple, if `withTail`), 1 where the payload or an operand forbids more.
/// `wanted` values of the payload are all that is to be computed.
int64_t vectorWidth(LoopNest &nest, unsigned loop, bool withTail,
                    llvm::ArrayRef<mlir::Value> wanted);

/// Loads the operand's element (or `width` elements) at `point`. A scalar
/// operand is its captured value; a splat constant its element.
mlir::Value loadOperand(KernelBuilder &kernel, const Access &access,
                        const Point &point);
/// The value that output number `output` has before the nest.
mlir::Value loadInitial(KernelBuilder &kernel, const LoopNest &nest,
                        unsigned output, const Point &point);
void storeOperand(KernelBuilder &kernel, mlir::Value value,
                  const Access &access, const Point &point);

/// Ops of the payload that `wanted` values depend on, and checks (cf.assert)
/// that guard them, in program order.
llvm::SetVector<mlir::Operation *>
payloadSlice(mlir::Block &payload, llvm::ArrayRef<mlir::Value> wanted);

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
