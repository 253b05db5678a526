//===- KernelAccess.h - The memory accesses of a kernel ---------*- C++ -*-===//
#ifndef CKPT_LIB_RUNTIME_EMULATED_KERNELACCESS_H
#define CKPT_LIB_RUNTIME_EMULATED_KERNELACCESS_H

#include "KernelInfo.h"

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Function;
class Instruction;
class Value;
} // namespace llvm

namespace ckpt::emulated {

struct KernelAccess {
  llvm::Instruction *instruction = nullptr;
  llvm::Value *pointer = nullptr;
  FaultSite::Kind kind = FaultSite::Kind::Read;
  uint64_t bytes = 0;
  /// The size where it is not constant; `bytes` is 0 then.
  llvm::Value *dynamicBytes = nullptr;
  uint64_t alignment = 1;
  /// Where not zero, only lanes below it access anything.
  uint32_t lanesBelow = 0;
};

/// All accesses of a kernel before its intrinsics are rewritten, in program
/// order: loads and stores, atomics, memory intrinsics, cp.async and matrix
/// loads. The alignment of each is the one that the program states, which is
/// what the code for a GPU would count on.
llvm::SmallVector<KernelAccess> collectAccesses(llvm::Function &kernel);

/// "file:line" of an instruction, or empty.
std::string locationText(const llvm::Instruction &instruction);

} // namespace ckpt::emulated

#endif // CKPT_LIB_RUNTIME_EMULATED_KERNELACCESS_H
