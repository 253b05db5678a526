//===- NarrowFloats.cpp - bfloat16 arithmetic on the host -----------------===//

#include "NarrowFloats.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

/// `type` with its elements replaced.
static Type *withElement(Type *type, Type *element) {
  if (auto *vector = dyn_cast<VectorType>(type))
    return VectorType::get(element, vector->getElementCount());
  return element;
}

static bool isBFloat(const Type *type) {
  return type->getScalarType()->isBFloatTy();
}

static Value *roundToBFloat(IRBuilder<> &b, Value *value, Type *type) {
  Type *i32 = withElement(type, b.getInt32Ty());
  Type *i16 = withElement(type, b.getInt16Ty());
  Value *bits = b.CreateBitCast(value, i32);
  Value *high = b.CreateLShr(bits, 16);
  Value *odd = b.CreateAnd(high, 1);
  Value *biased =
      b.CreateAdd(bits, b.CreateAdd(odd, ConstantInt::get(i32, 0x7FFF)));
  Value *rounded = b.CreateLShr(biased, 16);
  Value *quietNaN = b.CreateOr(high, 0x40);
  Value *isNaN = b.CreateFCmpUNO(value, value);
  Value *result = b.CreateSelect(isNaN, quietNaN, rounded);
  return b.CreateBitCast(b.CreateTrunc(result, i16), type);
}

/// Whether the instruction computes in bfloat: operands and result.
static bool computesInBFloat(const Instruction &instruction) {
  if (!isBFloat(instruction.getType()))
    return false;
  if (isa<BinaryOperator>(instruction))
    return true;
  auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  if (!intrinsic || intrinsic->getIntrinsicID() == Intrinsic::fabs ||
      intrinsic->getIntrinsicID() == Intrinsic::copysign)
    return false;
  return llvm::all_of(intrinsic->args(), [&](const Use &use) {
    return use->getType() == instruction.getType();
  });
}

static Value *computeInFloat(IRBuilder<> &b, Instruction &instruction) {
  Type *wide = withElement(instruction.getType(), b.getFloatTy());
  auto extend = [&](Value *value) { return b.CreateFPExt(value, wide); };
  if (auto *binary = dyn_cast<BinaryOperator>(&instruction))
    return b.CreateBinOp(binary->getOpcode(), extend(binary->getOperand(0)),
                         extend(binary->getOperand(1)));
  auto &intrinsic = cast<IntrinsicInst>(instruction);
  SmallVector<Value *> operands;
  for (Value *operand : intrinsic.args())
    operands.push_back(extend(operand));
  return b.CreateIntrinsic(intrinsic.getIntrinsicID(), {wide}, operands);
}

void ckpt::emulated::expandNarrowFloats(Function &function) {
  SmallVector<Instruction *> worklist;
  for (Instruction &instruction : instructions(function)) {
    auto *truncation = dyn_cast<FPTruncInst>(&instruction);
    if (truncation && isBFloat(truncation->getDestTy()) &&
        truncation->getSrcTy()->getScalarType()->isFloatTy())
      worklist.push_back(truncation);
    else if (computesInBFloat(instruction))
      worklist.push_back(&instruction);
  }
  for (Instruction *instruction : worklist) {
    IRBuilder<> b(instruction);
    Value *wide = isa<FPTruncInst>(instruction)
                      ? instruction->getOperand(0)
                      : computeInFloat(b, *instruction);
    instruction->replaceAllUsesWith(
        roundToBFloat(b, wide, instruction->getType()));
    instruction->eraseFromParent();
  }
}
