//===- VerifyLowered.h - What compiled steps must not contain ---*- C++ -*-===//

#ifndef CKPT_CONVERSION_VERIFYLOWERED_H
#define CKPT_CONVERSION_VERIFYLOWERED_H

#include "ckpt/Conversion/GPUToNVVM/SerializeKernels.h"
#include "mlir/IR/BuiltinOps.h"

namespace ckpt {

/// Checks a fully lowered module (see the pass `ckpt-verify-lowered`).
llvm::LogicalResult verifyLowered(mlir::ModuleOp module);

/// Fails, with an error at the kernel, if ptxas reports that one of them keeps
/// values in local memory: that costs more time than any plan can save.
llvm::LogicalResult verifyNoSpills(mlir::gpu::GPUModuleOp module,
                                   llvm::ArrayRef<KernelResources> resources);

} // namespace ckpt

#endif // CKPT_CONVERSION_VERIFYLOWERED_H
