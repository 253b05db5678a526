//===- KernelBuilder.h - Makes one gpu.func and its launch ------*- C++ -*-===//
#ifndef CKPT_LIB_CONVERSION_LINALGTOGPU_KERNELBUILDER_H
#define CKPT_LIB_CONVERSION_LINALGTOGPU_KERNELBUILDER_H

#include "BufferView.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace ckpt {

/// What device-side checks say when they fail; check `i` stores `i + 1`.
using CheckMessages = llvm::SetVector<mlir::StringAttr>;

/// The constants of the program, as globals of the kernels' module.
class DeviceConstants {
public:
  explicit DeviceConstants(mlir::gpu::GPUModuleOp module) : module(module) {}

  /// The value of all elements of the constant that `view` reads, if they are
  /// equal; else null.
  static mlir::TypedAttr splatValue(const BufferView &view);

  /// The name and the (flat) type of the global for the constant at `root`.
  mlir::FailureOr<std::pair<mlir::FlatSymbolRefAttr, mlir::MemRefType>>
  declare(mlir::Value root);

private:
  mlir::gpu::GPUModuleOp module;
  /// By the host's global.
  llvm::DenseMap<mlir::Operation *,
                 std::pair<mlir::FlatSymbolRefAttr, mlir::MemRefType>>
      globals;
};

/// State that all kernels of a module share.
struct KernelContext {
  mlir::gpu::GPUModuleOp module;
  DeviceConstants &constants;
  CheckMessages &messages;
  BufferViews &views;
};

/// Builds one kernel. Pointers become parameters in the order of their first
/// use; each is a flat memref of static size, so that a kernel does not depend
/// on where in the arena its operands lie.
class KernelBuilder {
public:
  /// An empty kernel at `loc`, added to the context's module.
  KernelBuilder(KernelContext &context, mlir::Location loc);

  mlir::OpBuilder &builder() { return b; }
  mlir::Location loc() const { return location; }
  mlir::gpu::GPUFuncOp func() { return kernel; }
  KernelContext &context() { return shared; }

  /// The flat memref whose element 0 is the view's first element.
  mlir::Value pointer(const BufferView &view);
  /// Notes that the kernel writes through `pointer`.
  void noteWrite(mlir::Value pointer) { written.insert(pointer); }
  /// Makes `value`, computed at the top level of the step from memory and
  /// constants, available in the kernel: its backward slice is cloned to the
  /// kernel's start. Fails, with an error at `user`, if it depends on anything
  /// else.
  mlir::LogicalResult capture(mlir::Value value, mlir::Operation *user);
  /// The kernel's copy of a captured value; `value` itself if there is none.
  mlir::Value captured(mlir::Value value) const {
    return captures.lookupOrDefault(value);
  }
  /// Shared memory of `size` elements, aligned to 16 bytes.
  mlir::Value sharedBuffer(mlir::Type elementType, int64_t size);
  /// Records that check `message` failed.
  void emitCheckFailure(mlir::StringAttr message);

  /// \name Index arithmetic, folding constants.
  /// @{
  mlir::Value index(int64_t value);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, int64_t rhs);
  mlir::Value div(mlir::Value lhs, int64_t rhs);
  mlir::Value rem(mlir::Value lhs, int64_t rhs);
  mlir::Value isBelow(mlir::Value lhs, int64_t rhs);
  mlir::Value isBelow(mlir::Value lhs, mlir::Value rhs);
  mlir::Value isZero(mlir::Value value);
  /// Row-major coordinates of `linear` in a box of `sizes`.
  llvm::SmallVector<mlir::Value> delinearize(mlir::Value linear,
                                             llvm::ArrayRef<int64_t> sizes);
  /// `constant + sum_d strides[d] * indices[d]`; a null index counts as zero.
  mlir::Value linearize(int64_t constant, llvm::ArrayRef<int64_t> strides,
                        llvm::ArrayRef<mlir::Value> indices);
  mlir::Value threadId();
  mlir::Value blockId();
  mlir::Value zero(mlir::Type type);
  /// @}

  /// What `value` is in the thread whose number in the warp differs in the bit
  /// `distance`. All threads of the warp must get here.
  mlir::Value shuffle(mlir::Value value, int64_t distance);

  /// Opens `scf.if condition` without an else branch and moves the insertion
  /// point into it, to be restored by the caller's InsertionGuard. A null
  /// condition: always true, nothing is opened.
  void enterIf(mlir::Value condition);

  /// Ends the kernel: blocks of `blockSize` threads, `gridSize` of them.
  /// Fails with an error if a limit of the hardware is passed.
  mlir::LogicalResult finish(int64_t gridSize, int64_t blockSize);

  int64_t gridSize() const { return grid; }
  int64_t blockSize() const { return block; }
  /// The memory behind each parameter, in order; a null root: the status word.
  llvm::ArrayRef<BufferView> parameters() const { return params; }

private:
  mlir::Value addParameter(mlir::MemRefType type);
  mlir::Value loadCaptured(mlir::Operation *load);
  void setPointerAttributes();

  KernelContext &shared;
  mlir::Location location;
  mlir::gpu::GPUFuncOp kernel;
  mlir::OpBuilder b;
  llvm::SmallVector<BufferView> params;
  llvm::SmallVector<mlir::Value> paramValues;
  llvm::DenseSet<mlir::Value> written;
  llvm::DenseMap<mlir::Value, mlir::Value> constantPointers;
  mlir::IRMapping captures;
  mlir::Value status;
  int64_t grid = 0, block = 0;
};

} // namespace ckpt

#endif // CKPT_LIB_CONVERSION_LINALGTOGPU_KERNELBUILDER_H
