//===- HostProgram.h - Compiled host code in this process -----*- C++ -*-===//

#ifndef CKPT_TOOLS_CKPTRUN_HOSTPROGRAM_H
#define CKPT_TOOLS_CKPTRUN_HOSTPROGRAM_H

#include "ckpt/Runtime/Runtime.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

#include <memory>

namespace ckpt {

/// The host code of a step, compiled for this process and linked to the runtime
/// that this process has.
class HostProgram {
public:
  /// Compiles `module`, which must export "ckpt_step_info".
  static llvm::Expected<HostProgram>
  create(std::unique_ptr<llvm::Module> module,
         std::unique_ptr<llvm::LLVMContext> context);

  /// The same for a copy of `module`.
  static llvm::Expected<HostProgram> createFromCopy(const llvm::Module &module);

  const CkptStepInfo &getInfo() const { return *info; }

private:
  HostProgram(std::unique_ptr<llvm::orc::LLJIT> jit, const CkptStepInfo *info)
      : jit(std::move(jit)), info(info) {}

  std::unique_ptr<llvm::orc::LLJIT> jit;
  const CkptStepInfo *info;
};

} // namespace ckpt

#endif // CKPT_TOOLS_CKPTRUN_HOSTPROGRAM_H
