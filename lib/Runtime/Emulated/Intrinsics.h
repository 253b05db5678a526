//===- Intrinsics.h - NVVM intrinsics on the host ---------------*- C++ -*-===//
//
// One table says which llvm.nvvm.* intrinsics the emulator knows and how each
// is written for the host: as plain LLVM IR where one thread can do it, else as
// a call of a function in RuntimeSymbols.h. What is not in it is refused when
// the kernel is loaded.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_LIB_RUNTIME_EMULATED_INTRINSICS_H
#define CKPT_LIB_RUNTIME_EMULATED_INTRINSICS_H

#include "ckpt/Runtime/Device.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"

namespace ckpt::emulated {

inline constexpr unsigned globalAddressSpace = 1;
inline constexpr unsigned sharedAddressSpace = 3;

/// What a rewritten kernel's body knows of its thread.
struct KernelValues {
  /// ThreadState *; null in a thread loop.
  llvm::Value *thread = nullptr;
  /// BlockState *.
  llvm::Value *block = nullptr;
  /// i32, position in the block.
  llvm::Value *linear = nullptr;
  llvm::Value *threadIdx[3] = {nullptr, nullptr, nullptr};
  llvm::Value *blockIdx[3] = {nullptr, nullptr, nullptr};
  runtime::Dim3 blockSize;
  runtime::Dim3 gridSize;
};

/// One call of an intrinsic that is being rewritten.
struct IntrinsicCall {
  llvm::CallInst &call;
  /// Without "llvm.nvvm." and ".ftz".
  llvm::StringRef name;
  const KernelValues &values;
  /// Stands before the call.
  llvm::IRBuilder<> &builder;
  /// Of the call in the kernel's table; only for those that need one.
  uint32_t site;

  llvm::Value *arg(unsigned i) const { return call.getArgOperand(i); }
  /// Calls a function of RuntimeSymbols.h.
  llvm::Value *host(llvm::StringRef function, llvm::Type *result,
                    llvm::ArrayRef<llvm::Value *> args) const;
  /// A local of `type`, allocated in the entry block.
  llvm::Value *local(llvm::Type *type) const;
  llvm::Value *i32(uint32_t value) const { return builder.getInt32(value); }
};

/// Returns the value that replaces the call; null where the call has none.
using IntrinsicRewriter = llvm::Value *(*)(const IntrinsicCall &);

struct IntrinsicRewrite {
  IntrinsicRewriter rewrite = nullptr;
  /// Threads wait for each other, or have state that a loop does not keep.
  bool needsFibers = false;
};

/// The rewrite of "llvm.nvvm.<name>", or null if it is unknown.
const IntrinsicRewrite *findIntrinsic(llvm::StringRef fullName);
/// `fullName` without "llvm.nvvm." and ".ftz" (denormals are kept here).
std::string intrinsicKey(llvm::StringRef fullName);

/// Inline PTX that libdevice contains.
bool isKnownAssembly(llvm::StringRef text);
llvm::Value *rewriteAssembly(llvm::CallInst &call);

/// A row of the table: `pattern` is a whole key, or a prefix if it ends in '*'.
struct IntrinsicRow {
  llvm::StringRef pattern;
  IntrinsicRewrite rewrite;
};
llvm::ArrayRef<IntrinsicRow> arithmeticIntrinsics();
llvm::ArrayRef<IntrinsicRow> threadIntrinsics();

} // namespace ckpt::emulated

#endif // CKPT_LIB_RUNTIME_EMULATED_INTRINSICS_H
