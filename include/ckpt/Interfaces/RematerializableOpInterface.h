//===- RematerializableOpInterface.h - Storage and purity -----*- C++ -*-===//

#ifndef CKPT_INTERFACES_REMATERIALIZABLEOPINTERFACE_H
#define CKPT_INTERFACES_REMATERIALIZABLEOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"

namespace ckpt {

/// How one tensor result is stored once tensors are buffers.
struct Storage {
  enum class Kind {
    /// No buffer of its own: a constant of the program, an undefined tensor.
    None,
    /// A buffer of its own.
    Fresh,
    /// A view of the buffer of operand `operand`: costs nothing, keeps it
    /// alive.
    View,
    /// Written over operand `operand` (a destination), whose old contents are
    /// gone; a fresh buffer and a copy if that operand is needed later.
    InPlace,
  };

  Kind kind = Kind::Fresh;
  unsigned operand = 0;

  static Storage none() { return {Kind::None, 0}; }
  static Storage fresh() { return {Kind::Fresh, 0}; }
  static Storage view(unsigned operand) { return {Kind::View, operand}; }
  static Storage inPlace(unsigned operand) { return {Kind::InPlace, operand}; }
};

/// True if executing `op` a second time is not observable: it is registered and
/// has no memory effects, neither itself nor in its regions.
bool hasNoObservableEffect(mlir::Operation *op);

} // namespace ckpt

#include "ckpt/Interfaces/RematerializableOpInterface.h.inc"

namespace ckpt {

/// The storage of `result`, `Fresh` where its op does not implement the
/// interface.
Storage getStorage(mlir::OpResult result);
/// Whether `op` may be executed again.
bool isRecomputable(mlir::Operation *op);

} // namespace ckpt

#endif // CKPT_INTERFACES_REMATERIALIZABLEOPINTERFACE_H
