//===- Accumulation.h - How a linalg op forms its results -----*- C++ -*-===//

#ifndef CKPT_LIB_MODELS_ACCUMULATION_H
#define CKPT_LIB_MODELS_ACCUMULATION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseSet.h"

namespace ckpt::models {

/// How one element of a result arises from the iterations that write it.
struct Accumulation {
  enum class Kind {
    Write,    ///< one iteration writes it (it may read the init's element)
    Sum,      ///< init + the sum of terms; the derivative by each is 1
    Product,  ///< init * the product of `term` over the iterations
    Extremum, ///< the greatest or the least of init and `term`
    Unknown   ///< anything else
  };

  Kind kind = Kind::Unknown;
  /// What an iteration contributes, a value of the body; null for `Write` and
  /// `Sum`.
  mlir::Value term;
  /// `Extremum`: the result that holds the index, in the one loop that is
  /// reduced, of the iteration whose term was chosen; null if there is none.
  mlir::OpResult index;
};

/// Whether loop `loop` of `op`, which has static shapes, has one iteration.
bool isUnitLoop(mlir::linalg::LinalgOp op, unsigned loop);

/// Whether several iterations write the same element of result `resultNumber`,
/// so that its block argument carries values from one to another.
bool isCarried(mlir::linalg::LinalgOp op, unsigned resultNumber);

/// The values of `op`'s body that depend on a carried argument, these included:
/// they have a value of their own in each iteration and cannot be recomputed.
llvm::DenseSet<mlir::Value> findCarriedValues(mlir::linalg::LinalgOp op);

/// The accumulation of result `resultNumber` of `op`, read from its body.
Accumulation findAccumulation(mlir::linalg::LinalgOp op, unsigned resultNumber);

} // namespace ckpt::models

#endif // CKPT_LIB_MODELS_ACCUMULATION_H
