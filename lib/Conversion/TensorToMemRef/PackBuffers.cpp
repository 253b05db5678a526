//===- PackBuffers.cpp - Offsets of buffers in an arena -------------------===//

#include "PackBuffers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <limits>
#include <random>

using namespace ckpt;
using namespace llvm;

/// Pairs of buffers that the search for a better order may compare.
static constexpr int64_t searchEffort = 200'000'000;

int64_t ckpt::getLivePeak(ArrayRef<BufferLife> buffers) {
  SmallVector<std::pair<int64_t, int64_t>> changes; // position, bytes
  for (const BufferLife &buffer : buffers) {
    changes.push_back({buffer.begin, buffer.bytes});
    changes.push_back({buffer.end + 1, -buffer.bytes});
  }
  sort(changes);
  int64_t live = 0, peak = 0;
  for (const auto &[position, bytes] : changes) {
    live += bytes;
    peak = std::max(peak, live);
  }
  return peak;
}

namespace {
/// Places buffers in a given order.
class Placement {
public:
  explicit Placement(MutableArrayRef<BufferLife> buffers) : buffers(buffers) {}

  /// Returns the arena's size.
  int64_t place(ArrayRef<unsigned> order);

private:
  void placeOne(BufferLife &buffer);

  MutableArrayRef<BufferLife> buffers;
  /// What has been placed, by offset.
  SmallVector<const BufferLife *> placed;
};
} // namespace

void Placement::placeOne(BufferLife &buffer) {
  int64_t best = -1, bestGap = std::numeric_limits<int64_t>::max();
  int64_t free = 0;
  for (const BufferLife *other : placed) {
    if (!other->overlaps(buffer))
      continue;
    int64_t gap = other->offset - free;
    if (gap >= buffer.bytes && gap < bestGap) {
      best = free;
      bestGap = gap;
    }
    free = std::max(free, other->offset + other->bytes);
  }
  buffer.offset = best >= 0 ? best : free;
  placed.insert(upper_bound(placed, &buffer,
                            [](const BufferLife *a, const BufferLife *b) {
                              return a->offset < b->offset;
                            }),
                &buffer);
}

int64_t Placement::place(ArrayRef<unsigned> order) {
  placed.clear();
  int64_t arena = 0;
  for (unsigned index : order) {
    placeOne(buffers[index]);
    arena = std::max(arena, buffers[index].offset + buffers[index].bytes);
  }
  return arena;
}

/// The orders to begin with.
static SmallVector<SmallVector<unsigned>>
getInitialOrders(ArrayRef<BufferLife> buffers) {
  using Key = std::function<std::pair<double, int64_t>(const BufferLife &)>;
  const Key keys[] = {
      [](const BufferLife &b) {
        return std::pair(-static_cast<double>(b.bytes), b.begin);
      },
      [](const BufferLife &b) {
        double lifetime = static_cast<double>(b.end - b.begin + 1);
        return std::pair(-static_cast<double>(b.bytes) * lifetime, b.begin);
      },
      [](const BufferLife &b) {
        return std::pair(static_cast<double>(b.begin), -b.bytes);
      },
  };
  SmallVector<SmallVector<unsigned>> orders;
  for (const Key &key : keys) {
    orders.push_back(to_vector(seq<unsigned>(0, buffers.size())));
    sort(orders.back(), [&](unsigned a, unsigned b) {
      return std::pair(key(buffers[a]), a) < std::pair(key(buffers[b]), b);
    });
  }
  return orders;
}

/// Moves one buffer to another place in the order: the one on top of the arena
/// or any other.
static void moveOne(ArrayRef<BufferLife> buffers, int64_t arena,
                    SmallVectorImpl<unsigned> &order,
                    std::minstd_rand &random) {
  auto *moved = order.begin() + random() % order.size();
  if (random() % 2)
    moved = find_if(order, [&](unsigned index) {
      return buffers[index].offset + buffers[index].bytes == arena;
    });
  auto *target = order.begin() + random() % order.size();
  if (target < moved)
    std::rotate(target, moved, moved + 1);
  else
    std::rotate(moved, moved + 1, target + 1);
}

int64_t ckpt::packBuffers(MutableArrayRef<BufferLife> buffers) {
  if (buffers.empty())
    return 0;
  Placement placement(buffers);
  int64_t best = std::numeric_limits<int64_t>::max();
  SmallVector<unsigned> bestOrder;
  for (const SmallVector<unsigned> &order : getInitialOrders(buffers)) {
    int64_t arena = placement.place(order);
    if (arena < best) {
      best = arena;
      bestOrder = order;
    }
  }

  int64_t peak = getLivePeak(buffers);
  int64_t pairs = static_cast<int64_t>(buffers.size() * buffers.size());
  int64_t trials = searchEffort / pairs;
  std::minstd_rand random; // seeded with its constant: the same every time
  placement.place(bestOrder);
  for (int64_t trial = 0; trial < trials && best > peak; ++trial) {
    SmallVector<unsigned> order = bestOrder;
    moveOne(buffers, best, order, random);
    int64_t arena = placement.place(order);
    if (arena <= best) {
      best = arena;
      bestOrder = std::move(order);
    } else {
      placement.place(bestOrder);
    }
  }
  return placement.place(bestOrder);
}
