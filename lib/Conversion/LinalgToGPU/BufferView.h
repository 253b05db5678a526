//===- BufferView.h - Static strided views of device memory -----*- C++ -*-===//
//
// After placement every memref is a static strided view of one of three kinds
// of memory: the arena, a caller's buffer (a function argument), or a constant
// (memref.get_global). Chains of view-like ops collapse to one BufferView.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_LIB_CONVERSION_LINALGTOGPU_BUFFERVIEW_H
#define CKPT_LIB_CONVERSION_LINALGTOGPU_BUFFERVIEW_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace ckpt {

/// Every root (arena, caller's buffer) is aligned to this many bytes.
inline constexpr int64_t rootAlignment = 256;

/// Bytes that one element takes in memory; 0 if the type cannot be stored by
/// kernels. i1 takes one byte, index eight.
int64_t elementBytes(mlir::Type type);

/// Element `(i_0, ..., i_n)` lies `byteOffset + elementBytes * sum_d strides[d]
/// * i_d` bytes after the start of `root`.
struct BufferView {
  /// The arena or another function argument, or the first memref.get_global of
  /// a constant.
  mlir::Value root;
  int64_t byteOffset = 0;
  mlir::Type elementType;
  llvm::SmallVector<int64_t> shape;
  /// In elements, never negative.
  llvm::SmallVector<int64_t> strides;

  /// Elements from the first to the last one, both included.
  int64_t span() const;
  /// Largest power of two, at most rootAlignment, that divides the address.
  int64_t alignment() const;
  bool isConstant() const;
  /// Whether the two byte ranges meet (conservative for strided views).
  bool overlaps(const BufferView &other) const;
  /// Whether both views name the same elements in the same order.
  bool operator==(const BufferView &other) const;
};

/// Resolves memrefs to views, with a cache.
class BufferViews {
public:
  /// The view that `memref` is, or failure with an error at `user`.
  mlir::FailureOr<BufferView> resolve(mlir::Value memref,
                                      mlir::Operation *user);

private:
  mlir::FailureOr<mlir::Value> findRoot(mlir::Value memref,
                                        mlir::Operation *user, int64_t &bytes);

  llvm::DenseMap<mlir::Value, BufferView> cache;
  llvm::DenseMap<mlir::Attribute, mlir::Value> globals;
};

} // namespace ckpt

#endif // CKPT_LIB_CONVERSION_LINALGTOGPU_BUFFERVIEW_H
