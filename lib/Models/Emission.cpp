//===- Emission.cpp - IR that several rules emit --------------------------===//

#include "Emission.h"

#include "Expression.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace ckpt;
using namespace ckpt::models;

FloatType ckpt::models::getAccumulatorElement(FloatType element) {
  if (element.getWidth() >= 32)
    return element;
  return Float32Type::get(element.getContext());
}

Value ckpt::models::convertFloat(OpBuilder &builder, Location loc, Value scalar,
                                 Type type) {
  if (scalar.getType() == type)
    return scalar;
  if (type.getIntOrFloatBitWidth() > scalar.getType().getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder, loc, type, scalar);
  return arith::TruncFOp::create(builder, loc, type, scalar);
}

Value ckpt::models::createEmpty(OpBuilder &builder, Location loc,
                                RankedTensorType type) {
  return tensor::EmptyOp::create(builder, loc, type.getShape(),
                                 type.getElementType());
}

Value ckpt::models::createFilled(OpBuilder &builder, Location loc,
                                 RankedTensorType type, double value) {
  ImplicitLocOpBuilder b(loc, builder);
  Value scalar = createConstant(b, type.getElementType(), value);
  return linalg::FillOp::create(builder, loc, scalar,
                                createEmpty(builder, loc, type))
      .getResult(0);
}

Value ckpt::models::createElementwise(
    OpBuilder &builder, Location loc, RankedTensorType type, ValueRange inputs,
    function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  unsigned rank = type.getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  AffineMap scalar = AffineMap::get(rank, 0, builder.getContext());
  SmallVector<AffineMap> maps;
  for (Value input : inputs)
    maps.push_back(isa<RankedTensorType>(input.getType()) ? identity : scalar);
  maps.push_back(identity);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, type, inputs, createEmpty(builder, loc, type), maps,
             iterators,
             [&](OpBuilder &b, Location bodyLoc, ValueRange args) {
               linalg::YieldOp::create(b, bodyLoc,
                                       body(b, bodyLoc, args.drop_back()));
             })
      .getResult(0);
}
