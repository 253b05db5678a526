//===- CkptOps.cpp - Verifiers and canonicalisation -----------------------===//

#include "ckpt/IR/CkptDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace ckpt;

#define GET_OP_CLASSES
#include "ckpt/IR/CkptOps.cpp.inc"

//===----------------------------------------------------------------------===//
// RegionOp
//===----------------------------------------------------------------------===//

LogicalResult RegionOp::verify() {
  // Any other terminator is for the trait to reject, which looks at it later.
  auto yield = dyn_cast<YieldOp>(getBody().front().back());
  if (yield && yield.getOperandTypes() != getResultTypes()) // R1
    return emitOpError("results must have the types of the yielded values");
  return success();
}

//===----------------------------------------------------------------------===//
// NameOp
//===----------------------------------------------------------------------===//

LogicalResult NameOp::verify() {
  if (getLabel().empty()) // N1
    return emitOpError("label must not be empty");
  return success();
}

Storage NameOp::getStorage(unsigned) { return Storage::view(0); }

void NameOp::getNeededPrimals(function_ref<bool(Value)>,
                              SmallVectorImpl<Value> &) {}

LogicalResult NameOp::emitAdjoint(ImplicitLocOpBuilder &,
                                  ArrayRef<Value> cotangents,
                                  function_ref<bool(Value)>,
                                  function_ref<Value(Value)>,
                                  AccumulateFn accumulate) {
  accumulate(getValue(), cotangents.front(), {});
  return success();
}

//===----------------------------------------------------------------------===//
// ValueAndGradOp
//===----------------------------------------------------------------------===//

static bool isFloatLike(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type)) &&
         (isa<FloatType>(type) || isa<RankedTensorType>(type));
}

LogicalResult
ValueAndGradOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto callee = symbolTable.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getCalleeAttr());
  if (!callee || callee.isExternal()) // V1
    return emitOpError() << "callee " << getCalleeAttr()
                         << " must be a function with a body";
  if (TypeRange(callee.getArgumentTypes()) != getOperands().getTypes()) // V2
    return emitOpError() << "operands must have the types that "
                         << getCalleeAttr() << " takes";

  ArrayRef<Type> calleeResults = callee.getResultTypes();
  Type loss = calleeResults.empty() ? Type() : calleeResults.front();
  auto lossTensor = dyn_cast_if_present<RankedTensorType>(loss);
  if (!loss || !isFloatLike(loss) ||
      (lossTensor && lossTensor.getRank() != 0)) // V3
    return emitOpError() << "the first result of " << getCalleeAttr()
                         << " must be the loss: a float or a tensor of rank 0";

  SmallVector<Type> expected(calleeResults);
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t index : getWrt()) {
    if (index < 0 || index >= static_cast<int64_t>(getOperands().size()) ||
        !seen.insert(index).second) // V4
      return emitOpError() << "'wrt' must list existing arguments once each, "
                              "got "
                           << index;
    Type type = getOperands()[index].getType();
    if (!isFloatLike(type)) // V5
      return emitOpError() << "argument " << index << " of type " << type
                           << " has no gradient: it is not of floats";
    expected.push_back(type);
  }
  if (TypeRange(expected) != TypeRange(getResultTypes())) // V6
    return emitOpError("results must be the callee's results followed by one "
                       "gradient of each type listed in 'wrt'");
  return success();
}

//===----------------------------------------------------------------------===//
// BarrierOp
//===----------------------------------------------------------------------===//

LogicalResult BarrierOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getValues().getTypes());
  return success();
}

LogicalResult BarrierOp::verify() {
  if (getValues().empty()) // B1
    return emitOpError("must have at least one value");
  return success();
}

void BarrierOp::getNeededPrimals(function_ref<bool(Value)>,
                                 SmallVectorImpl<Value> &) {}

LogicalResult BarrierOp::emitAdjoint(ImplicitLocOpBuilder &,
                                     ArrayRef<Value> cotangents,
                                     function_ref<bool(Value)> isActive,
                                     function_ref<Value(Value)>,
                                     AccumulateFn accumulate) {
  for (auto [value, cotangent] : llvm::zip_equal(getValues(), cotangents))
    if (cotangent && isActive(value))
      accumulate(value, cotangent, {});
  return success();
}

Storage BarrierOp::getStorage(unsigned result) { return Storage::view(result); }

LogicalResult BarrierOp::canonicalize(BarrierOp op, PatternRewriter &rewriter) {
  if (llvm::none_of(op.getResults(), [](Value v) { return v.use_empty(); }))
    return failure();
  SmallVector<Value> kept, replaced;
  for (auto [value, result] : llvm::zip_equal(op.getValues(), op.getResults()))
    if (!result.use_empty()) {
      kept.push_back(value);
      replaced.push_back(result);
    }
  if (kept.empty()) {
    rewriter.eraseOp(op);
    return success();
  }
  auto smaller = BarrierOp::create(rewriter, op.getLoc(), op.getPlace(), kept,
                                   op.getGates());
  for (auto [from, to] : llvm::zip_equal(replaced, smaller.getResults()))
    rewriter.replaceAllUsesWith(from, to);
  rewriter.eraseOp(op);
  return success();
}
