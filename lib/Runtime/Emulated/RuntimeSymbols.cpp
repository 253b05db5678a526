//===- RuntimeSymbols.cpp - Functions that rewritten kernels call ---------===//

#include "RuntimeSymbols.h"

#include "BlockRunner.h"

#include <cstring>

using namespace ckpt::emulated;

void ckpt_emu_fault(BlockState *block, uint32_t thread, uint32_t site,
                    uint64_t address) {
  block->runner->recordFault(thread, site, address);
  block->runner->abandonThread();
}

bool ckpt_emu_accessible(BlockState *block, uint64_t address, uint64_t bytes) {
  return block->runner->isAccessible(address, bytes);
}

uint32_t ckpt_emu_barrier(ThreadState *state, uint32_t id, uint32_t expected,
                          uint32_t site, uint32_t predicate) {
  Thread &thread = *static_cast<Thread *>(state);
  return thread.block->runner->waitAtBarrier(thread, id, expected, site,
                                             predicate);
}

uint32_t ckpt_emu_prmt(uint32_t low, uint32_t high, uint32_t selector) {
  const uint64_t bytes = uint64_t(high) << 32 | low;
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const uint32_t pick = selector >> (4 * i) & 0xF;
    uint32_t byte = uint32_t(bytes >> (8 * (pick & 7))) & 0xFF;
    if (pick & 8) // Replicates the sign.
      byte = byte & 0x80 ? 0xFF : 0;
    result |= byte << (8 * i);
  }
  return result;
}

/// Rounds to bfloat16, to nearest even.
static uint16_t roundToBF16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if ((bits & 0x7FFFFFFF) > 0x7F800000)
    return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

/// Rounds to float so that a further rounding to fewer bits is right: the last
/// bit is set where the result is not exact ("round to odd").
static float roundToOdd(double value) {
  float nearest = float(value);
  if (double(nearest) == value || value != value)
    return nearest;
  uint32_t bits;
  std::memcpy(&bits, &nearest, sizeof(bits));
  if (bits & 1)
    return nearest;
  const bool tooFar = (double(nearest) > value) == (value > 0);
  bits += tooFar ? -1u : 1u;
  std::memcpy(&nearest, &bits, sizeof(bits));
  return nearest;
}

/// The code generator calls it to truncate f64 to bf16; a __bf16 result is in
/// the low bits of a vector register, as a float is.
static float truncateF64ToBF16(double value) {
  uint32_t bits = roundToBF16(roundToOdd(value));
  float result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}

static float truncateF32ToBF16(float value) {
  uint32_t bits = roundToBF16(value);
  float result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}

template <typename Function>
static void *addressOf(Function *function) {
  return reinterpret_cast<void *>(function);
}

std::vector<std::pair<const char *, void *>> ckpt::emulated::runtimeSymbols() {
  return {
      {"ckpt_emu_fault", addressOf(ckpt_emu_fault)},
      {"ckpt_emu_accessible", addressOf(ckpt_emu_accessible)},
      {"ckpt_emu_barrier", addressOf(ckpt_emu_barrier)},
      {"ckpt_emu_warp_sync", addressOf(ckpt_emu_warp_sync)},
      {"ckpt_emu_shuffle", addressOf(ckpt_emu_shuffle)},
      {"ckpt_emu_vote", addressOf(ckpt_emu_vote)},
      {"ckpt_emu_match", addressOf(ckpt_emu_match)},
      {"ckpt_emu_redux", addressOf(ckpt_emu_redux)},
      {"ckpt_emu_mma", addressOf(ckpt_emu_mma)},
      {"ckpt_emu_ldmatrix", addressOf(ckpt_emu_ldmatrix)},
      {"ckpt_emu_stmatrix", addressOf(ckpt_emu_stmatrix)},
      {"ckpt_emu_copy_async", addressOf(ckpt_emu_copy_async)},
      {"ckpt_emu_copy_commit", addressOf(ckpt_emu_copy_commit)},
      {"ckpt_emu_copy_wait", addressOf(ckpt_emu_copy_wait)},
      {"ckpt_emu_copy_wait_all", addressOf(ckpt_emu_copy_wait_all)},
      {"ckpt_emu_prmt", addressOf(ckpt_emu_prmt)},
      {"__truncdfbf2", addressOf(truncateF64ToBF16)},
      {"__truncsfbf2", addressOf(truncateF32ToBF16)},
  };
}
