//===- Fibers.cpp - One stack per emulated thread -------------------------===//
//
// Boost.Context's fcontext does the switch: some ten instructions, against two
// system calls of ucontext. No exception ever crosses a fiber.
//
//===----------------------------------------------------------------------===//

#include "Fibers.h"

#include <boost/context/detail/fcontext.hpp>

#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CKPT_FIBERS_ASAN 1
#include <sanitizer/common_interface_defs.h>
#endif
#endif

using namespace ckpt::emulated;
using namespace boost::context::detail;

/// Stacks at equal distances would compete for the same cache sets: each top is
/// moved down by another multiple of this.
static constexpr size_t colourBytes = 192;
static constexpr size_t numColours = 21;

struct FiberPool::Impl {
  struct Fiber {
    fcontext_t context = nullptr;
    Body body = nullptr;
    void *argument = nullptr;
    /// Not inside body.
    bool idle = true;
  };

  std::vector<Fiber> fibers;
  size_t stackBytes = 0;
  size_t strideBytes = 0;
  char *memory = nullptr;
  fcontext_t scheduler = nullptr;
  uint32_t current = 0;
#ifdef CKPT_FIBERS_ASAN
  void *fakeStack = nullptr;
  const void *schedulerStack = nullptr;
  size_t schedulerStackBytes = 0;
#endif

  char *stackBegin(uint32_t index) const {
    return memory + index * strideBytes + (strideBytes - stackBytes);
  }
  [[noreturn]] static void enter(transfer_t transfer);
  void switchToScheduler();
};

FiberPool::FiberPool(uint32_t count, size_t wantedBytes)
    : impl(std::make_unique<Impl>()) {
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  impl->fibers.resize(count);
  impl->stackBytes =
      (wantedBytes + colourBytes * numColours + page - 1) / page * page;
  impl->strideBytes = impl->stackBytes + page;
  void *mapped =
      mmap(nullptr, impl->strideBytes * count, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    return;
  impl->memory = static_cast<char *>(mapped);
  for (uint32_t i = 0; i < count; ++i)
    mprotect(impl->memory + i * impl->strideBytes, page, PROT_NONE);
}

FiberPool::~FiberPool() {
  if (impl->memory)
    munmap(impl->memory, impl->strideBytes * impl->fibers.size());
}

bool FiberPool::valid() const { return impl->memory != nullptr; }
uint32_t FiberPool::size() const { return uint32_t(impl->fibers.size()); }
size_t FiberPool::stackSize() const {
  return impl->stackBytes - colourBytes * numColours;
}

void FiberPool::Impl::enter(transfer_t transfer) {
  Impl &pool = *static_cast<Impl *>(transfer.data);
  pool.scheduler = transfer.fctx;
#ifdef CKPT_FIBERS_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &pool.schedulerStack,
                                  &pool.schedulerStackBytes);
#endif
  const uint32_t index = pool.current;
  for (;;) {
    Fiber &fiber = pool.fibers[index];
    fiber.body(fiber.argument);
    fiber.idle = true;
    pool.switchToScheduler();
  }
}

void FiberPool::Impl::switchToScheduler() {
#ifdef CKPT_FIBERS_ASAN
  void *own = nullptr;
  __sanitizer_start_switch_fiber(&own, schedulerStack, schedulerStackBytes);
#endif
  transfer_t transfer = jump_fcontext(scheduler, nullptr);
  scheduler = transfer.fctx;
#ifdef CKPT_FIBERS_ASAN
  __sanitizer_finish_switch_fiber(own, &schedulerStack, &schedulerStackBytes);
#endif
}

void FiberPool::start(uint32_t index, Body body, void *argument) {
  Impl::Fiber &fiber = impl->fibers[index];
  if (!fiber.context || !fiber.idle) {
    size_t offset = impl->stackBytes - (index % numColours) * colourBytes;
    fiber.context =
        make_fcontext(impl->stackBegin(index) + offset, offset, &Impl::enter);
  }
  fiber.body = body;
  fiber.argument = argument;
  fiber.idle = false;
}

void FiberPool::resume(uint32_t index) {
  Impl::Fiber &fiber = impl->fibers[index];
  impl->current = index;
#ifdef CKPT_FIBERS_ASAN
  __sanitizer_start_switch_fiber(&impl->fakeStack, impl->stackBegin(index),
                                 impl->stackBytes);
#endif
  transfer_t transfer = jump_fcontext(fiber.context, impl.get());
  fiber.context = transfer.fctx;
#ifdef CKPT_FIBERS_ASAN
  __sanitizer_finish_switch_fiber(impl->fakeStack, nullptr, nullptr);
#endif
}

void FiberPool::yield() { impl->switchToScheduler(); }
