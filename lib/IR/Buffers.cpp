//===- Buffers.cpp - Sizes of buffers -------------------------------------===//

#include "ckpt/IR/Buffers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

/// Bytes of one element, or nothing.
static std::optional<int64_t> getElementBytes(Type element) {
  if (element.isIndex())
    return 8;
  int64_t parts = 1;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    parts = 2;
    element = complex.getElementType();
  }
  if (!element.isIntOrFloat())
    return std::nullopt;
  return llvm::divideCeil(parts * element.getIntOrFloatBitWidth(), 8);
}

std::optional<int64_t> ckpt::getContentBytes(ShapedType type) {
  if (!type.hasStaticShape())
    return std::nullopt;
  std::optional<int64_t> bytes = getElementBytes(type.getElementType());
  if (!bytes || llvm::is_contained(type.getShape(), 0))
    return bytes ? std::optional<int64_t>(0) : std::nullopt;
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(*bytes, size, *bytes))
      return std::nullopt;
  return bytes;
}

std::optional<int64_t> ckpt::getAlignedBytes(ShapedType type) {
  std::optional<int64_t> bytes = getContentBytes(type);
  if (!bytes || *bytes > std::numeric_limits<int64_t>::max() - bufferAlignment)
    return std::nullopt;
  return llvm::alignTo(*bytes, bufferAlignment);
}
