//===- InlineVector.h - A vector with room for a few inside -----*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SEARCH_INLINEVECTOR_H
#define CKPT_LIB_PLANNER_SEARCH_INLINEVECTOR_H

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace ckpt::planner {

/// A sequence of small trivial elements, the first few of which need no memory
/// of their own: most values of a schedule have one or two intervals and uses,
/// most stages no recomputation. 24 bytes where T is of at most 8.
template <typename T>
class InlineVector {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);

public:
  InlineVector() = default;
  InlineVector(const InlineVector &other) { assign(other); }
  InlineVector(InlineVector &&other) noexcept { take(other); }
  InlineVector &operator=(const InlineVector &other) {
    if (this != &other) {
      release();
      assign(other);
    }
    return *this;
  }
  InlineVector &operator=(InlineVector &&other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  ~InlineVector() { release(); }

  uint32_t size() const { return count; }
  bool empty() const { return count == 0; }
  T *begin() { return data(); }
  T *end() { return data() + count; }
  const T *begin() const { return data(); }
  const T *end() const { return data() + count; }
  T &operator[](size_t i) { return data()[i]; }
  const T &operator[](size_t i) const { return data()[i]; }
  const T &back() const { return data()[count - 1]; }

  void reserve(uint32_t wanted) {
    if (wanted > room - first())
      move(std::max(wanted, 2 * room), 0);
  }
  void push_back(T item) {
    reserve(count + 1);
    data()[count++] = item;
  }
  /// Moves the elements on the shorter side of the place: long runs of inserts
  /// at either end are cheap.
  void insert(const T *before, T item) {
    const uint32_t place = static_cast<uint32_t>(before - begin());
    if (place < count / 2 && room > kInside) {
      if (outside.first == 0)
        move(2 * room, room);
      --outside.first;
      std::copy(begin() + 1, begin() + 1 + place, begin());
    } else {
      reserve(count + 1);
      std::copy_backward(begin() + place, end(), end() + 1);
    }
    data()[place] = item;
    ++count;
  }
  void erase(const T *at) {
    T *place = begin() + (at - begin());
    std::copy(place + 1, end(), place);
    --count;
  }

private:
  static constexpr uint32_t kInside = 16 / sizeof(T);
  struct Outside {
    T *heap;
    /// Unused elements before the first one.
    uint32_t first;
  };
  union {
    T inside[kInside];
    Outside outside;
  };
  uint32_t count = 0, room = kInside;

  bool isInside() const { return room == kInside; }
  uint32_t first() const { return isInside() ? 0 : outside.first; }
  T *data() { return isInside() ? inside : outside.heap + outside.first; }
  const T *data() const {
    return isInside() ? inside : outside.heap + outside.first;
  }
  /// To new memory of `newRoom` elements, more than fit inside.
  void move(uint32_t newRoom, uint32_t newFirst) {
    T *memory = new T[newRoom];
    std::copy(begin(), end(), memory + newFirst);
    release();
    outside = {memory, newFirst};
    room = newRoom;
  }
  void release() {
    if (!isInside())
      delete[] outside.heap;
  }
  void assign(const InlineVector &other) {
    count = 0;
    room = kInside;
    reserve(other.count);
    std::copy(other.begin(), other.end(), begin());
    count = other.count;
  }
  void take(InlineVector &other) {
    if (other.isInside())
      std::copy(other.begin(), other.end(), inside);
    else
      outside = other.outside;
    count = other.count;
    room = other.room;
    other.count = 0;
    other.room = kInside;
  }
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SEARCH_INLINEVECTOR_H
