//===- TensorCore.cpp - mma.sync, ldmatrix and stmatrix -------------------===//
//
// Fragment layouts: PTX ISA 8.7, sections 9.7.14.5.4 (m16n8k4), 9.7.14.5.5
// (m16n8k8), 9.7.14.5.8 (m16n8k16) and 9.7.14.5.15 (ldmatrix). Products are
// exact, sums are in f32 with k ascending.
//
//===----------------------------------------------------------------------===//

#include "BlockRunner.h"
#include "RuntimeSymbols.h"

#include <cstring>
#include <utility>

using namespace ckpt::emulated;

static float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

static uint32_t toBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

static float fromBF16(uint32_t bits) { return fromBits(bits << 16); }

static float fromF16(uint32_t bits) {
  const uint16_t narrow = uint16_t(bits);
  _Float16 value;
  std::memcpy(&value, &narrow, sizeof(value));
  return float(value);
}

/// TF32 has 10 bits of mantissa; hardware ignores the rest.
static float fromTF32(uint32_t bits) { return fromBits(bits & 0xFFFFE000); }

/// D = A * B + C for A: 16 x depth, B: depth x 8, C and D: 16 x 8.
template <unsigned depth>
static void multiply(const float (&a)[16][depth], const float (&b)[depth][8],
                     float (&c)[16][8]) {
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned k = 0; k < depth; ++k)
      for (unsigned column = 0; column < 8; ++column)
        c[row][column] += a[row][k] * b[k][column];
}

/// Registers 0 and 1 of a lane hold row g, 2 and 3 row g + 8 of C and D.
static void loadAccumulator(const Thread *lanes, unsigned firstRegister,
                            float (&c)[16][8]) {
  for (unsigned lane = 0; lane < warpSize; ++lane)
    for (unsigned i = 0; i < 4; ++i)
      c[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2] =
          fromBits(lanes[lane].in[firstRegister + i]);
}

static void storeAccumulator(Thread *lanes, const float (&c)[16][8]) {
  for (unsigned lane = 0; lane < warpSize; ++lane)
    for (unsigned i = 0; i < 4; ++i)
      lanes[lane].out[i] =
          toBits(c[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2]);
}

/// Two 16-bit elements per register; m16n8k16 is two of m16n8k8 side by side.
template <unsigned depth, float (*convert)(uint32_t)>
static void mma16Bit(Thread *lanes, uint32_t) {
  float a[16][depth];
  float b[depth][8];
  float c[16][8];
  constexpr unsigned halves = depth / 8;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    const uint32_t *in = lanes[lane].in;
    const unsigned group = lane / 4;
    const unsigned pair = lane % 4 * 2;
    for (unsigned i = 0; i < 2 * halves; ++i)
      for (unsigned e = 0; e < 2; ++e)
        a[group + i % 2 * 8][pair + i / 2 * 8 + e] =
            convert(in[i] >> (16 * e) & 0xFFFF);
    for (unsigned i = 0; i < halves; ++i)
      for (unsigned e = 0; e < 2; ++e)
        b[pair + i * 8 + e][group] =
            convert(in[2 * halves + i] >> (16 * e) & 0xFFFF);
  }
  loadAccumulator(lanes, 3 * halves, c);
  multiply<depth>(a, b, c);
  storeAccumulator(lanes, c);
}

/// One element per register.
template <unsigned depth>
static void mmaTF32(Thread *lanes, uint32_t) {
  float a[16][depth];
  float b[depth][8];
  float c[16][8];
  constexpr unsigned halves = depth / 4;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    const uint32_t *in = lanes[lane].in;
    const unsigned group = lane / 4;
    const unsigned column = lane % 4;
    for (unsigned i = 0; i < 2 * halves; ++i)
      a[group + i % 2 * 8][column + i / 2 * 4] = fromTF32(in[i]);
    for (unsigned i = 0; i < halves; ++i)
      b[column + i * 4][group] = fromTF32(in[2 * halves + i]);
  }
  loadAccumulator(lanes, 3 * halves, c);
  multiply<depth>(a, b, c);
  storeAccumulator(lanes, c);
}

namespace {
struct MmaShape {
  WarpOperation operation;
  unsigned inputRegisters;
};
} // namespace

static MmaShape mmaShape(uint32_t kind) {
  switch (kind) {
  case MmaM16N8K16BF16:
    return {mma16Bit<16, fromBF16>, 10};
  case MmaM16N8K16F16:
    return {mma16Bit<16, fromF16>, 10};
  case MmaM16N8K8BF16:
    return {mma16Bit<8, fromBF16>, 7};
  case MmaM16N8K8F16:
    return {mma16Bit<8, fromF16>, 7};
  case MmaM16N8K8TF32:
    return {mmaTF32<8>, 10};
  default:
    return {mmaTF32<4>, 7};
  }
}

void ckpt_emu_mma(ThreadState *state, uint32_t kind, const uint32_t *in,
                  uint32_t *out) {
  Thread &thread = *static_cast<Thread *>(state);
  const MmaShape shape = mmaShape(kind);
  std::memcpy(thread.in, in, shape.inputRegisters * sizeof(uint32_t));
  thread.block->runner->meetFullWarp(thread, shape.operation);
  std::memcpy(out, thread.out, 4 * sizeof(uint32_t));
}

/// in: number of matrices, transposed; lane 8 m + r has the address of row r of
/// matrix m; out: register m of each lane, elements (lane / 4, lane % 4 * 2 +
/// e).
static void loadMatrices(Thread *lanes, uint32_t) {
  for (uint32_t m = 0; m < lanes[0].in[0]; ++m) {
    uint16_t rows[8][8];
    for (unsigned row = 0; row < 8; ++row)
      std::memcpy(rows[row], lanes[m * 8 + row].address, sizeof(rows[row]));
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      uint32_t value = 0;
      for (unsigned e = 0; e < 2; ++e) {
        unsigned row = lane / 4;
        unsigned column = lane % 4 * 2 + e;
        if (lanes[0].in[1])
          std::swap(row, column);
        value |= uint32_t(rows[row][column]) << (16 * e);
      }
      lanes[lane].out[m] = value;
    }
  }
}

void ckpt_emu_ldmatrix(ThreadState *state, const void *address, uint32_t count,
                       uint32_t transposed, uint32_t *out) {
  Thread &thread = *static_cast<Thread *>(state);
  thread.in[0] = count;
  thread.in[1] = transposed;
  thread.address = address;
  thread.block->runner->meetFullWarp(thread, loadMatrices);
  std::memcpy(out, thread.out, count * sizeof(uint32_t));
}

/// in: number of matrices, transposed, then the registers.
static void storeMatrices(Thread *lanes, uint32_t) {
  for (uint32_t m = 0; m < lanes[0].in[0]; ++m) {
    uint16_t rows[8][8];
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned e = 0; e < 2; ++e) {
        unsigned row = lane / 4;
        unsigned column = lane % 4 * 2 + e;
        if (lanes[0].in[1])
          std::swap(row, column);
        rows[row][column] = uint16_t(lanes[lane].in[2 + m] >> (16 * e));
      }
    for (unsigned row = 0; row < 8; ++row)
      std::memcpy(const_cast<void *>(lanes[m * 8 + row].address), rows[row],
                  sizeof(rows[row]));
  }
}

void ckpt_emu_stmatrix(ThreadState *state, void *address, uint32_t count,
                       uint32_t transposed, const uint32_t *in) {
  Thread &thread = *static_cast<Thread *>(state);
  thread.in[0] = count;
  thread.in[1] = transposed;
  std::memcpy(thread.in + 2, in, count * sizeof(uint32_t));
  thread.address = address;
  thread.block->runner->meetFullWarp(thread, storeMatrices);
}
