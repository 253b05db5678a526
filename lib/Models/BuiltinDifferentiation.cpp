//===- BuiltinDifferentiation.cpp - Cotangents of builtin types -----------===//
//
// Tensors are summed by `linalg.generic`, so that whoever fuses and emits
// kernels sees one kind of elementwise op.
//
//===----------------------------------------------------------------------===//

#include "Emission.h"
#include "Expression.h"
#include "SliceSums.h"
#include "ckpt/Interfaces/DifferentiableTypeInterface.h"
#include "ckpt/Models/DifferentiationModels.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace ckpt;
using namespace ckpt::models;

namespace {

template <typename TypeT>
struct FloatModel
    : DifferentiableTypeInterface::ExternalModel<FloatModel<TypeT>, TypeT> {
  bool carriesGradient(Type) const { return true; }
  LogicalResult verifyDifferentiable(Type,
                                     function_ref<InFlightDiagnostic()>) const {
    return success();
  }
  Value createSplat(Type type, OpBuilder &builder, Location loc,
                    double value) const {
    ImplicitLocOpBuilder b(loc, builder);
    return createConstant(b, type, value);
  }
  Value createSum(Type type, OpBuilder &builder, Location loc, Value sum,
                  Value term) const {
    Type wide = getAccumulatorElement(cast<FloatType>(type));
    return arith::AddFOp::create(builder, loc,
                                 convertFloat(builder, loc, sum, wide),
                                 convertFloat(builder, loc, term, wide));
  }
  Value roundSum(Type type, OpBuilder &builder, Location loc, Value sum) const {
    return convertFloat(builder, loc, sum, type);
  }
  Value createSelect(Type, OpBuilder &builder, Location loc, Value condition,
                     Value ifTrue, Value ifFalse) const {
    return arith::SelectOp::create(builder, loc, condition, ifTrue, ifFalse);
  }
};

/// Integers carry no gradient; conditions of guards are made of i1.
template <typename TypeT>
struct DiscreteModel
    : DifferentiableTypeInterface::ExternalModel<DiscreteModel<TypeT>, TypeT> {
  bool carriesGradient(Type) const { return false; }
  LogicalResult
  verifyDifferentiable(Type type,
                       function_ref<InFlightDiagnostic()> emitError) const {
    return emitError() << type << " is discrete";
  }
  Value createSplat(Type type, OpBuilder &builder, Location loc,
                    double value) const {
    ImplicitLocOpBuilder b(loc, builder);
    return createConstant(b, type, value);
  }
  Value createSum(Type, OpBuilder &, Location, Value, Value) const {
    llvm_unreachable("discrete values have no cotangents");
  }
  Value roundSum(Type, OpBuilder &, Location, Value) const {
    llvm_unreachable("discrete values have no cotangents");
  }
  Value createSelect(Type, OpBuilder &builder, Location loc, Value condition,
                     Value ifTrue, Value ifFalse) const {
    return arith::SelectOp::create(builder, loc, condition, ifTrue, ifFalse);
  }
};

struct TensorModel
    : DifferentiableTypeInterface::ExternalModel<TensorModel,
                                                 RankedTensorType> {
  bool carriesGradient(Type type) const {
    return ckpt::carriesGradient(cast<RankedTensorType>(type).getElementType());
  }
  LogicalResult
  verifyDifferentiable(Type type,
                       function_ref<InFlightDiagnostic()> emitError) const {
    auto tensor = cast<RankedTensorType>(type);
    if (!tensor.hasStaticShape())
      return emitError() << "gradients need static shapes";
    if (tensor.getEncoding())
      return emitError() << "gradients of encoded tensors are not supported";
    if (!isa<FloatType>(tensor.getElementType()))
      return emitError() << "gradients of elements of type "
                         << tensor.getElementType() << " are not supported";
    return success();
  }
  Value createSplat(Type type, OpBuilder &builder, Location loc,
                    double value) const {
    return createFilled(builder, loc, cast<RankedTensorType>(type), value);
  }
  Value createSum(Type type, OpBuilder &builder, Location loc, Value sum,
                  Value term) const {
    if (Value slices = createSumOfSlices(builder, loc, sum, term))
      return slices;
    auto tensor = cast<RankedTensorType>(type);
    Type wide = getAccumulatorElement(cast<FloatType>(tensor.getElementType()));
    return createElementwise(
        builder, loc, tensor.clone(wide), {sum, term},
        [&](OpBuilder &b, Location l, ValueRange elements) -> Value {
          return arith::AddFOp::create(b, l,
                                       convertFloat(b, l, elements[0], wide),
                                       convertFloat(b, l, elements[1], wide));
        });
  }
  Value roundSum(Type type, OpBuilder &builder, Location loc, Value sum) const {
    if (sum.getType() == type)
      return sum;
    auto tensor = cast<RankedTensorType>(type);
    return createElementwise(
        builder, loc, tensor, sum,
        [&](OpBuilder &b, Location l, ValueRange elements) -> Value {
          return convertFloat(b, l, elements[0], tensor.getElementType());
        });
  }
  Value createSelect(Type type, OpBuilder &builder, Location loc,
                     Value condition, Value ifTrue, Value ifFalse) const {
    return createElementwise(
        builder, loc, cast<RankedTensorType>(type),
        {condition, ifTrue, ifFalse},
        [&](OpBuilder &b, Location l, ValueRange elements) -> Value {
          return arith::SelectOp::create(b, l, elements[0], elements[1],
                                         elements[2]);
        });
  }
};

} // namespace

template <typename... Types>
static void attachFloatModels(MLIRContext *context) {
  (Types::template attachInterface<FloatModel<Types>>(*context), ...);
}

void ckpt::registerBuiltinDifferentiation(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, BuiltinDialect *) {
    context->loadDialect<arith::ArithDialect, linalg::LinalgDialect,
                         tensor::TensorDialect>();
    attachFloatModels<BFloat16Type, Float4E2M1FNType, Float6E2M3FNType,
                      Float6E3M2FNType, Float8E3M4Type, Float8E4M3B11FNUZType,
                      Float8E4M3FNType, Float8E4M3FNUZType, Float8E4M3Type,
                      Float8E5M2FNUZType, Float8E5M2Type, Float8E8M0FNUType,
                      Float16Type, FloatTF32Type, Float32Type, Float64Type,
                      Float80Type, Float128Type>(context);
    IndexType::attachInterface<DiscreteModel<IndexType>>(*context);
    IntegerType::attachInterface<DiscreteModel<IntegerType>>(*context);
    RankedTensorType::attachInterface<TensorModel>(*context);
  });
}
