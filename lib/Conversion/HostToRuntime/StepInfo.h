//===- StepInfo.h - What a compiled step says of itself ---------*- C++ -*-===//
#ifndef CKPT_LIB_CONVERSION_HOSTTORUNTIME_STEPINFO_H
#define CKPT_LIB_CONVERSION_HOSTTORUNTIME_STEPINFO_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace ckpt {

/// The contents of CkptStepInfo (Runtime.h).
struct StepInfo {
  llvm::SmallVector<mlir::MemRefType> arguments, results;
  mlir::ArrayAttr messages;
  int64_t arenaBytes = 0;
  mlir::LLVM::LLVMFuncOp run;
};

/// Constants of the host's module. Equal strings are one global.
class HostConstants {
public:
  explicit HostConstants(mlir::ModuleOp module)
      : module(module), b(module.getContext()) {}

  /// The address of a C string.
  mlir::Value string(mlir::OpBuilder &builder, mlir::Location loc,
                     llvm::StringRef text);
  /// Defines the global "ckpt_step_info".
  void defineStepInfo(mlir::Location loc, const StepInfo &info);

private:
  mlir::LLVM::GlobalOp
  add(mlir::Location loc, mlir::Type type, llvm::StringRef prefix,
      mlir::Attribute value,
      llvm::function_ref<mlir::Value(mlir::OpBuilder &)> initialize = nullptr);
  mlir::LLVM::GlobalOp stringGlobal(mlir::Location loc, llvm::StringRef text);
  mlir::LLVM::GlobalOp buffers(mlir::Location loc,
                               llvm::ArrayRef<mlir::MemRefType> types);
  mlir::LLVM::GlobalOp messages(mlir::Location loc, mlir::ArrayAttr texts);

  mlir::ModuleOp module;
  mlir::OpBuilder b;
  llvm::StringMap<mlir::LLVM::GlobalOp> strings;
  unsigned count = 0;
};

} // namespace ckpt

#endif // CKPT_LIB_CONVERSION_HOSTTORUNTIME_STEPINFO_H
