//===- StructuredAdjoint.h - Adjoints of linalg ops -----------*- C++ -*-===//
//
// The adjoint of a structured op is one `linalg.generic` per value that it
// reads and whose gradient is wanted. Its body recomputes the scalars of the
// op's body that it needs, and then runs backwards through them, from the
// cotangents of the results to the element that was read. The cotangent's map
// is the result's; the gradient's map is that of the element, so loops that are
// not in it become sums.
//
//===----------------------------------------------------------------------===//

#ifndef CKPT_LIB_MODELS_STRUCTUREDADJOINT_H
#define CKPT_LIB_MODELS_STRUCTUREDADJOINT_H

#include "Accumulation.h"
#include "ckpt/Interfaces/DifferentiableOpInterface.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace ckpt::models {

/// Scalars of a body that are elements of one tensor (or are one scalar), all
/// read at the same place.
struct ElementRead {
  /// The values of the body.
  llvm::SmallVector<mlir::Value> scalars;
  /// The tensor or scalar, an operand of the op or captured.
  mlir::Value source;
  /// The place: for each dimension of the tensor, a loop or 0. Loops are those
  /// of the op and then one for each of `extraLoops`.
  llvm::SmallVector<mlir::AffineExpr> place;
  /// Extents of additional loops, one for each dimension whose index is
  /// computed: `indices` are those, values of the body of type index. An
  /// iteration reads the place if each index is that of its loop.
  llvm::SmallVector<int64_t> extraLoops;
  llvm::SmallVector<mlir::Value> indices;
};

/// The indexing map of `result`.
mlir::AffineMap getResultMap(mlir::linalg::LinalgOp op, mlir::OpResult result);

/// The value of the body at which the cotangent of `result` enters.
mlir::Value getEntry(mlir::linalg::LinalgOp op, mlir::OpResult result,
                     const Accumulation &accumulation);

/// What the body of `op` reads of active values, but for the inits: those are
/// read in their own way.
std::vector<ElementRead>
findReads(mlir::linalg::LinalgOp op,
          llvm::function_ref<bool(mlir::Value)> isActive);

/// The block argument of the init of `result` if the body reads the init as it
/// was; null otherwise.
mlir::BlockArgument getReadInit(mlir::linalg::LinalgOp op,
                                mlir::OpResult result);

/// The result of `op` whose elements are the values of `scalar`, computed in
/// the body; null if there is none. Rules read such a scalar from the result.
mlir::OpResult findResultOf(mlir::linalg::LinalgOp op, mlir::Value scalar);

/// The ops of the body of `op` but for those that define `scalars`.
llvm::SmallVector<mlir::Operation *> getBodyOps(mlir::linalg::LinalgOp op,
                                                mlir::ValueRange scalars);

/// The elements of captured tensors that the body of `op` reads by
/// `tensor.extract`, those tensors alone for which `isActive` holds.
std::vector<ElementRead>
findGathers(mlir::linalg::LinalgOp op,
            llvm::function_ref<bool(mlir::Value)> isActive);

/// An error at an op in the body of `op` that uses an active tensor in another
/// way than `findGathers` finds.
llvm::LogicalResult
verifyGathers(mlir::linalg::LinalgOp op,
              llvm::function_ref<bool(mlir::Value)> isActive);

/// `DifferentiableOpInterface::getNeededPrimals` of every structured op.
void getStructuredPrimals(mlir::linalg::LinalgOp op,
                          llvm::function_ref<bool(mlir::Value)> isActive,
                          llvm::SmallVectorImpl<mlir::Value> &primals);

/// `DifferentiableOpInterface::emitAdjoint` of every structured op.
llvm::LogicalResult
emitStructuredAdjoint(mlir::linalg::LinalgOp op,
                      mlir::ImplicitLocOpBuilder &builder,
                      llvm::ArrayRef<mlir::Value> cotangents,
                      llvm::function_ref<bool(mlir::Value)> isActive,
                      llvm::function_ref<mlir::Value(mlir::Value)> primal,
                      AccumulateFn accumulate);

} // namespace ckpt::models

#endif // CKPT_LIB_MODELS_STRUCTUREDADJOINT_H
