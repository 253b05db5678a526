//===- Faults.cpp - What went wrong, in words -----------------------------===//

#include "BlockRunner.h"

#include <sstream>

using namespace ckpt;
using namespace ckpt::emulated;

static const char *accessName(FaultSite::Kind kind) {
  switch (kind) {
  case FaultSite::Kind::Write:
    return "write";
  case FaultSite::Kind::Atomic:
    return "atomic access";
  default:
    return "read";
  }
}

std::string BlockRunner::positionText(uint32_t thread) const {
  const runtime::Dim3 &size = config.block;
  std::ostringstream text;
  text << "block (" << block.blockIdx[0] << ',' << block.blockIdx[1] << ','
       << block.blockIdx[2] << "), thread (" << thread % size.x << ','
       << thread / size.x % size.y << ',' << thread / size.x / size.y << ')';
  return text.str();
}

std::string BlockRunner::accessText(const FaultSite &site,
                                    uint64_t address) const {
  const std::string access = std::string(accessName(site.kind)) + " of " +
                             std::to_string(site.bytes) +
                             (site.bytes == 1 ? " byte" : " bytes");
  const std::string object = site.object.empty() ? "" : " of " + site.object;
  const uint64_t shared = address - reinterpret_cast<uintptr_t>(block.shared);
  const bool inShared = shared < sharedBytes;
  const std::string place =
      inShared ? "at byte " + std::to_string(shared) + " of the shared memory"
               : memory.describe(address);
  if (address % site.alignment != 0) {
    std::ostringstream text;
    text << "misaligned " << access << object << ": address 0x" << std::hex
         << address << std::dec << " is no multiple of " << site.alignment
         << " (" << place << ')';
    return text.str();
  }
  return "out-of-bounds " + access + object + " (" + place + ')';
}

void BlockRunner::recordFault(uint32_t thread, uint32_t site,
                              uint64_t address) {
  const FaultSite &known = kernel->sites[site];
  recordFault(thread, site,
              known.kind == FaultSite::Kind::Trap ? "the kernel trapped"
                                                  : accessText(known, address));
}

void BlockRunner::recordFault(uint32_t thread, uint32_t site,
                              const std::string &text) {
  if (!faultText.empty())
    return;
  faultText =
      "kernel '" + kernel->name + "': " + text + ", " + positionText(thread);
  if (site < kernel->sites.size() && !kernel->sites[site].location.empty())
    faultText += " at " + kernel->sites[site].location;
}

void BlockRunner::abandonThread() {
  if (kernel->thread)
    fibers->yield();
}

void BlockRunner::reportDeadlock() {
  uint32_t atBarrier = 0;
  uint32_t done = 0;
  const Thread *waiting = nullptr;
  const Thread *inWarp = nullptr;
  const Thread *absent = nullptr;
  for (uint32_t i = 0; i < numThreads; ++i) {
    const Thread &thread = threads[i];
    if (thread.phase == Thread::Phase::AtBarrier) {
      ++atBarrier;
      waiting = waiting ? waiting : &thread;
      continue;
    }
    absent = absent ? absent : &thread;
    if (thread.phase == Thread::Phase::Done)
      ++done;
    else
      inWarp = inWarp ? inWarp : &thread;
  }
  std::ostringstream text;
  text << "kernel '" << kernel->name << "': ";
  if (inWarp) {
    text << "divergent warp operation: its member mask 0x" << std::hex
         << inWarp->mask << std::dec << " names lanes that never come to it, "
         << positionText(inWarp->linear);
  } else {
    text << "divergent barrier: " << atBarrier << " of " << numThreads
         << " threads wait at barriers";
    if (done)
      text << " and " << done << " have ended, such as thread "
           << absent->linear << " of the block";
    text << "; waiting is " << positionText(waiting->linear);
    if (waiting->site < kernel->sites.size() &&
        !kernel->sites[waiting->site].location.empty())
      text << " at " << kernel->sites[waiting->site].location;
  }
  faultText = text.str();
}
