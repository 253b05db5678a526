//===- InlineVector.h - A vector with room for a few inside -----*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_INLINEVECTOR_H
#define CKPT_LIB_PLANNER_INLINEVECTOR_H

#include <algorithm>
#include <cstdint>
#include <cstring>
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
    if (wanted <= room)
      return;
    uint32_t larger = std::max(wanted, 2 * room);
    T *memory = new T[larger];
    std::copy(begin(), end(), memory);
    release();
    heap = memory;
    room = larger;
  }
  void push_back(T item) {
    reserve(count + 1);
    data()[count++] = item;
  }
  void insert(const T *before, T item) {
    const size_t place = before - begin();
    reserve(count + 1);
    std::copy_backward(begin() + place, end(), end() + 1);
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
  union {
    T inside[kInside];
    T *heap;
  };
  uint32_t count = 0, room = kInside;

  T *data() { return room == kInside ? inside : heap; }
  const T *data() const { return room == kInside ? inside : heap; }
  void release() {
    if (room != kInside)
      delete[] heap;
  }
  void assign(const InlineVector &other) {
    count = 0;
    room = kInside;
    reserve(other.count);
    std::copy(other.begin(), other.end(), begin());
    count = other.count;
  }
  void take(InlineVector &other) {
    std::memcpy(inside, other.inside, sizeof(inside));
    count = other.count;
    room = other.room;
    other.count = 0;
    other.room = kInside;
  }
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_INLINEVECTOR_H
