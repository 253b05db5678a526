//===- ElementwiseModel.cpp - Tables of derivatives -----------------------===//

#include "ElementwiseModel.h"

using namespace mlir;
using namespace ckpt;
using namespace ckpt::models;

void ckpt::models::getNeededPrimals(Operation *op, ArrayRef<Partial> partials,
                                    function_ref<bool(Value)> isActive,
                                    SmallVectorImpl<Value> &primals) {
  for (const Partial &partial : partials) {
    if (!isActive(op->getOperand(partial.of)))
      continue;
    for (auto [index, value] : llvm::enumerate(op->getOperands()))
      if (partial.reads & operand(index))
        primals.push_back(value);
    if (partial.reads & result)
      primals.push_back(op->getResult(0));
  }
}

void ckpt::models::emitPartials(Operation *op, ArrayRef<Partial> partials,
                                ImplicitLocOpBuilder &builder, Value cotangent,
                                function_ref<bool(Value)> isActive,
                                function_ref<Value(Value)> primal,
                                AccumulateFn accumulate) {
  Primals primals(builder, op, primal);
  for (const Partial &partial : partials) {
    Value value = op->getOperand(partial.of);
    if (!isActive(value))
      continue;
    Contribution contribution =
        partial.contribution(Expression(builder, cotangent), primals);
    accumulate(value, contribution.value, contribution.guard);
  }
}
