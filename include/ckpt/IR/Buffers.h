//===- Buffers.h - Facts that planning and placement share ----*- C++ -*-===//

#ifndef CKPT_IR_BUFFERS_H
#define CKPT_IR_BUFFERS_H

#include <cstdint>

namespace ckpt {

/// Alignment of every buffer in a step's arena, in bytes: that of device
/// allocations, so that the widest vector accesses are aligned. Plans count
/// buffers rounded up to it, which makes their peak the arena's.
inline constexpr int64_t bufferAlignment = 256;

} // namespace ckpt

#endif // CKPT_IR_BUFFERS_H
