//===- RematerializableOpInterface.cpp - Storage and purity ---------------===//

#include "ckpt/Interfaces/RematerializableOpInterface.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

#include "ckpt/Interfaces/RematerializableOpInterface.cpp.inc"

bool ckpt::hasNoObservableEffect(Operation *op) {
  return op->isRegistered() && isMemoryEffectFree(op);
}

ckpt::Storage ckpt::getStorage(OpResult result) {
  auto remat = dyn_cast<RematerializableOpInterface>(result.getOwner());
  return remat ? remat.getStorage(result.getResultNumber()) : Storage::fresh();
}

bool ckpt::isRecomputable(Operation *op) {
  if (auto remat = dyn_cast<RematerializableOpInterface>(op))
    return remat.isRecomputable();
  return hasNoObservableEffect(op);
}
