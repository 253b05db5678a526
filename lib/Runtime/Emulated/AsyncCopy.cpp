//===- AsyncCopy.cpp - cp.async -------------------------------------------===//
//
// Hardware may write the destination at any time between the copy and its wait.
// Here it holds a NaN pattern from the first to the second, so that a missing
// wait is seen at once.
//
//===----------------------------------------------------------------------===//

#include "BlockRunner.h"
#include "RuntimeSymbols.h"

#include <cstring>

using namespace ckpt::emulated;

/// Does the thread's first `count` copies.
static void complete(Thread &thread, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const AsyncCopy &copy = thread.copies[i];
    std::memcpy(copy.destination, copy.source, copy.sourceBytes);
    std::memset(copy.destination + copy.sourceBytes, 0,
                copy.bytes - copy.sourceBytes);
  }
  thread.copies.erase(thread.copies.begin(),
                      thread.copies.begin() + ptrdiff_t(count));
}

void ckpt_emu_copy_async(ThreadState *state, void *destination,
                         const void *source, uint32_t bytes,
                         uint32_t sourceBytes) {
  Thread &thread = *static_cast<Thread *>(state);
  std::memset(destination, DeviceMemory::fillByte, bytes);
  thread.copies.push_back({static_cast<char *>(destination),
                           static_cast<const char *>(source), bytes,
                           sourceBytes < bytes ? sourceBytes : bytes});
}

void ckpt_emu_copy_commit(ThreadState *state) {
  Thread &thread = *static_cast<Thread *>(state);
  thread.groupEnds.push_back(thread.copies.size());
}

void ckpt_emu_copy_wait(ThreadState *state, uint32_t pending) {
  Thread &thread = *static_cast<Thread *>(state);
  if (thread.groupEnds.size() <= pending)
    return;
  const size_t done = thread.groupEnds.size() - pending;
  const size_t copies = thread.groupEnds[done - 1];
  complete(thread, copies);
  thread.groupEnds.erase(thread.groupEnds.begin(),
                         thread.groupEnds.begin() + ptrdiff_t(done));
  for (size_t &end : thread.groupEnds)
    end -= copies;
}

void ckpt_emu_copy_wait_all(ThreadState *state) {
  Thread &thread = *static_cast<Thread *>(state);
  complete(thread, thread.copies.size());
  thread.groupEnds.clear();
}
