//===- LinearIndex.h - Sums of multiples of loops -------------*- C++ -*-===//

#ifndef CKPT_LIB_MODELS_LINEARINDEX_H
#define CKPT_LIB_MODELS_LINEARINDEX_H

#include "mlir/IR/AffineMap.h"

namespace ckpt::models {

/// An index of a tensor: a constant and multiples of loops, as the places that
/// a convolution reads.
struct LinearIndex {
  /// A loop and what it is multiplied by, which is not 0.
  struct Term {
    unsigned loop;
    int64_t factor;
  };

  llvm::SmallVector<Term> terms;
  int64_t constant = 0;
};

/// `expr` in that form, its terms by increasing loop, if it has it.
std::optional<LinearIndex> findLinearIndex(mlir::AffineExpr expr);

/// Whether each result of `map` is a constant or a loop of its own.
bool isProjection(mlir::AffineMap map);

/// Whether each result of `map` is a linear index and no loop is in two of
/// them.
bool isSeparable(mlir::AffineMap map);

} // namespace ckpt::models

#endif // CKPT_LIB_MODELS_LINEARINDEX_H
