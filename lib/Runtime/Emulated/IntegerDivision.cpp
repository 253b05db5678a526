//===- IntegerDivision.cpp - Integer division without traps ---------------===//

#include "IntegerDivision.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

static bool isSigned(const BinaryOperator &division) {
  return division.getOpcode() == Instruction::SDiv ||
         division.getOpcode() == Instruction::SRem;
}

/// Whether the divisor is a constant that no division traps on.
static bool isHarmless(Value *divisor) {
  const APInt *number = nullptr;
  return match(divisor, m_APInt(number)) && !number->isZero() &&
         !number->isAllOnes();
}

void ckpt::emulated::guardIntegerDivisions(Function &function) {
  SmallVector<BinaryOperator *> divisions;
  for (Instruction &instruction : instructions(function)) {
    auto *binary = dyn_cast<BinaryOperator>(&instruction);
    if (binary && binary->isIntDivRem() && !isHarmless(binary->getOperand(1)))
      divisions.push_back(binary);
  }
  for (BinaryOperator *division : divisions) {
    IRBuilder<> b(division);
    Type *type = division->getType();
    // A value that is undefined may differ at each use: fix it.
    Value *dividend = b.CreateFreeze(division->getOperand(0));
    Value *divisor = b.CreateFreeze(division->getOperand(1));
    Value *traps = b.CreateICmpEQ(divisor, Constant::getNullValue(type));
    if (isSigned(*division)) {
      APInt smallest = APInt::getSignedMinValue(type->getScalarSizeInBits());
      Value *overflows = b.CreateAnd(
          b.CreateICmpEQ(dividend, ConstantInt::get(type, smallest)),
          b.CreateICmpEQ(divisor, Constant::getAllOnesValue(type)));
      traps = b.CreateOr(traps, overflows);
    }
    division->setOperand(0, dividend);
    division->setOperand(
        1, b.CreateSelect(traps, ConstantInt::get(type, 1), divisor));
  }
}
