//===- AccessBounds.h - Accesses that are known to be right -----*- C++ -*-===//
//
// Most accesses of compiled kernels need no check: with the launch's sizes
// known, the range of every index is known too. What is left to be true of a
// kernel's arguments is checked once per launch.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_LIB_RUNTIME_EMULATED_ACCESSBOUNDS_H
#define CKPT_LIB_RUNTIME_EMULATED_ACCESSBOUNDS_H

#include "KernelAccess.h"

#include "llvm/ADT/ArrayRef.h"

namespace ckpt::emulated {

/// Which of an access's two checks are needed.
struct NeededChecks {
  bool bounds = true;
  bool alignment = true;
};

/// Finds what can be proved of each of `accesses`, in order. Arguments from
/// `firstParam` on are kernel parameters; what a proof asks of them is added to
/// `requirements`. Never mutates.
llvm::SmallVector<NeededChecks>
proveAccesses(llvm::Function &body, unsigned firstParam,
              llvm::ArrayRef<KernelAccess> accesses,
              std::vector<LaunchRequirement> &requirements);

} // namespace ckpt::emulated

#endif // CKPT_LIB_RUNTIME_EMULATED_ACCESSBOUNDS_H
