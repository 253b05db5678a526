//===- AccessChecks.h - Every memory access of a kernel, checked -*- C++
//-*-===//
//
// Before each access goes a test that it is aligned as the program states and
// lies inside the object that its pointer was derived from: the live allocation
// that a kernel argument points into, one shared buffer, a constant table, a
// local array. Where the pointer's origin cannot be told, any live allocation
// will do. A thread whose test fails reports it and ends before the access.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_LIB_RUNTIME_EMULATED_ACCESSCHECKS_H
#define CKPT_LIB_RUNTIME_EMULATED_ACCESSCHECKS_H

#include "AccessBounds.h"
#include "Intrinsics.h"
#include "KernelAccess.h"
#include "KernelInfo.h"

namespace ckpt::emulated {

/// The value range of a kernel argument that is a pointer: i64s, in the entry
/// block.
struct ParamRange {
  llvm::Value *begin = nullptr;
  llvm::Value *bytes = nullptr;
};

struct AccessCheckInputs {
  llvm::Function &body;
  const KernelValues &values;
  /// The body's first argument that is a kernel parameter.
  unsigned firstParam;
  /// Per kernel parameter; empty for those that are no pointers.
  llvm::ArrayRef<ParamRange> paramRanges;
  /// In bytes, i64.
  llvm::Value *sharedDynamicBytes;
};

/// Inserts the checks of `accesses` that are `needed`, which has one entry for
/// each, and appends what they report to `sites`.
void insertAccessChecks(const AccessCheckInputs &inputs,
                        llvm::ArrayRef<KernelAccess> accesses,
                        llvm::ArrayRef<NeededChecks> needed,
                        std::vector<FaultSite> &sites);

/// Ends the thread at `before`, which becomes unreachable, with a report of
/// `site`. `address` may be null.
void insertFault(llvm::Instruction &before, const KernelValues &values,
                 uint32_t site, llvm::Value *address);

} // namespace ckpt::emulated

#endif // CKPT_LIB_RUNTIME_EMULATED_ACCESSCHECKS_H
