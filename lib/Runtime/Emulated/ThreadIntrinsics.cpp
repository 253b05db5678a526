//===- ThreadIntrinsics.cpp - Position, synchronisation, tensor cores -----===//

#include "Intrinsics.h"
#include "RuntimeSymbols.h"

#include "llvm/IR/Module.h"

using namespace llvm;
using namespace ckpt::emulated;

//===----------------------------------------------------------------------===//
// Special registers
//===----------------------------------------------------------------------===//

static unsigned axis(StringRef name) { return unsigned(name.back() - 'x'); }

static uint32_t extent(const ckpt::runtime::Dim3 &size, unsigned axis) {
  return axis == 0 ? size.x : axis == 1 ? size.y : size.z;
}

static Value *threadIndex(const IntrinsicCall &c) {
  return c.values.threadIdx[axis(c.name)];
}
static Value *blockIndex(const IntrinsicCall &c) {
  return c.values.blockIdx[axis(c.name)];
}
static Value *blockSize(const IntrinsicCall &c) {
  return c.i32(extent(c.values.blockSize, axis(c.name)));
}
static Value *gridSize(const IntrinsicCall &c) {
  return c.i32(extent(c.values.gridSize, axis(c.name)));
}
static Value *lane(const IntrinsicCall &c) {
  return c.builder.CreateAnd(c.values.linear, 31);
}
static Value *warp(const IntrinsicCall &c) {
  return c.builder.CreateLShr(c.values.linear, 5);
}
static Value *numWarps(const IntrinsicCall &c) {
  return c.i32(uint32_t(c.values.blockSize.count() + 31) / 32);
}
static Value *warpSizeValue(const IntrinsicCall &c) { return c.i32(32); }

/// lanemask.{eq,le,lt,ge,gt}
static Value *laneMask(const IntrinsicCall &c) {
  IRBuilder<> &b = c.builder;
  Value *equal = b.CreateShl(c.i32(1), lane(c));
  Value *below = b.CreateSub(equal, c.i32(1));
  StringRef which = c.name.take_back(2);
  if (which == "eq")
    return equal;
  if (which == "lt")
    return below;
  Value *upTo = b.CreateOr(equal, below);
  if (which == "le")
    return upTo;
  return b.CreateNot(which == "gt" ? upTo : below);
}

static Value *dynamicSharedSize(const IntrinsicCall &c) {
  return c.builder.CreateLoad(
      c.builder.getInt32Ty(),
      c.builder.CreateConstGEP1_64(c.builder.getInt8Ty(), c.values.block,
                                   layout::sharedDynamicBytes));
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static Value *callBarrier(const IntrinsicCall &c, Value *expected,
                          Value *predicate) {
  return c.host(
      "ckpt_emu_barrier", c.builder.getInt32Ty(),
      {c.values.thread, c.arg(0), expected, c.i32(c.site), predicate});
}

static Value *barrierAll(const IntrinsicCall &c) {
  callBarrier(c, c.i32(0), c.i32(0));
  return nullptr;
}
static Value *barrierCount(const IntrinsicCall &c) {
  callBarrier(c, c.arg(1), c.i32(0));
  return nullptr;
}

/// barrier.cta.red.{and,or,popc}.aligned.all(id, predicate)
static Value *barrierReduce(const IntrinsicCall &c) {
  IRBuilder<> &b = c.builder;
  Value *predicate = b.CreateZExt(c.arg(1), b.getInt32Ty());
  Value *count = callBarrier(c, c.i32(0), predicate);
  if (c.name.contains(".popc."))
    return count;
  if (c.name.contains(".or."))
    return b.CreateICmpNE(count, c.i32(0));
  return b.CreateICmpEQ(count, c.i32(uint32_t(c.values.blockSize.count())));
}

static Value *warpSync(const IntrinsicCall &c) {
  c.host("ckpt_emu_warp_sync", c.builder.getVoidTy(),
         {c.values.thread, c.arg(0)});
  return nullptr;
}

/// What one host thread at a time need not do.
static Value *nothing(const IntrinsicCall &) { return nullptr; }

//===----------------------------------------------------------------------===//
// Warp operations
//===----------------------------------------------------------------------===//

/// shfl.sync.{idx,up,down,bfly}.{i32,f32}[p](mask, value, lane, clamp)
static Value *shuffle(const IntrinsicCall &c) {
  IRBuilder<> &b = c.builder;
  StringRef mode = c.name.drop_front(StringRef("shfl.sync.").size());
  const uint32_t modeId = mode.starts_with("idx")    ? ShuffleIdx
                          : mode.starts_with("up")   ? ShuffleUp
                          : mode.starts_with("down") ? ShuffleDown
                                                     : ShuffleBfly;
  Type *type = c.arg(1)->getType();
  Value *both =
      c.host("ckpt_emu_shuffle", b.getInt64Ty(),
             {c.values.thread, c.i32(modeId), c.arg(0),
              b.CreateBitCast(c.arg(1), b.getInt32Ty()), c.arg(2), c.arg(3)});
  Value *value = b.CreateBitCast(b.CreateTrunc(both, b.getInt32Ty()), type);
  if (!c.name.ends_with("p"))
    return value;
  Value *inRange = b.CreateTrunc(b.CreateLShr(both, 32), b.getInt1Ty());
  Value *pair = PoisonValue::get(c.call.getType());
  pair = b.CreateInsertValue(pair, value, 0);
  return b.CreateInsertValue(pair, inRange, 1);
}

static Value *vote(const IntrinsicCall &c) {
  IRBuilder<> &b = c.builder;
  const uint32_t mode = c.name.starts_with("vote.all")   ? VoteAll
                        : c.name.starts_with("vote.any") ? VoteAny
                        : c.name.starts_with("vote.uni") ? VoteUni
                                                         : VoteBallot;
  Value *result = c.host("ckpt_emu_vote", b.getInt32Ty(),
                         {c.values.thread, c.i32(mode), c.arg(0),
                          b.CreateZExt(c.arg(1), b.getInt32Ty())});
  return b.CreateZExtOrTrunc(result, c.call.getType());
}

static Value *match(const IntrinsicCall &c) {
  IRBuilder<> &b = c.builder;
  const bool all = c.name.starts_with("match.all");
  Value *lanes = c.host("ckpt_emu_match", b.getInt32Ty(),
                        {c.values.thread, c.i32(all ? MatchAll : MatchAny),
                         c.arg(0), b.CreateZExt(c.arg(1), b.getInt64Ty())});
  if (!all)
    return lanes;
  Value *pair =
      b.CreateInsertValue(PoisonValue::get(c.call.getType()), lanes, 0);
  return b.CreateInsertValue(pair, b.CreateICmpNE(lanes, c.i32(0)), 1);
}

/// redux.sync.<op>(value, mask)
static Value *redux(const IntrinsicCall &c) {
  StringRef op = c.name.drop_front(StringRef("redux.sync.").size());
  const uint32_t mode = op == "add"    ? ReduxAdd
                        : op == "min"  ? ReduxMin
                        : op == "max"  ? ReduxMax
                        : op == "umin" ? ReduxUMin
                        : op == "umax" ? ReduxUMax
                        : op == "and"  ? ReduxAnd
                        : op == "or"   ? ReduxOr
                                       : ReduxXor;
  return c.host("ckpt_emu_redux", c.builder.getInt32Ty(),
                {c.values.thread, c.i32(mode), c.arg(1), c.arg(0)});
}

//===----------------------------------------------------------------------===//
// Tensor cores
//===----------------------------------------------------------------------===//

static Value *genericPointer(const IntrinsicCall &c, Value *pointer) {
  return c.builder.CreateAddrSpaceCast(pointer, c.builder.getPtrTy());
}

/// Stores the call's arguments from `first` on into an array of registers.
static Value *spillArguments(const IntrinsicCall &c, unsigned first) {
  IRBuilder<> &b = c.builder;
  const unsigned count = c.call.arg_size() - first;
  Value *array = c.local(ArrayType::get(b.getInt32Ty(), count));
  for (unsigned i = 0; i < count; ++i)
    b.CreateStore(c.arg(first + i),
                  b.CreateConstGEP1_64(b.getInt32Ty(), array, i));
  return array;
}

static Value *callMma(const IntrinsicCall &c, MmaKind kind) {
  Value *in = spillArguments(c, 0);
  Value *out = c.local(c.call.getType());
  c.host("ckpt_emu_mma", c.builder.getVoidTy(),
         {c.values.thread, c.i32(kind), in, out});
  return c.builder.CreateLoad(c.call.getType(), out);
}

template <MmaKind kind>
static Value *mma(const IntrinsicCall &c) {
  return callMma(c, kind);
}

/// "...m8n8.x<count>[.trans].b16"
static uint32_t matrixCount(StringRef name) {
  return uint32_t(name[name.find(".x") + 2] - '0');
}

static Value *loadMatrix(const IntrinsicCall &c) {
  Value *out = c.local(c.call.getType());
  c.host("ckpt_emu_ldmatrix", c.builder.getVoidTy(),
         {c.values.thread, genericPointer(c, c.arg(0)),
          c.i32(matrixCount(c.name)), c.i32(c.name.contains(".trans.")), out});
  return c.builder.CreateLoad(c.call.getType(), out);
}

static Value *storeMatrix(const IntrinsicCall &c) {
  c.host("ckpt_emu_stmatrix", c.builder.getVoidTy(),
         {c.values.thread, genericPointer(c, c.arg(0)),
          c.i32(matrixCount(c.name)), c.i32(c.name.contains(".trans.")),
          spillArguments(c, 1)});
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

/// cp.async.{ca,cg}.shared.global.<bytes>[.s](to, from[, source bytes])
static Value *copyAsync(const IntrinsicCall &c) {
  StringRef sizeText = c.name;
  const bool partial = sizeText.consume_back(".s");
  uint32_t bytes = 0;
  sizeText.rsplit('.').second.getAsInteger(10, bytes);
  c.host("ckpt_emu_copy_async", c.builder.getVoidTy(),
         {c.values.thread, genericPointer(c, c.arg(0)),
          genericPointer(c, c.arg(1)), c.i32(bytes),
          partial ? c.arg(2) : c.i32(bytes)});
  return nullptr;
}

static Value *copyCommit(const IntrinsicCall &c) {
  c.host("ckpt_emu_copy_commit", c.builder.getVoidTy(), {c.values.thread});
  return nullptr;
}

static Value *copyWait(const IntrinsicCall &c) {
  c.host("ckpt_emu_copy_wait", c.builder.getVoidTy(),
         {c.values.thread, c.arg(0)});
  return nullptr;
}

static Value *copyWaitAll(const IntrinsicCall &c) {
  c.host("ckpt_emu_copy_wait_all", c.builder.getVoidTy(), {c.values.thread});
  return nullptr;
}

ArrayRef<IntrinsicRow> ckpt::emulated::threadIntrinsics() {
  static const IntrinsicRow rows[] = {
      {"read.ptx.sreg.tid.x", {threadIndex}},
      {"read.ptx.sreg.tid.y", {threadIndex}},
      {"read.ptx.sreg.tid.z", {threadIndex}},
      {"read.ptx.sreg.ctaid.x", {blockIndex}},
      {"read.ptx.sreg.ctaid.y", {blockIndex}},
      {"read.ptx.sreg.ctaid.z", {blockIndex}},
      {"read.ptx.sreg.ntid.x", {blockSize}},
      {"read.ptx.sreg.ntid.y", {blockSize}},
      {"read.ptx.sreg.ntid.z", {blockSize}},
      {"read.ptx.sreg.nctaid.x", {gridSize}},
      {"read.ptx.sreg.nctaid.y", {gridSize}},
      {"read.ptx.sreg.nctaid.z", {gridSize}},
      {"read.ptx.sreg.laneid", {lane}},
      {"read.ptx.sreg.warpid", {warp}},
      {"read.ptx.sreg.nwarpid", {numWarps}},
      {"read.ptx.sreg.warpsize", {warpSizeValue}},
      {"read.ptx.sreg.lanemask.*", {laneMask}},
      {"read.ptx.sreg.dynamic_smem_size", {dynamicSharedSize}},
      {"barrier.cta.sync.aligned.all", {barrierAll, true}},
      {"barrier.cta.sync.aligned.count", {barrierCount, true}},
      {"barrier.cta.sync.all", {barrierAll, true}},
      {"barrier.cta.sync.count", {barrierCount, true}},
      {"barrier.cta.red.and.aligned.all", {barrierReduce, true}},
      {"barrier.cta.red.or.aligned.all", {barrierReduce, true}},
      {"barrier.cta.red.popc.aligned.all", {barrierReduce, true}},
      {"bar.warp.sync", {warpSync, true}},
      {"membar.cta", {nothing}},
      {"membar.gl", {nothing}},
      {"membar.sys", {nothing}},
      {"prefetch.*", {nothing}},
      {"nanosleep", {nothing}},
      {"shfl.sync.*", {shuffle, true}},
      {"vote.all.sync", {vote, true}},
      {"vote.any.sync", {vote, true}},
      {"vote.uni.sync", {vote, true}},
      {"vote.ballot.sync", {vote, true}},
      {"match.any.sync.*", {match, true}},
      {"match.all.sync.*", {match, true}},
      {"redux.sync.add", {redux, true}},
      {"redux.sync.min", {redux, true}},
      {"redux.sync.max", {redux, true}},
      {"redux.sync.umin", {redux, true}},
      {"redux.sync.umax", {redux, true}},
      {"redux.sync.and", {redux, true}},
      {"redux.sync.or", {redux, true}},
      {"redux.sync.xor", {redux, true}},
      {"mma.m16n8k16.row.col.bf16", {mma<MmaM16N8K16BF16>, true}},
      {"mma.m16n8k16.row.col.f32.f32", {mma<MmaM16N8K16F16>, true}},
      {"mma.m16n8k8.row.col.bf16", {mma<MmaM16N8K8BF16>, true}},
      {"mma.m16n8k8.row.col.f32.f32", {mma<MmaM16N8K8F16>, true}},
      {"mma.m16n8k8.row.col.tf32", {mma<MmaM16N8K8TF32>, true}},
      {"mma.m16n8k4.row.col.tf32", {mma<MmaM16N8K4TF32>, true}},
      {"ldmatrix.sync.aligned.m8n8.*", {loadMatrix, true}},
      {"stmatrix.sync.aligned.m8n8.*", {storeMatrix, true}},
      {"cp.async.ca.shared.global.*", {copyAsync, true}},
      {"cp.async.cg.shared.global.*", {copyAsync, true}},
      {"cp.async.commit.group", {copyCommit, true}},
      {"cp.async.wait.group", {copyWait, true}},
      {"cp.async.wait.all", {copyWaitAll, true}},
  };
  return rows;
}
