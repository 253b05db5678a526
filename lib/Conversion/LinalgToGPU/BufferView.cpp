//===- BufferView.cpp - Static strided views of device memory -------------===//

#include "BufferView.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace ckpt {

int64_t elementBytes(Type type) {
  if (isa<IndexType>(type))
    return 8;
  if (!type.isIntOrFloat())
    return 0;
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 1)
    return 1;
  return bits >= 8 && bits <= 64 && llvm::isPowerOf2_32(bits) ? bits / 8 : 0;
}

int64_t BufferView::span() const {
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip_equal(shape, strides)) {
    if (size == 0)
      return 0;
    last += (size - 1) * stride;
  }
  return last + 1;
}

int64_t BufferView::alignment() const {
  return byteOffset == 0
             ? rootAlignment
             : std::min<int64_t>(rootAlignment,
                                 int64_t(1) << llvm::countr_zero(
                                     static_cast<uint64_t>(byteOffset)));
}

bool BufferView::isConstant() const {
  return root.getDefiningOp<memref::GetGlobalOp>() != nullptr;
}

bool BufferView::overlaps(const BufferView &other) const {
  if (root != other.root)
    return false;
  int64_t end = byteOffset + span() * elementBytes(elementType);
  int64_t otherEnd =
      other.byteOffset + other.span() * elementBytes(other.elementType);
  return byteOffset < otherEnd && other.byteOffset < end;
}

bool BufferView::operator==(const BufferView &other) const {
  return root == other.root && byteOffset == other.byteOffset &&
         elementType == other.elementType && shape == other.shape &&
         strides == other.strides;
}

FailureOr<Value> BufferViews::findRoot(Value memref, Operation *user,
                                       int64_t &bytes) {
  bytes = 0;
  while (Operation *op = memref.getDefiningOp()) {
    if (auto get = dyn_cast<memref::GetGlobalOp>(op)) {
      auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
          get, get.getNameAttr());
      if (!global ||
          !isa_and_nonnull<DenseElementsAttr, DenseResourceElementsAttr>(
              global.getInitialValueAttr()))
        return user->emitOpError("reads a global without a constant value");
      return globals.try_emplace(get.getNameAttr(), memref).first->second;
    }
    if (auto view = dyn_cast<memref::ViewOp>(op)) {
      std::optional<int64_t> shift = getConstantIntValue(view.getByteShift());
      if (!shift || !isa<BlockArgument>(view.getSource()))
        return user->emitOpError("needs buffers at constant offsets of an "
                                 "arena that is a function argument");
      bytes = *shift;
      return view.getSource();
    }
    auto viewLike = dyn_cast<ViewLikeOpInterface>(op);
    if (!viewLike) {
      InFlightDiagnostic diagnostic = user->emitOpError(
          "uses memory that is neither in the arena nor the caller's");
      diagnostic.attachNote(op->getLoc()) << "it is made here";
      return diagnostic;
    }
    memref = viewLike.getViewSource();
  }
  return memref;
}

FailureOr<BufferView> BufferViews::resolve(Value memref, Operation *user) {
  if (auto it = cache.find(memref); it != cache.end())
    return it->second;
  auto type = cast<MemRefType>(memref.getType());
  if (type.getMemorySpace())
    return user->emitOpError("needs buffers in the default memory space, not ")
           << type;
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  // Upstream does not know the strides of a tensor without elements.
  if (type.getLayout().isIdentity() && type.hasStaticShape())
    strides = computeSuffixProduct(type.getShape());
  else if (!type.hasStaticShape() ||
           failed(type.getStridesAndOffset(strides, offset)) ||
           ShapedType::isDynamic(offset) || ShapedType::isDynamicShape(strides))
    return user->emitOpError("needs static shapes, strides and offsets, not ")
           << type;
  if (llvm::any_of(strides, [](int64_t stride) { return stride < 0; }))
    return user->emitOpError("has a view with a negative stride: ") << type;
  int64_t bytes = elementBytes(type.getElementType());
  if (bytes == 0)
    return user->emitOpError("has elements of a type that kernels cannot "
                             "store: ")
           << type.getElementType();
  // Where the last byte is, with care for overflow.
  std::optional<int64_t> end = bytes;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides)) {
    std::optional<int64_t> length = llvm::checkedMul(size, stride);
    end = end && length ? llvm::checkedMulAdd(*length, bytes, *end)
                        : std::nullopt;
  }
  if (!end || !llvm::checkedMulAdd(offset, bytes, *end))
    return user->emitOpError("has a buffer of more bytes than can be "
                             "addressed: ")
           << type;
  BufferView view;
  FailureOr<Value> root = findRoot(memref, user, view.byteOffset);
  if (failed(root))
    return failure();
  view.root = *root;
  view.byteOffset += offset * bytes;
  view.elementType = type.getElementType();
  view.shape.assign(type.getShape().begin(), type.getShape().end());
  view.strides = std::move(strides);
  return cache[memref] = view;
}

} // namespace ckpt
