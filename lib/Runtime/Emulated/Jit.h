//===- Jit.h - Host functions from LLVM IR ----------------------*- C++ -*-===//
#ifndef CKPT_LIB_RUNTIME_EMULATED_JIT_H
#define CKPT_LIB_RUNTIME_EMULATED_JIT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace llvm {
class Module;
class TargetMachine;
namespace orc {
class LLJIT;
}
} // namespace llvm

namespace ckpt::emulated {

/// How hard to optimise. Arithmetic gives the same bits either way.
enum class Effort {
  /// A tenth of the compile time, for code some three times slower.
  Quick,
  Full
};

/// A function that was compiled.
struct CompiledFunction {
  void *address = nullptr;
  /// Of its frame.
  uint64_t stackBytes = 0;
};

/// Optimises and compiles modules for this processor.
class Jit {
public:
  static llvm::Expected<std::unique_ptr<Jit>> create();
  ~Jit();

  /// Compiles `module`, whose one function is `symbol`.
  llvm::Expected<CompiledFunction>
  compile(llvm::Module &module, llvm::StringRef symbol, Effort effort);

private:
  Jit();

  std::unique_ptr<llvm::TargetMachine> quickMachine;
  std::unique_ptr<llvm::TargetMachine> fullMachine;
  std::unique_ptr<llvm::orc::LLJIT> session;
};

} // namespace ckpt::emulated

#endif // CKPT_LIB_RUNTIME_EMULATED_JIT_H
