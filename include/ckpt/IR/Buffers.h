//===- Buffers.h - Facts that planning and placement share ----*- C++ -*-===//

#ifndef CKPT_IR_BUFFERS_H
#define CKPT_IR_BUFFERS_H

#include "mlir/IR/BuiltinTypes.h"

#include <cstdint>
#include <optional>

namespace ckpt {

/// Alignment of every buffer in a step's arena, in bytes: that of device
/// allocations, so that the widest vector accesses are aligned. Plans count
/// buffers rounded up to it, which makes their peak the arena's.
inline constexpr int64_t bufferAlignment = 256;

/// Bytes of the elements of `type`, stored one after the other; nothing if its
/// shape is not static, its elements are neither numbers nor `index`, or the
/// size overflows.
std::optional<int64_t> getContentBytes(mlir::ShapedType type);

/// The same, rounded up to `bufferAlignment`.
std::optional<int64_t> getAlignedBytes(mlir::ShapedType type);

} // namespace ckpt

#endif // CKPT_IR_BUFFERS_H
