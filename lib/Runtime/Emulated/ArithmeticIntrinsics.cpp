//===- ArithmeticIntrinsics.cpp - What one thread computes alone ----------===//
//
// Approximate instructions are computed exactly or by the C library: the
// emulated device shows what a program means, not the last bit of a GPU.
//
//===----------------------------------------------------------------------===//

#include "Intrinsics.h"

#include "llvm/IR/Intrinsics.h"

using namespace llvm;
using namespace ckpt::emulated;

template <Intrinsic::ID id>
static Value *unary(const IntrinsicCall &c) {
  return c.builder.CreateUnaryIntrinsic(id, c.arg(0));
}

template <Intrinsic::ID id>
static Value *binary(const IntrinsicCall &c) {
  return c.builder.CreateBinaryIntrinsic(id, c.arg(0), c.arg(1));
}

template <Instruction::BinaryOps opcode>
static Value *operation(const IntrinsicCall &c) {
  return c.builder.CreateBinOp(opcode, c.arg(0), c.arg(1));
}

static Value *fma(const IntrinsicCall &c) {
  return c.builder.CreateIntrinsic(Intrinsic::fma, {c.call.getType()},
                                   {c.arg(0), c.arg(1), c.arg(2)});
}

static Value *negate(const IntrinsicCall &c) {
  return c.builder.CreateFNeg(c.arg(0));
}

static Value *inverse(IRBuilder<> &b, Value *value) {
  return b.CreateFDiv(ConstantFP::get(value->getType(), 1.0), value);
}

static Value *reciprocal(const IntrinsicCall &c) {
  return inverse(c.builder, c.arg(0));
}

static Value *reciprocalSqrt(const IntrinsicCall &c) {
  return inverse(c.builder,
                 c.builder.CreateUnaryIntrinsic(Intrinsic::sqrt, c.arg(0)));
}

/// Clamps to [0, 1]; NaN becomes 0.
static Value *saturate(const IntrinsicCall &c) {
  IRBuilder<> &b = c.builder;
  Value *zero = ConstantFP::get(c.call.getType(), 0.0);
  Value *one = ConstantFP::get(c.call.getType(), 1.0);
  Value *atMostOne =
      b.CreateSelect(b.CreateFCmpOGT(c.arg(0), one), one, c.arg(0));
  return b.CreateSelect(b.CreateFCmpOGT(c.arg(0), zero), atMostOne, zero);
}

//===----------------------------------------------------------------------===//
// Directed rounding in f32, through f64
//===----------------------------------------------------------------------===//

/// Rounds an f64 to f32 down ('m'), up ('p') or towards zero ('z').
static Value *roundDirected(IRBuilder<> &b, Value *exact, char mode) {
  Value *nearest = b.CreateFPTrunc(exact, b.getFloatTy());
  Value *widened = b.CreateFPExt(nearest, b.getDoubleTy());
  Value *tooLarge = b.CreateFCmpOGT(widened, exact);
  Value *tooSmall = b.CreateFCmpOLT(widened, exact);
  Value *bits = b.CreateBitCast(nearest, b.getInt32Ty());
  Value *negative = b.CreateICmpSLT(bits, b.getInt32(0));
  // One step in magnitude: outwards or inwards.
  Value *outwards = b.CreateAdd(bits, b.getInt32(1));
  Value *inwards = b.CreateSub(bits, b.getInt32(1));
  Value *wrong = mode == 'm'   ? tooLarge
                 : mode == 'p' ? tooSmall
                               : b.CreateSelect(negative, tooSmall, tooLarge);
  Value *stepped = mode == 'm'   ? b.CreateSelect(negative, outwards, inwards)
                   : mode == 'p' ? b.CreateSelect(negative, inwards, outwards)
                                 : inwards;
  return b.CreateBitCast(b.CreateSelect(wrong, stepped, bits), b.getFloatTy());
}

/// "<op>.r<mode>.f"
static char roundingMode(StringRef name) { return name[name.find(".r") + 2]; }

static Value *widenedArg(const IntrinsicCall &c, unsigned i) {
  return c.builder.CreateFPExt(c.arg(i), c.builder.getDoubleTy());
}

static Value *fmaDirected(const IntrinsicCall &c) {
  Value *exact = c.builder.CreateIntrinsic(
      Intrinsic::fma, {c.builder.getDoubleTy()},
      {widenedArg(c, 0), widenedArg(c, 1), widenedArg(c, 2)});
  return roundDirected(c.builder, exact, roundingMode(c.name));
}

template <Instruction::BinaryOps opcode>
static Value *operationDirected(const IntrinsicCall &c) {
  Value *exact =
      c.builder.CreateBinOp(opcode, widenedArg(c, 0), widenedArg(c, 1));
  return roundDirected(c.builder, exact, roundingMode(c.name));
}

static Value *reciprocalDirected(const IntrinsicCall &c) {
  return roundDirected(c.builder, inverse(c.builder, widenedArg(c, 0)),
                       roundingMode(c.name));
}

static Value *sqrtDirected(const IntrinsicCall &c) {
  Value *exact =
      c.builder.CreateUnaryIntrinsic(Intrinsic::sqrt, widenedArg(c, 0));
  return roundDirected(c.builder, exact, roundingMode(c.name));
}

static Value *narrowDirected(const IntrinsicCall &c) {
  return roundDirected(c.builder, c.arg(0), roundingMode(c.name));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// {f,d}2{i,ui,ll,ull}.r<mode>: saturating, NaN becomes 0, as in PTX.
static Value *toInteger(const IntrinsicCall &c) {
  IRBuilder<> &b = c.builder;
  const char mode = roundingMode(c.name);
  const Intrinsic::ID rounding = mode == 'n'   ? Intrinsic::roundeven
                                 : mode == 'm' ? Intrinsic::floor
                                 : mode == 'p' ? Intrinsic::ceil
                                               : Intrinsic::trunc;
  Value *whole = b.CreateUnaryIntrinsic(rounding, c.arg(0));
  const bool isUnsigned = c.name[2] == 'u';
  return b.CreateIntrinsic(isUnsigned ? Intrinsic::fptoui_sat
                                      : Intrinsic::fptosi_sat,
                           {c.call.getType(), whole->getType()}, {whole});
}

static Value *fromSigned(const IntrinsicCall &c) {
  return c.builder.CreateSIToFP(c.arg(0), c.call.getType());
}
static Value *fromUnsigned(const IntrinsicCall &c) {
  return c.builder.CreateUIToFP(c.arg(0), c.call.getType());
}
static Value *narrow(const IntrinsicCall &c) {
  return c.builder.CreateFPTrunc(c.arg(0), c.call.getType());
}
/// f2h.rn: the bits of an f16.
static Value *narrowToHalfBits(const IntrinsicCall &c) {
  IRBuilder<> &b = c.builder;
  return b.CreateBitCast(b.CreateFPTrunc(c.arg(0), b.getHalfTy()),
                         b.getInt16Ty());
}

/// ff2{bf16,f16}x2.rn(high, low)
static Value *narrowPair(const IntrinsicCall &c) {
  IRBuilder<> &b = c.builder;
  Type *element = cast<VectorType>(c.call.getType())->getElementType();
  Value *pair = PoisonValue::get(c.call.getType());
  pair = b.CreateInsertElement(pair, b.CreateFPTrunc(c.arg(1), element),
                               uint64_t(0));
  return b.CreateInsertElement(pair, b.CreateFPTrunc(c.arg(0), element),
                               uint64_t(1));
}

/// f2tf32.rna: to 10 bits of mantissa, ties away from zero.
static Value *narrowToTF32(const IntrinsicCall &c) {
  IRBuilder<> &b = c.builder;
  Value *bits = b.CreateBitCast(c.arg(0), b.getInt32Ty());
  Value *rounded =
      b.CreateAnd(b.CreateAdd(bits, b.getInt32(0x1000)), 0xFFFFE000);
  Value *exponent = b.CreateAnd(bits, 0x7F800000);
  Value *special = b.CreateICmpEQ(exponent, b.getInt32(0x7F800000));
  return b.CreateSelect(special, bits, rounded);
}

static Value *doubleLow(const IntrinsicCall &c) {
  return c.builder.CreateTrunc(
      c.builder.CreateBitCast(c.arg(0), c.builder.getInt64Ty()),
      c.builder.getInt32Ty());
}
static Value *doubleHigh(const IntrinsicCall &c) {
  Value *bits = c.builder.CreateBitCast(c.arg(0), c.builder.getInt64Ty());
  return c.builder.CreateTrunc(c.builder.CreateLShr(bits, 32),
                               c.builder.getInt32Ty());
}
static Value *doubleFromHalves(const IntrinsicCall &c) {
  IRBuilder<> &b = c.builder;
  Value *low = b.CreateZExt(c.arg(0), b.getInt64Ty());
  Value *high = b.CreateShl(b.CreateZExt(c.arg(1), b.getInt64Ty()), 32);
  return b.CreateBitCast(b.CreateOr(low, high), b.getDoubleTy());
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// mulhi.{i,ui,ll,ull,s,us}
static Value *multiplyHigh(const IntrinsicCall &c) {
  IRBuilder<> &b = c.builder;
  const bool isUnsigned = c.name.contains(".u");
  const unsigned width = c.call.getType()->getIntegerBitWidth();
  Type *wide = b.getIntNTy(2 * width);
  auto extend = [&](Value *value) {
    return isUnsigned ? b.CreateZExt(value, wide) : b.CreateSExt(value, wide);
  };
  Value *product = b.CreateMul(extend(c.arg(0)), extend(c.arg(1)));
  return b.CreateTrunc(b.CreateLShr(product, width), c.call.getType());
}

/// mul24.{i,ui}: the low halves of products of 24-bit numbers.
static Value *multiply24(const IntrinsicCall &c) {
  IRBuilder<> &b = c.builder;
  auto low24 = [&](Value *value) -> Value * {
    Value *shifted = b.CreateShl(value, 8);
    return c.name == "mul24.i" ? b.CreateAShr(shifted, 8)
                               : b.CreateLShr(shifted, 8);
  };
  return b.CreateMul(low24(c.arg(0)), low24(c.arg(1)));
}

static Value *permuteBytes(const IntrinsicCall &c) {
  return c.host("ckpt_emu_prmt", c.builder.getInt32Ty(),
                {c.arg(0), c.arg(1), c.arg(2)});
}

ArrayRef<IntrinsicRow> ckpt::emulated::arithmeticIntrinsics() {
  static const IntrinsicRow rows[] = {
      {"fabs.*", {unary<Intrinsic::fabs>}},
      {"ceil.f", {unary<Intrinsic::ceil>}},
      {"ceil.d", {unary<Intrinsic::ceil>}},
      {"floor.f", {unary<Intrinsic::floor>}},
      {"floor.d", {unary<Intrinsic::floor>}},
      {"round.f", {unary<Intrinsic::roundeven>}},
      {"round.d", {unary<Intrinsic::roundeven>}},
      {"trunc.f", {unary<Intrinsic::trunc>}},
      {"trunc.d", {unary<Intrinsic::trunc>}},
      {"ex2.approx*", {unary<Intrinsic::exp2>}},
      {"lg2.approx*", {unary<Intrinsic::log2>}},
      {"sin.approx*", {unary<Intrinsic::sin>}},
      {"cos.approx*", {unary<Intrinsic::cos>}},
      {"tanh.approx*", {unary<Intrinsic::tanh>}},
      {"sqrt.f", {unary<Intrinsic::sqrt>}},
      {"sqrt.approx*", {unary<Intrinsic::sqrt>}},
      {"sqrt.rn.*", {unary<Intrinsic::sqrt>}},
      {"sqrt.rm.f", {sqrtDirected}},
      {"sqrt.rp.f", {sqrtDirected}},
      {"sqrt.rz.f", {sqrtDirected}},
      {"rsqrt.approx*", {reciprocalSqrt}},
      {"rcp.rn.*", {reciprocal}},
      {"rcp.approx*", {reciprocal}},
      {"rcp.rm.f", {reciprocalDirected}},
      {"rcp.rp.f", {reciprocalDirected}},
      {"rcp.rz.f", {reciprocalDirected}},
      {"saturate.f", {saturate}},
      {"saturate.d", {saturate}},
      {"neg.bf16*", {negate}},
      {"fmax.d", {binary<Intrinsic::maxnum>}},
      {"fmax.f", {binary<Intrinsic::maxnum>}},
      {"fmax.f16", {binary<Intrinsic::maxnum>}},
      {"fmax.bf16", {binary<Intrinsic::maxnum>}},
      {"fmax.nan.f", {binary<Intrinsic::maximum>}},
      {"fmax.nan.f16", {binary<Intrinsic::maximum>}},
      {"fmax.nan.bf16", {binary<Intrinsic::maximum>}},
      {"fmin.d", {binary<Intrinsic::minnum>}},
      {"fmin.f", {binary<Intrinsic::minnum>}},
      {"fmin.f16", {binary<Intrinsic::minnum>}},
      {"fmin.bf16", {binary<Intrinsic::minnum>}},
      {"fmin.nan.f", {binary<Intrinsic::minimum>}},
      {"fmin.nan.f16", {binary<Intrinsic::minimum>}},
      {"fmin.nan.bf16", {binary<Intrinsic::minimum>}},
      {"fma.rn.f", {fma}},
      {"fma.rn.d", {fma}},
      {"fma.rn.f16*", {fma}},
      {"fma.rn.bf16*", {fma}},
      {"fma.rm.f", {fmaDirected}},
      {"fma.rp.f", {fmaDirected}},
      {"fma.rz.f", {fmaDirected}},
      {"add.rn.f", {operation<Instruction::FAdd>}},
      {"add.rn.d", {operation<Instruction::FAdd>}},
      {"add.rm.f", {operationDirected<Instruction::FAdd>}},
      {"add.rp.f", {operationDirected<Instruction::FAdd>}},
      {"add.rz.f", {operationDirected<Instruction::FAdd>}},
      {"mul.rn.f", {operation<Instruction::FMul>}},
      {"mul.rn.d", {operation<Instruction::FMul>}},
      {"mul.rm.f", {operationDirected<Instruction::FMul>}},
      {"mul.rp.f", {operationDirected<Instruction::FMul>}},
      {"mul.rz.f", {operationDirected<Instruction::FMul>}},
      {"div.approx.f", {operation<Instruction::FDiv>}},
      {"div.full", {operation<Instruction::FDiv>}},
      {"div.rn.f", {operation<Instruction::FDiv>}},
      {"div.rn.d", {operation<Instruction::FDiv>}},
      {"div.rm.f", {operationDirected<Instruction::FDiv>}},
      {"div.rp.f", {operationDirected<Instruction::FDiv>}},
      {"div.rz.f", {operationDirected<Instruction::FDiv>}},
      {"f2i.*", {toInteger}},
      {"f2ui.*", {toInteger}},
      {"f2ll.*", {toInteger}},
      {"f2ull.*", {toInteger}},
      {"d2i.rn", {toInteger}},
      {"d2i.rm", {toInteger}},
      {"d2i.rp", {toInteger}},
      {"d2i.rz", {toInteger}},
      {"d2ui.*", {toInteger}},
      {"d2ll.*", {toInteger}},
      {"d2ull.*", {toInteger}},
      {"i2f.rn", {fromSigned}},
      {"i2d.rn", {fromSigned}},
      {"ll2f.rn", {fromSigned}},
      {"ll2d.rn", {fromSigned}},
      {"ui2f.rn", {fromUnsigned}},
      {"ui2d.rn", {fromUnsigned}},
      {"ull2f.rn", {fromUnsigned}},
      {"ull2d.rn", {fromUnsigned}},
      {"d2f.rn", {narrow}},
      {"d2f.rm", {narrowDirected}},
      {"d2f.rp", {narrowDirected}},
      {"d2f.rz", {narrowDirected}},
      {"f2bf16.rn", {narrow}},
      {"f2f16.rn", {narrow}},
      {"f2h.rn", {narrowToHalfBits}},
      {"ff2bf16x2.rn", {narrowPair}},
      {"ff2f16x2.rn", {narrowPair}},
      {"f2tf32.rna", {narrowToTF32}},
      {"d2i.lo", {doubleLow}},
      {"d2i.hi", {doubleHigh}},
      {"lohi.i2d", {doubleFromHalves}},
      {"mulhi.*", {multiplyHigh}},
      {"mul24.i", {multiply24}},
      {"mul24.ui", {multiply24}},
      {"prmt", {permuteBytes}},
  };
  return rows;
}
