//===- Fibers.h - One stack per emulated thread -----------------*- C++ -*-===//
#ifndef CKPT_LIB_RUNTIME_EMULATED_FIBERS_H
#define CKPT_LIB_RUNTIME_EMULATED_FIBERS_H

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ckpt::emulated {

/// Fibers that each call `body(argument, index)` over and over, and the
/// scheduler, which is whoever calls run(). Exactly one of them runs at a time,
/// until it switches to another. A pool may be dropped whatever its fibers are
/// doing: stacks are just memory, so nothing on them may own anything.
class FiberPool {
public:
  using Body = void (*)(void *argument, uint32_t index);

  /// `stackBytes` per fiber, beside which the pool keeps guard pages.
  FiberPool(uint32_t count, size_t stackBytes, Body body, void *argument);
  FiberPool(const FiberPool &) = delete;
  FiberPool &operator=(const FiberPool &) = delete;
  ~FiberPool();

  /// Whether the stacks could be had.
  bool valid() const;
  uint32_t size() const;
  size_t stackSize() const;

  /// From the scheduler or a fiber: goes on with fiber `index`, another one.
  /// Returns when somebody switches back.
  void switchTo(uint32_t index);
  /// From a fiber: goes on with the scheduler.
  void switchToScheduler();

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace ckpt::emulated

#endif // CKPT_LIB_RUNTIME_EMULATED_FIBERS_H
