//===- RuntimeSymbols.h - Functions that rewritten kernels call -*- C++ -*-===//
#ifndef CKPT_LIB_RUNTIME_EMULATED_RUNTIMESYMBOLS_H
#define CKPT_LIB_RUNTIME_EMULATED_RUNTIMESYMBOLS_H

#include "ThreadState.h"

#include <utility>
#include <vector>

extern "C" {

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

/// Keeps the fault of an access at `address`. In a fiber it does not return.
void ckpt_emu_fault(ckpt::emulated::BlockState *block, uint32_t thread,
                    uint32_t site, uint64_t address);
/// Whether an access through a pointer of unknown origin is allowed.
bool ckpt_emu_accessible(ckpt::emulated::BlockState *block, uint64_t address,
                         uint64_t bytes);

//===----------------------------------------------------------------------===//
// Synchronisation and warp operations (PTX ISA, sections 9.7.13 and 9.7.9.6)
//===----------------------------------------------------------------------===//

/// barrier.cta.{sync,red}: the number of threads whose `predicate` is not zero.
uint32_t ckpt_emu_barrier(ckpt::emulated::ThreadState *thread, uint32_t id,
                          uint32_t expected, uint32_t site, uint32_t predicate);
void ckpt_emu_warp_sync(ckpt::emulated::ThreadState *thread, uint32_t mask);

enum ShuffleMode : uint32_t { ShuffleIdx, ShuffleUp, ShuffleDown, ShuffleBfly };
/// The value in the low half, whether the source lane was in range in bit 32.
uint64_t ckpt_emu_shuffle(ckpt::emulated::ThreadState *thread, uint32_t mode,
                          uint32_t mask, uint32_t value, uint32_t lane,
                          uint32_t clamp);

enum VoteMode : uint32_t { VoteAll, VoteAny, VoteUni, VoteBallot };
uint32_t ckpt_emu_vote(ckpt::emulated::ThreadState *thread, uint32_t mode,
                       uint32_t mask, uint32_t predicate);

enum MatchMode : uint32_t { MatchAny, MatchAll };
/// The mask of lanes with an equal value; for MatchAll of all lanes or none.
uint32_t ckpt_emu_match(ckpt::emulated::ThreadState *thread, uint32_t mode,
                        uint32_t mask, uint64_t value);

enum ReduxMode : uint32_t {
  ReduxAdd,
  ReduxMin,
  ReduxMax,
  ReduxUMin,
  ReduxUMax,
  ReduxAnd,
  ReduxOr,
  ReduxXor
};
uint32_t ckpt_emu_redux(ckpt::emulated::ThreadState *thread, uint32_t mode,
                        uint32_t mask, uint32_t value);

//===----------------------------------------------------------------------===//
// Tensor cores and asynchronous copies
//===----------------------------------------------------------------------===//

/// mma.sync row.col with f32 accumulators: `in` holds the registers of A, B and
/// C in that order, `out` gets those of D.
enum MmaKind : uint32_t {
  MmaM16N8K16BF16,
  MmaM16N8K16F16,
  MmaM16N8K8BF16,
  MmaM16N8K8F16,
  MmaM16N8K8TF32,
  MmaM16N8K4TF32
};
void ckpt_emu_mma(ckpt::emulated::ThreadState *thread, uint32_t kind,
                  const uint32_t *in, uint32_t *out);
/// {ld,st}matrix.sync.aligned.m8n8 of `count` matrices of 16-bit elements.
void ckpt_emu_ldmatrix(ckpt::emulated::ThreadState *thread, const void *address,
                       uint32_t count, uint32_t transposed, uint32_t *out);
void ckpt_emu_stmatrix(ckpt::emulated::ThreadState *thread, void *address,
                       uint32_t count, uint32_t transposed, const uint32_t *in);

/// cp.async of `bytes`, of which `sourceBytes` are read and the rest is zero.
/// It happens at the wait; until then the destination holds a NaN pattern.
void ckpt_emu_copy_async(ckpt::emulated::ThreadState *thread, void *destination,
                         const void *source, uint32_t bytes,
                         uint32_t sourceBytes);
void ckpt_emu_copy_commit(ckpt::emulated::ThreadState *thread);
/// Waits until at most `pending` of the thread's committed groups are pending.
void ckpt_emu_copy_wait(ckpt::emulated::ThreadState *thread, uint32_t pending);
/// Waits for all the thread's copies, committed or not.
void ckpt_emu_copy_wait_all(ckpt::emulated::ThreadState *thread);

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Byte permutation in the default mode of PTX's prmt.b32.
uint32_t ckpt_emu_prmt(uint32_t low, uint32_t high, uint32_t selector);
}

namespace ckpt::emulated {

/// Every function above, and what the host's code generator itself may call.
std::vector<std::pair<const char *, void *>> runtimeSymbols();

} // namespace ckpt::emulated

#endif // CKPT_LIB_RUNTIME_EMULATED_RUNTIMESYMBOLS_H
