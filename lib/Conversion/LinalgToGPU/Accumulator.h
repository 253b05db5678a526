//===- Accumulator.h - What a reduction carries along -----------*- C++ -*-===//
#ifndef CKPT_LIB_CONVERSION_LINALGTOGPU_ACCUMULATOR_H
#define CKPT_LIB_CONVERSION_LINALGTOGPU_ACCUMULATOR_H

#include "Kernels.h"
#include "Payload.h"
#include <memory>

namespace ckpt {

/// How one or two outputs of a nest are accumulated, in any order of the
/// iterations. The state is a fixed number of values; combine() is associative
/// and commutative up to rounding.
class Accumulator {
public:
  virtual ~Accumulator() = default;

  virtual llvm::SmallVector<mlir::Type> stateTypes() const = 0;
  /// Whether the state may be of vectors.
  virtual bool mayBeVector() const = 0;
  /// The values of the payload from which an iteration's state is made.
  virtual llvm::SmallVector<mlir::Value> wanted() const = 0;
  /// The state of no iterations, as vectors where the point has a width.
  virtual llvm::SmallVector<mlir::Value> identity(KernelBuilder &kernel,
                                                  const Point &point) const = 0;
  /// The state of one iteration, number `iteration` in program order.
  virtual llvm::SmallVector<mlir::Value> start(KernelBuilder &kernel,
                                               mlir::ValueRange values,
                                               mlir::Value iteration) const = 0;
  virtual llvm::SmallVector<mlir::Value>
  combine(KernelBuilder &kernel, mlir::ValueRange lhs,
          mlir::ValueRange rhs) const = 0;
  /// Stores what the state and the outputs' initial values give.
  virtual void finish(KernelBuilder &kernel, LoopNest &nest, const Point &point,
                      mlir::ValueRange state) const = 0;
};

using Accumulators = llvm::SmallVector<std::unique_ptr<Accumulator>, 2>;

/// Accumulators of the outputs `carried`; none if the payload is not of a form
/// that is known.
Accumulators matchAccumulators(LoopNest &nest,
                               llvm::ArrayRef<unsigned> carried);

} // namespace ckpt

#endif // CKPT_LIB_CONVERSION_LINALGTOGPU_ACCUMULATOR_H
