//===- Fibers.h - One stack per emulated thread -----------------*- C++ -*-===//
#ifndef CKPT_LIB_RUNTIME_EMULATED_FIBERS_H
#define CKPT_LIB_RUNTIME_EMULATED_FIBERS_H

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ckpt::emulated {

/// A fixed number of fibers of equal stack size. A fiber that never gets to its
/// end may be dropped or started anew: its stack is just memory, so nothing on
/// it may own anything.
class FiberPool {
public:
  using Body = void (*)(void *argument);

  /// `stackBytes` per fiber, beside which the pool keeps guard pages.
  FiberPool(uint32_t count, size_t stackBytes);
  FiberPool(const FiberPool &) = delete;
  FiberPool &operator=(const FiberPool &) = delete;
  ~FiberPool();

  /// Whether the stacks could be had.
  bool valid() const;
  uint32_t size() const;
  size_t stackSize() const;

  /// Prepares fiber `index` to run `body(argument)` when it is next resumed.
  void start(uint32_t index, Body body, void *argument);
  /// Runs fiber `index` until it yields or its body returns.
  void resume(uint32_t index);
  /// From inside a fiber: back to resume().
  void yield();

  struct Impl;

private:
  std::unique_ptr<Impl> impl;
};

} // namespace ckpt::emulated

#endif // CKPT_LIB_RUNTIME_EMULATED_FIBERS_H
