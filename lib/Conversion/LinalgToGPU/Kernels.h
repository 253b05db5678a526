//===- Kernels.h - One emitter per kind of kernel ---------------*- C++ -*-===//
//
// Each emitter fills an empty kernel for a nest and ends it, or fails with an
// error at the nest's op.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_LIB_CONVERSION_LINALGTOGPU_KERNELS_H
#define CKPT_LIB_CONVERSION_LINALGTOGPU_KERNELS_H

#include "KernelBuilder.h"
#include "LoopNest.h"
#include <optional>

namespace ckpt {

/// The op by which a reduction combines values: `acc = op(acc, value)`.
struct Combiner {
  /// In the payload; cloned for each use.
  mlir::Operation *op;
  /// What the payload combines with the accumulator in each iteration.
  mlir::Value value;
  /// The type of the accumulator between iterations.
  mlir::Type type;

  mlir::Value identity(KernelBuilder &kernel, mlir::Type type) const;
  mlir::Value combine(KernelBuilder &kernel, mlir::Value lhs,
                      mlir::Value rhs) const;
  /// `value` in the accumulator's type, and back in that of memory.
  mlir::Value widen(KernelBuilder &kernel, mlir::Value value) const;
  mlir::Value narrow(KernelBuilder &kernel, mlir::Value value,
                     mlir::Type type) const;
};

/// The combiner of output `number`, if the payload has the form of one and the
/// value combined does not depend on the accumulator.
std::optional<Combiner> matchCombiner(LoopNest &nest, unsigned number);

/// The type in which values of `type` accumulate: f32 for bf16 and f16, i32 for
/// narrower integers.
mlir::Type accumulatorType(mlir::Type type);

/// Converts a number, or a vector of them, to elements of `type`, between
/// floats or between integers.
mlir::Value convertNumber(KernelBuilder &kernel, mlir::Value value,
                          mlir::Type type, bool isSigned);

/// A nest that is `out += left * right`, with loops by what they index.
struct Contraction {
  Combiner combiner;
  /// The factors, as values of the payload.
  mlir::Value left, right;
  llvm::SmallVector<unsigned> batch, rows, columns, depth;
};

/// Matches a contraction that is worth tiles: both rows and columns.
std::optional<Contraction> matchContraction(LoopNest &nest);

/// A parallel nest whose outputs are contiguous along one loop and some of
/// whose inputs are along another.
struct Transposition {
  unsigned outputLoop = 0, inputLoop = 0;
  llvm::SmallVector<unsigned> inputs;
};

/// Matches a transposition that is worth tiles.
std::optional<Transposition> matchTransposition(LoopNest &nest);

/// All loops parallel: copies, broadcasts, transposes, gathers, arithmetic.
mlir::LogicalResult emitElementwise(KernelBuilder &kernel, LoopNest &nest);
/// Tiles through shared memory.
mlir::LogicalResult emitTransposition(KernelBuilder &kernel, LoopNest &nest,
                                      const Transposition &transposition);
/// Any set of reduced loops.
mlir::LogicalResult emitReduction(KernelBuilder &kernel, LoopNest &nest);
/// Tiles through shared memory.
mlir::LogicalResult emitContraction(KernelBuilder &kernel, LoopNest &nest,
                                    const Contraction &contraction);

} // namespace ckpt

#endif // CKPT_LIB_CONVERSION_LINALGTOGPU_KERNELS_H
