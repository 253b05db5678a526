//===- Fibers.cpp - One stack per emulated thread -------------------------===//
//
// Boost.Context's fcontext does the switch: some twenty instructions, against a
// system call of ucontext. No exception ever crosses a fiber.
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
  /// A fiber or, last of all, the scheduler.
  struct Side {
    /// Where it goes on; null before a fiber's first run.
    fcontext_t context = nullptr;
    // For the address sanitizer.
    void *fakeStack = nullptr;
    const void *stack = nullptr;
    size_t stackBytes = 0;
  };

  std::vector<Side> sides;
  uint32_t count = 0;
  Body body = nullptr;
  void *argument = nullptr;
  size_t stackBytes = 0;
  size_t strideBytes = 0;
  char *memory = nullptr;
  uint32_t running = 0;
  /// Who ran before.
  uint32_t left = 0;

  void createFiber(uint32_t index);
  void jump(uint32_t to);
  void arrive(fcontext_t from);
  [[noreturn]] static void enter(transfer_t transfer);
};

FiberPool::FiberPool(uint32_t count, size_t wantedBytes, Body body,
                     void *argument)
    : impl(std::make_unique<Impl>()) {
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  impl->sides.resize(count + 1);
  impl->count = impl->running = count;
  impl->body = body;
  impl->argument = argument;
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
    munmap(impl->memory, impl->strideBytes * impl->count);
}

bool FiberPool::valid() const { return impl->memory != nullptr; }
uint32_t FiberPool::size() const { return impl->count; }
size_t FiberPool::stackSize() const {
  return impl->stackBytes - colourBytes * numColours;
}

void FiberPool::Impl::createFiber(uint32_t index) {
  Side &fiber = sides[index];
  char *stack = memory + (index + 1) * strideBytes - stackBytes;
  const size_t used = stackBytes - (index % numColours) * colourBytes;
  fiber.context = make_fcontext(stack + used, used, &Impl::enter);
  fiber.stack = stack;
  fiber.stackBytes = stackBytes;
}

/// Keeps where the other side goes on.
void FiberPool::Impl::arrive(fcontext_t from) {
  sides[left].context = from;
#ifdef CKPT_FIBERS_ASAN
  __sanitizer_finish_switch_fiber(sides[running].fakeStack, &sides[left].stack,
                                  &sides[left].stackBytes);
#endif
}

void FiberPool::Impl::enter(transfer_t transfer) {
  Impl &pool = *static_cast<Impl *>(transfer.data);
  pool.arrive(transfer.fctx);
  const uint32_t index = pool.running;
  for (;;)
    pool.body(pool.argument, index);
}

void FiberPool::Impl::jump(uint32_t to) {
  left = running;
  running = to;
#ifdef CKPT_FIBERS_ASAN
  __sanitizer_start_switch_fiber(&sides[left].fakeStack, sides[to].stack,
                                 sides[to].stackBytes);
#endif
  transfer_t transfer = jump_fcontext(sides[to].context, this);
  arrive(transfer.fctx);
}

void FiberPool::switchTo(uint32_t index) {
  if (!impl->sides[index].context)
    impl->createFiber(index);
  impl->jump(index);
}

void FiberPool::switchToScheduler() { impl->jump(impl->count); }
