//===- Operand.h - Loads and stores of a nest's operands --------*- C++ -*-===//
#ifndef CKPT_LIB_CONVERSION_LINALGTOGPU_OPERAND_H
#define CKPT_LIB_CONVERSION_LINALGTOGPU_OPERAND_H

#include "KernelBuilder.h"
#include "LoopNest.h"

namespace ckpt {

/// The widest access of memory: ld.global.v4.f32 and its relatives.
inline constexpr int64_t maxAccessBytes = 16;

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

/// Whether iterations of `loop` are neighbours in the operand's memory.
bool canAccessAsVector(const Access &access, unsigned loop);

/// Largest power of two at most `limit` (one itself) to which, in elements, the
/// operand's address is aligned at the start of `loop`, wherever the other
/// loops are.
int64_t alignedElements(const Access &access, unsigned loop, int64_t limit);

/// How many iterations of `loop` one access of the operand can take: a power of
/// two that divides the loop's size; 1 if they are not neighbours in memory.
int64_t accessWidth(const LoopNest &nest, const Access &access, unsigned loop);

/// `value` in all elements of a vector of the point's width.
mlir::Value broadcast(KernelBuilder &kernel, mlir::Value value,
                      const Point &point);

/// Loads the operand's element (or `width` elements) at `point`. A scalar
/// operand is its captured value; a splat constant its element.
mlir::Value loadOperand(KernelBuilder &kernel, const Access &access,
                        const Point &point);
/// The value that output number `output` has before the nest.
mlir::Value loadInitial(KernelBuilder &kernel, const LoopNest &nest,
                        unsigned output, const Point &point);
void storeOperand(KernelBuilder &kernel, mlir::Value value,
                  const Access &access, const Point &point);

} // namespace ckpt

#endif // CKPT_LIB_CONVERSION_LINALGTOGPU_OPERAND_H
