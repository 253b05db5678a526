//===- ReverseMode.h - Reverse mode over a straight line of ops -*- C++ -*-===//
//
// What differentiation of a function and the rules of ops with bodies share:
// which values are active, sums of cotangents, and the backward walk that asks
// each op's rule.
//
//===----------------------------------------------------------------------===//

#ifndef CKPT_INTERFACES_REVERSEMODE_H
#define CKPT_INTERFACES_REVERSEMODE_H

#include "ckpt/Interfaces/DifferentiableOpInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace ckpt {

/// What `op` reads: its operands, then the values that its regions capture.
llvm::SmallVector<mlir::Value> getReadValues(mlir::Operation *op);

/// The values of `ops` (in program order) that depend differentiably on one of
/// `sources`, sources included.
llvm::DenseSet<mlir::Value>
findVariedValues(llvm::ArrayRef<mlir::Operation *> ops,
                 mlir::ValueRange sources);

/// The values of `ops` (in program order) that depend differentiably on one of
/// `sources` and on which one of `sinks` depends, sources and sinks included.
/// Time and memory are linear in the size of `ops`.
llvm::DenseSet<mlir::Value>
findActiveValues(llvm::ArrayRef<mlir::Operation *> ops,
                 mlir::ValueRange sources, mlir::ValueRange sinks);

/// Sums of cotangents, one per forward value that has any: those without are
/// symbolically zero. Contributions are added in the order in which they come,
/// in the type's accumulator type.
class CotangentMap {
public:
  /// With `deferGuards`, a guard stays beside the sum until the sum is taken,
  /// so that it covers everything computed from it; otherwise it is applied at
  /// once.
  explicit CotangentMap(bool deferGuards) : deferGuards(deferGuards) {}

  /// Adds `cotangent`, of `primal`'s type, to the cotangent of `primal`.
  void accumulate(mlir::ImplicitLocOpBuilder &builder, mlir::Value primal,
                  mlir::Value cotangent, Guard guard = {});
  /// The cotangent of `primal` with its guard applied; null if it is zero.
  mlir::Value lookup(mlir::ImplicitLocOpBuilder &builder,
                     mlir::Value primal) const;
  /// The cotangent of `primal` and the guard that has still to be applied.
  std::pair<mlir::Value, Guard>
  lookupGuarded(mlir::ImplicitLocOpBuilder &builder, mlir::Value primal) const;

private:
  struct Sum {
    mlir::Value value;
    Guard guard;
  };
  llvm::DenseMap<mlir::Value, Sum> sums;
  bool deferGuards;
};

/// Walks `ops` (in program order) backwards and emits the adjoint of each op
/// with a cotangent in `cotangents`, which grows by those of the active values
/// that it reads. `primal` is handed to the rules, `location` gives the
/// location of an op's adjoint. Fails after one error at the op at fault: an
/// active op without `DifferentiableOpInterface`, or one whose rule fails.
llvm::LogicalResult
emitAdjoints(mlir::OpBuilder &builder, llvm::ArrayRef<mlir::Operation *> ops,
             const llvm::DenseSet<mlir::Value> &active,
             llvm::function_ref<mlir::Value(mlir::Value)> primal,
             llvm::function_ref<mlir::Location(mlir::Operation *)> location,
             CotangentMap &cotangents);

} // namespace ckpt

#endif // CKPT_INTERFACES_REVERSEMODE_H
