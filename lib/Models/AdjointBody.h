//===- AdjointBody.h - Builds a generic from another's body ---*- C++ -*-===//

#ifndef CKPT_LIB_MODELS_ADJOINTBODY_H
#define CKPT_LIB_MODELS_ADJOINTBODY_H

#include "Accumulation.h"
#include "LinearIndex.h"
#include "mlir/IR/IRMapping.h"

namespace ckpt::models {

/// Builds a `linalg.generic` whose body starts with the scalars of the body of
/// `op`, recomputed. It runs over the loops of `op`, in their order, and then
/// over those that `addLoop` adds. In the end, what the result does not depend
/// on is dropped: ops, inputs.
class AdjointBody {
public:
  /// The generic is created where `builder` stands, with its location. `primal`
  /// gives the values to read for the operands and captured values of `op`.
  AdjointBody(mlir::linalg::LinalgOp op, mlir::ImplicitLocOpBuilder &builder,
              llvm::function_ref<mlir::Value(mlir::Value)> primal);
  ~AdjointBody();

  /// Adds a loop and returns its number.
  unsigned addLoop(int64_t extent);
  /// Replaces loop `loop` of `op` by one over the `extent` values of `index`,
  /// in which it has a term: an iteration stands for the one of `op` that has
  /// this value, if there is one (`getInWindow`). Only before anything is
  /// cloned.
  void replaceLoop(unsigned loop, const LinearIndex &index, int64_t extent);
  /// Whether the iteration stands for one of `op`; null if all do.
  mlir::Value getInWindow() const { return inWindow; }
  /// Adds a tensor or scalar to read at `map`, over loops that exist; returns
  /// its element.
  mlir::Value addInput(mlir::Value tensor, mlir::AffineMap map);
  /// Emits the scalars of the body of `op` that are the same in whatever order
  /// the iterations run, with loop `i` of `op` replaced by `loops[i]`; without
  /// its assertions, which the forward op has checked.
  void cloneScalars(llvm::ArrayRef<unsigned> loops);
  void cloneScalars();

  /// Inserts into the body.
  mlir::ImplicitLocOpBuilder &getBuilder() { return body; }
  /// The recomputed scalar for `value` of the body of `op`; null for others.
  mlir::Value lookup(mlir::Value value) const {
    return mapping.lookupOrNull(value);
  }
  /// The index of loop `loop`, that of the op if the loop was replaced.
  mlir::Value getIndex(unsigned loop);
  unsigned getNumLoops() const { return extents.size(); }
  /// A map over the loops that exist.
  mlir::AffineMap getMap(llvm::ArrayRef<mlir::AffineExpr> results) const;

  /// Whether several iterations have the same place `map`.
  bool hasReducedLoop(mlir::AffineMap map) const;

  /// The tensor whose element is `scalar`, if it is read from a tensor at `map`
  /// and that covers a tensor of `type`: then no generic is needed.
  mlir::Value findTensor(mlir::Value scalar, mlir::AffineMap map,
                         mlir::Type type) const;

  /// A tensor of `type` with `scalar` at `map`, in which each element is
  /// written once. Elements that are not written are those of `base`, which may
  /// be null if there are none.
  mlir::Value createWrite(mlir::Value scalar, mlir::AffineMap map,
                          mlir::RankedTensorType type, mlir::Value base);
  /// `base` + the sums of `scalar` over the loops that are not in `map`. `base`
  /// has the accumulator type of the scalar, or a wider one.
  mlir::Value createSum(mlir::Value scalar, mlir::AffineMap map,
                        mlir::Value base);
  /// `base` * the products of `scalar` over the loops that are not in `map`.
  mlir::Value createProduct(mlir::Value scalar, mlir::AffineMap map,
                            mlir::Value base);

  /// The least of `base` and of `scalar`, integers, over the loops that are not
  /// in `map`.
  mlir::Value createMinimum(mlir::Value scalar, mlir::AffineMap map,
                            mlir::Value base);

  /// Whether an element of a tensor of `type` is at `map` for each iteration,
  /// and each element exactly once but for loops that are not in `map`.
  bool coversTensor(mlir::AffineMap map, mlir::RankedTensorType type) const;

private:
  struct Input {
    mlir::Value tensor;
    mlir::AffineMap map;
    mlir::BlockArgument element;
    /// Whether `tensor` is a forward value, to be looked up.
    bool isPrimal;
  };

  mlir::BlockArgument addElement(mlir::Type type);
  mlir::Value emitConstant(int64_t value);
  mlir::Value emitIndex(const LinearIndex &index);
  mlir::Value addRead(mlir::Value tensor, mlir::AffineMap map, bool isPrimal);
  mlir::AffineMap normalize(mlir::AffineMap map) const;
  bool isReduced(unsigned loop, mlir::AffineMap map) const;
  mlir::Value createGeneric(mlir::Value yielded, mlir::AffineMap map,
                            mlir::Value init, mlir::BlockArgument initElement);
  void eraseDeadOps();
  void readThroughExtensions();
  llvm::SmallVector<Input> takeUsedInputs();
  void coverLoops(mlir::AffineMap map, llvm::SmallVectorImpl<Input> &used);
  void lookUpCapturedValues(mlir::Operation *generic);

  mlir::linalg::LinalgOp op;
  mlir::ImplicitLocOpBuilder &builder;
  llvm::function_ref<mlir::Value(mlir::Value)> primal;
  std::unique_ptr<mlir::Block> block;
  mlir::ImplicitLocOpBuilder body;
  mlir::IRMapping mapping;
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<Input> inputs;
  /// The index of `op`'s loop for each loop that was replaced.
  llvm::DenseMap<unsigned, mlir::Value> replaced;
  mlir::Value inWindow;
};

} // namespace ckpt::models

#endif // CKPT_LIB_MODELS_ADJOINTBODY_H
