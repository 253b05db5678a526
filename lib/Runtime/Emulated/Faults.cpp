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
    fibers->switchToScheduler();
}

//===----------------------------------------------------------------------===//
// Threads that wait for ever
//===----------------------------------------------------------------------===//

/// The first thread whose lane is in this mask of its warp, or null.
const Thread *BlockRunner::firstThread(uint32_t Warp::*mask) const {
  for (uint32_t i = 0; i < warps.size(); ++i)
    if (warps[i].*mask)
      return &threads[i * warpSize + uint32_t(__builtin_ctz(warps[i].*mask))];
  return nullptr;
}

void BlockRunner::reportDeadlock() {
  const std::string prefix = "kernel '" + kernel->name + "': ";
  if (const Thread *waiting = firstThread(&Warp::inOperation)) {
    std::ostringstream text;
    text << prefix << "divergent warp operation: its member mask 0x" << std::hex
         << waiting->mask << " names lanes that never come to it, "
         << positionText(waiting->linear);
    faultText = text.str();
    return;
  }
  uint32_t numWaiting = 0;
  const Thread *waiting = nullptr;
  uint32_t site = noSite;
  for (uint32_t i = 0; i < warps.size(); ++i)
    for (uint32_t id = 0; id < numBarriers; ++id) {
      const uint32_t lanes = warps[i].atBarrier[id];
      numWaiting += uint32_t(__builtin_popcount(lanes));
      if (!lanes || waiting)
        continue;
      waiting = &threads[i * warpSize + uint32_t(__builtin_ctz(lanes))];
      site = warps[i].barrierSite[id];
    }
  std::string text = "divergent barrier: " + std::to_string(numWaiting) +
                     " of " + std::to_string(numThreads) +
                     " threads wait at barriers";
  if (const Thread *ended = firstThread(&Warp::done))
    text += ", but some have ended, such as thread " +
            std::to_string(ended->linear) + " of the block";
  recordFault(waiting->linear, site, text);
}
