//===- VerifyLowered.cpp - What compiled steps must not contain -----------===//
//
// The rules have numbers; test/Conversion/VerifyLowered/invalid.mlir has a test
// of each.
//
//===----------------------------------------------------------------------===//

#include "ckpt/Conversion/VerifyLowered.h"

#include "ckpt/Conversion/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace {

class LoweredVerifier {
public:
  explicit LoweredVerifier(ModuleOp module) : module(module) {}

  LogicalResult run();

private:
  LogicalResult verifyHostOp(Operation *op);
  LogicalResult verifyKernelOp(Operation *op);
  LogicalResult verifySharedBuffer(LLVM::GlobalOp global);
  LogicalResult verifyKernelFunction(LLVM::LLVMFuncOp function);

  ModuleOp module;
};

} // namespace

static bool isOfDialect(Operation *op, StringRef name) {
  return op->getName().getDialectNamespace() == name;
}

/// (1) On the host nothing but the LLVM dialect is left.
LogicalResult LoweredVerifier::verifyHostOp(Operation *op) {
  if (isOfDialect(op, LLVM::LLVMDialect::getDialectNamespace()))
    return success();
  return op->emitOpError("is left on the host of a lowered step");
}

/// (3) Shared buffers are aligned to 16 bytes: asynchronous copies and matrix
/// loads need that, and upstream gives them the alignment of one element.
LogicalResult LoweredVerifier::verifySharedBuffer(LLVM::GlobalOp global) {
  constexpr unsigned sharedSpace = 3;
  constexpr uint64_t wanted = 16;
  if (global.getAddrSpace() != sharedSpace)
    return success();
  uint64_t alignment = global.getAlignment().value_or(0);
  if (alignment >= wanted && alignment % wanted == 0)
    return success();
  return global.emitOpError("is a shared buffer aligned to ")
         << alignment << " bytes, not " << wanted;
}

/// (4) Kernels call nothing but libdevice: upstream lowers an allocation of
/// shared memory to malloc on the device. (5) A launch can pass 4 KiB of
/// parameters.
LogicalResult LoweredVerifier::verifyKernelFunction(LLVM::LLVMFuncOp function) {
  if (function.isExternal()) {
    if (function.getName().starts_with("__nv_"))
      return success();
    return function.emitOpError("is not there on a device");
  }
  constexpr int64_t maxParameterBytes = 4096;
  // Our kernels take addresses.
  int64_t bytes = 8 * static_cast<int64_t>(function.getNumArguments());
  if (bytes <= maxParameterBytes)
    return success();
  return function.emitOpError("takes ")
         << bytes << " bytes of parameters, more than " << maxParameterBytes;
}

/// (2) In kernels nothing but the LLVM and NVVM dialects is left. (6) Kernels
/// have no arrays of their own: these would be in local memory.
LogicalResult LoweredVerifier::verifyKernelOp(Operation *op) {
  if (!isOfDialect(op, LLVM::LLVMDialect::getDialectNamespace()) &&
      !isOfDialect(op, NVVM::NVVMDialect::getDialectNamespace()))
    return op->emitOpError("is left in a lowered kernel");
  if (auto global = dyn_cast<LLVM::GlobalOp>(op))
    return verifySharedBuffer(global);
  if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
    return verifyKernelFunction(function);
  if (isa<LLVM::AllocaOp>(op))
    return op->emitOpError("is an allocation in a kernel");
  return success();
}

LogicalResult LoweredVerifier::run() {
  WalkResult result =
      module.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
        if (op == module)
          return WalkResult::advance();
        if (isa<gpu::BinaryOp>(op))
          return WalkResult::skip();
        if (!isa<gpu::GPUModuleOp>(op))
          return verifyHostOp(op);
        for (Region &region : op->getRegions()) {
          auto visit = [&](Operation *nested) -> WalkResult {
            return verifyKernelOp(nested);
          };
          if (region.walk(visit).wasInterrupted())
            return WalkResult::interrupt();
        }
        return WalkResult::skip();
      });
  return failure(result.wasInterrupted());
}

LogicalResult ckpt::verifyLowered(ModuleOp module) {
  return LoweredVerifier(module).run();
}

LogicalResult ckpt::verifyNoSpills(gpu::GPUModuleOp module,
                                   ArrayRef<KernelResources> resources) {
  for (const KernelResources &kernel : resources) {
    if (kernel.spillStores == 0 && kernel.spillLoads == 0)
      continue;
    Operation *function = module.lookupSymbol(kernel.kernel);
    return (function ? function : module.getOperation())->emitError("kernel '")
           << kernel.kernel << "' spills " << kernel.spillStores
           << " bytes to local memory with " << kernel.registers
           << " registers";
  }
  return success();
}

namespace ckpt {
#define GEN_PASS_DEF_VERIFYLOWERED
#include "ckpt/Conversion/Passes.h.inc"
} // namespace ckpt

namespace {
struct VerifyLoweredPass : ckpt::impl::VerifyLoweredBase<VerifyLoweredPass> {
  using VerifyLoweredBase::VerifyLoweredBase;
  void runOnOperation() override {
    if (failed(ckpt::verifyLowered(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
