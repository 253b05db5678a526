//===- Combiner.cpp - How reductions combine values -----------------------===//

#include "Kernels.h"
#include "Payload.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace ckpt {

Type accumulatorType(Type type) {
  if (isa<BFloat16Type, Float16Type>(type))
    return Float32Type::get(type.getContext());
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(type.getContext(),
                            std::max(32u, integer.getWidth()));
  return type;
}

Value convertNumber(KernelBuilder &kernel, Value value, Type type,
                    bool isSigned) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == type)
    return value;
  Type to = type;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    to = vector.clone(type);
  OpBuilder &b = kernel.builder();
  Location loc = kernel.loc();
  bool widens = from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type)) {
    if (widens)
      return arith::ExtFOp::create(b, loc, to, value);
    return arith::TruncFOp::create(b, loc, to, value);
  }
  if (!widens)
    return arith::TruncIOp::create(b, loc, to, value);
  if (isSigned)
    return arith::ExtSIOp::create(b, loc, to, value);
  return arith::ExtUIOp::create(b, loc, to, value);
}

static bool isSigned(Operation *combiner) {
  return isa<arith::MaxSIOp, arith::MinSIOp>(combiner);
}

Value Combiner::widen(KernelBuilder &kernel, Value value) const {
  return convertNumber(kernel, value, type, isSigned(op));
}

Value Combiner::narrow(KernelBuilder &kernel, Value value, Type type) const {
  return convertNumber(kernel, value, type, isSigned(op));
}

/// -0.0 for sums: 0.0 would turn a sum of negative zeros into 0.0. NaN for
/// maxnumf and minnumf, which ignore it.
Value Combiner::identity(KernelBuilder &kernel, Type type) const {
  Type element = getElementTypeOrSelf(type);
  TypedAttr value;
  OpBuilder &b = kernel.builder();
  if (auto floatType = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    APFloat number = APFloat::getNaN(semantics);
    if (isa<arith::AddFOp>(op))
      number = APFloat::getZero(semantics, /*Negative=*/true);
    else if (isa<arith::MulFOp>(op))
      number = APFloat::getOne(semantics);
    else if (isa<arith::MaximumFOp>(op))
      number = APFloat::getInf(semantics, /*Negative=*/true);
    else if (isa<arith::MinimumFOp>(op))
      number = APFloat::getInf(semantics);
    value = b.getFloatAttr(floatType, number);
  } else {
    unsigned bits =
        elementBytes(element) == 8 ? 64 : element.getIntOrFloatBitWidth();
    APInt number = APInt::getZero(bits);
    if (isa<arith::MulIOp>(op))
      number = APInt(bits, 1);
    else if (isa<arith::AndIOp, arith::MinUIOp>(op))
      number = APInt::getAllOnes(bits);
    else if (isa<arith::MaxSIOp>(op))
      number = APInt::getSignedMinValue(bits);
    else if (isa<arith::MinSIOp>(op))
      number = APInt::getSignedMaxValue(bits);
    value = b.getIntegerAttr(element, number);
  }
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, value);
  return arith::ConstantOp::create(b, kernel.loc(), value);
}

Value Combiner::combine(KernelBuilder &kernel, Value lhs, Value rhs) const {
  OperationState state(kernel.loc(), op->getName(), ValueRange{lhs, rhs},
                       TypeRange{lhs.getType()});
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return kernel.builder().create(state)->getResult(0);
}

static bool isCombiner(Operation *op) {
  return isa_and_nonnull<arith::AddFOp, arith::MulFOp, arith::MaximumFOp,
                         arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp,
                         arith::AddIOp, arith::MulIOp, arith::AndIOp,
                         arith::OrIOp, arith::XOrIOp, arith::MaxSIOp,
                         arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(op);
}

/// `yield trunc(combine(ext(acc), value))`, where the conversions may be
/// absent.
std::optional<Combiner> matchCombiner(LoopNest &nest, unsigned number) {
  Block &payload = nest.payload();
  Value result = payload.getTerminator()->getOperand(number);
  Value accumulator = payload.getArgument(nest.numInputs() + number);
  if (!accumulator.hasOneUse())
    return std::nullopt;
  if (auto trunc = result.getDefiningOp<arith::TruncFOp>()) {
    auto ext = dyn_cast<arith::ExtFOp>(*accumulator.user_begin());
    if (!ext || ext.getType() != trunc.getIn().getType() || !ext->hasOneUse() ||
        ext->getBlock() != &payload)
      return std::nullopt;
    result = trunc.getIn();
    accumulator = ext.getResult();
  }
  Operation *op = result.getDefiningOp();
  if (!isCombiner(op) || op->getBlock() != &payload || !result.hasOneUse())
    return std::nullopt;
  Combiner combiner;
  combiner.op = op;
  if (op->getOperand(0) == accumulator)
    combiner.value = op->getOperand(1);
  else if (op->getOperand(1) == accumulator)
    combiner.value = op->getOperand(0);
  else
    return std::nullopt;
  combiner.type = accumulatorType(result.getType());
  return combiner;
}

} // namespace ckpt
