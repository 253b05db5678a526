//===- PackBuffers.h - Offsets of buffers in an arena ---------*- C++ -*-===//

#ifndef CKPT_LIB_CONVERSION_TENSORTOMEMREF_PACKBUFFERS_H
#define CKPT_LIB_CONVERSION_TENSORTOMEMREF_PACKBUFFERS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace ckpt {

/// A buffer alive from position `begin` to position `end` of a schedule, both
/// included.
struct BufferLife {
  int64_t bytes = 0;
  int64_t begin = -1;
  int64_t end = -1;
  /// Where it lies in the arena.
  int64_t offset = 0;

  bool overlaps(const BufferLife &other) const {
    return begin <= other.end && other.begin <= end;
  }
};

/// Most bytes alive at once: no arena is smaller.
int64_t getLivePeak(llvm::ArrayRef<BufferLife> buffers);

/// Chooses offsets such that buffers which are alive at the same time do not
/// overlap; returns the arena's size. Dynamic storage allocation is NP-hard:
/// this places buffers greedily, each into the smallest gap that fits, in
/// several orders (by size, by size times lifetime, by lifetime, by birth), and
/// then improves the best order by moving single buffers in it, until the arena
/// is as small as getLivePeak() or the effort is spent. Deterministic.
/// O(overlaps log n) per order.
int64_t packBuffers(llvm::MutableArrayRef<BufferLife> buffers);

} // namespace ckpt

#endif // CKPT_LIB_CONVERSION_TENSORTOMEMREF_PACKBUFFERS_H
