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

/// Overlaps that may be held in memory, and that the search for a better order
/// may look at.
static constexpr int64_t maxOverlaps = 4'000'000;
static constexpr int64_t searchEffort = 300'000'000;

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
  explicit Placement(MutableArrayRef<BufferLife> buffers);

  /// Returns the arena's size. O(overlaps log n).
  int64_t place(ArrayRef<unsigned> order);
  /// Pairs of buffers that are alive together, each counted twice.
  int64_t numOverlaps() const { return overlaps; }

private:
  void placeOne(unsigned index);
  ArrayRef<unsigned> getNeighbours(unsigned index);

  MutableArrayRef<BufferLife> buffers;
  int64_t overlaps = 0;
  /// The buffers alive together with each one; empty where they are too many to
  /// be held.
  std::vector<SmallVector<unsigned, 0>> neighbours;
  SmallVector<unsigned, 0> scratch;
  std::vector<bool> isPlaced;
  SmallVector<std::pair<int64_t, int64_t>> taken;
};
} // namespace

Placement::Placement(MutableArrayRef<BufferLife> buffers) : buffers(buffers) {
  std::vector<SmallVector<unsigned, 0>> all;
  for (unsigned i = 0, e = buffers.size(); i < e; ++i) {
    all.emplace_back(getNeighbours(i));
    overlaps += static_cast<int64_t>(all.back().size());
    if (overlaps > maxOverlaps)
      return;
  }
  neighbours = std::move(all);
}

ArrayRef<unsigned> Placement::getNeighbours(unsigned index) {
  if (!neighbours.empty())
    return neighbours[index];
  scratch.clear();
  for (unsigned i = 0, e = buffers.size(); i < e; ++i)
    if (i != index && buffers[i].overlaps(buffers[index]))
      scratch.push_back(i);
  return scratch;
}

/// Into the smallest gap that fits, else on top.
void Placement::placeOne(unsigned index) {
  taken.clear();
  for (unsigned other : getNeighbours(index))
    if (isPlaced[other])
      taken.push_back({buffers[other].offset,
                       buffers[other].offset + buffers[other].bytes});
  sort(taken);
  BufferLife &buffer = buffers[index];
  int64_t best = -1, bestGap = std::numeric_limits<int64_t>::max();
  int64_t free = 0;
  for (const auto &[begin, end] : taken) {
    int64_t gap = begin - free;
    if (gap >= buffer.bytes && gap < bestGap) {
      best = free;
      bestGap = gap;
    }
    free = std::max(free, end);
  }
  buffer.offset = best >= 0 ? best : free;
  isPlaced[index] = true;
}

int64_t Placement::place(ArrayRef<unsigned> order) {
  isPlaced.assign(buffers.size(), false);
  int64_t arena = 0;
  for (unsigned index : order) {
    placeOne(index);
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
        return std::pair(static_cast<double>(b.begin - b.end), -b.bytes);
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

/// Moves one buffer to another place in the order: one that reaches over `peak`
/// or any other.
static void moveOne(ArrayRef<BufferLife> buffers, int64_t peak,
                    SmallVectorImpl<unsigned> &order,
                    std::minstd_rand &random) {
  size_t moved = random() % order.size();
  if (random() % 2) {
    // The first one from a random place on.
    for (size_t i = 0; i < order.size(); ++i) {
      size_t candidate = (moved + i) % order.size();
      const BufferLife &buffer = buffers[order[candidate]];
      if (buffer.offset + buffer.bytes > peak) {
        moved = candidate;
        break;
      }
    }
  }
  auto *from = order.begin() + moved;
  auto *to = order.begin() + random() % order.size();
  if (to < from)
    std::rotate(to, from, from + 1);
  else
    std::rotate(from, from + 1, to + 1);
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
  int64_t trials = placement.numOverlaps() > maxOverlaps
                       ? 0
                       : searchEffort / (placement.numOverlaps() + 1);
  trials = std::min<int64_t>(trials, 200'000);
  std::minstd_rand random; // seeded with its constant: the same every time
  placement.place(bestOrder);
  for (int64_t trial = 0; trial < trials && best > peak; ++trial) {
    SmallVector<unsigned> order = bestOrder;
    moveOne(buffers, peak, order, random);
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
