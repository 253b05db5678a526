//===- LoopNest.h - The neutral form of a structured op ---------*- C++ -*-===//
//
// Kernels are emitted from one form: a rectangular nest of loops, operands
// whose addresses are linear in the loop indices, and a payload. Named ops,
// copies, transposes, broadcasts, windows (maps like d1 + 2 * d4) and reversals
// (-d0 + 2) all come to that.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_LIB_CONVERSION_LINALGTOGPU_LOOPNEST_H
#define CKPT_LIB_CONVERSION_LINALGTOGPU_LOOPNEST_H

#include "BufferView.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace ckpt {

/// An operand of a nest: its element at indices `i` is
/// `constant + sum_d strides[d] * i[d]` elements after the view's first one.
struct Access {
  /// Unset where `scalar` is set.
  BufferView view;
  /// A value from outside the payload instead of memory.
  mlir::Value scalar;
  int64_t constant = 0;
  /// One per loop of the nest.
  llvm::SmallVector<int64_t> strides;
};

struct Loop {
  int64_t size = 1;
  bool isReduction = false;
  /// The payload asks for this loop's index.
  bool isIndexed = false;
};

/// A structured op in neutral form. Loops are outermost first: parallel ones by
/// falling stride of the first output, then the reductions in program order;
/// loops of size one are gone, and neighbours that walk memory as one are one.
struct LoopNest {
  mlir::linalg::GenericOp op;
  llvm::SmallVector<Loop> loops;
  /// The operands in the order of the payload's block arguments.
  llvm::SmallVector<Access> inputs;
  llvm::SmallVector<Access> outputs;
  /// Per output: the constant that is its value before the nest, in place of
  /// what its memory holds. Null: memory.
  llvm::SmallVector<mlir::TypedAttr> initialValues;
  /// For each loop of the op, the loop of the nest that it became; -1: its
  /// index is always zero.
  llvm::SmallVector<int64_t> loopOfOriginal;

  mlir::Block &payload() { return *op.getBody(); }
  int64_t numInputs() const { return inputs.size(); }
  llvm::SmallVector<unsigned> parallelLoops() const;
  llvm::SmallVector<unsigned> reductionLoops() const;
  int64_t sizeOf(llvm::ArrayRef<unsigned> loops) const;
  /// Whether some loop runs zero times.
  bool isEmpty() const;
};

/// Brings `op` (on memrefs) into neutral form. Fails with an error at the op
/// where an operand is not a static view or its map is not linear.
mlir::FailureOr<LoopNest> buildLoopNest(mlir::linalg::GenericOp op,
                                        BufferViews &views);

/// Merges neighbouring loops that every operand walks as one.
void coalesceLoops(LoopNest &nest);

/// Puts the loops into the order `order` (a permutation of their numbers).
void permuteLoops(LoopNest &nest, llvm::ArrayRef<unsigned> order);

} // namespace ckpt

#endif // CKPT_LIB_CONVERSION_LINALGTOGPU_LOOPNEST_H
