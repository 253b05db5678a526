//===- LinalgNamedDifferentiation.cpp - Rules for all of linalg -----------===//
//
// Every structured op has a body and indexing maps, named ops included, so one
// rule serves them all: the adjoint of a contraction is a contraction, that of
// a transpose a transpose, that of a broadcast a sum. Ops without a body have
// rules of their own here.
//
//===----------------------------------------------------------------------===//

#include "Emission.h"
#include "StructuredAdjoint.h"
#include "ckpt/Models/DifferentiationModels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace ckpt;
using namespace ckpt::models;

namespace {

template <typename OpTy>
struct StructuredModel
    : DifferentiableOpInterface::ExternalModel<StructuredModel<OpTy>, OpTy> {
  void getNeededPrimals(Operation *op, function_ref<bool(Value)> isActive,
                        SmallVectorImpl<Value> &primals) const {
    getStructuredPrimals(cast<linalg::LinalgOp>(op), isActive, primals);
  }
  LogicalResult emitAdjoint(Operation *op, ImplicitLocOpBuilder &builder,
                            ArrayRef<Value> cotangents,
                            function_ref<bool(Value)> isActive,
                            function_ref<Value(Value)> primal,
                            AccumulateFn accumulate) const {
    return emitStructuredAdjoint(cast<linalg::LinalgOp>(op), builder,
                                 cotangents, isActive, primal, accumulate);
  }
};

/// y = softmax(x) along one dimension: x' = y * (y' - sum(y * y')).
struct SoftmaxModel
    : DifferentiableOpInterface::ExternalModel<SoftmaxModel,
                                               linalg::SoftmaxOp> {
  void getNeededPrimals(Operation *op, function_ref<bool(Value)>,
                        SmallVectorImpl<Value> &primals) const {
    primals.push_back(op->getResult(0));
  }
  LogicalResult emitAdjoint(Operation *op, ImplicitLocOpBuilder &b,
                            ArrayRef<Value> cotangents,
                            function_ref<bool(Value)> isActive,
                            function_ref<Value(Value)> primal,
                            AccumulateFn accumulate) const {
    auto softmax = cast<linalg::SoftmaxOp>(op);
    if (!isActive(softmax.getInput()))
      return success();
    auto type = cast<RankedTensorType>(softmax.getResult()[0].getType());
    unsigned rank = type.getRank(), dim = softmax.getDimension();
    Type wide = getAccumulatorElement(cast<FloatType>(type.getElementType()));
    Value y = primal(softmax.getResult()[0]), g = cotangents.front();

    AffineMap identity = b.getMultiDimIdentityMap(rank);
    AffineMap reduced = identity.dropResult(dim);
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + dim);
    SmallVector<utils::IteratorType> parallel(rank,
                                              utils::IteratorType::parallel);
    SmallVector<utils::IteratorType> reducing = parallel;
    reducing[dim] = utils::IteratorType::reduction;

    auto product = [&](OpBuilder &inner, Location loc, Value y, Value g) {
      return arith::MulFOp::create(inner, loc,
                                   convertFloat(inner, loc, y, wide),
                                   convertFloat(inner, loc, g, wide));
    };
    Value zero =
        createFilled(b, b.getLoc(), RankedTensorType::get(shape, wide), 0.0);
    Value sum = linalg::GenericOp::create(
                    b, zero.getType(), ValueRange{y, g}, zero,
                    {identity, identity, reduced}, reducing,
                    [&](OpBuilder &inner, Location loc, ValueRange args) {
                      Value term = product(inner, loc, args[0], args[1]);
                      Value next =
                          arith::AddFOp::create(inner, loc, args[2], term);
                      linalg::YieldOp::create(inner, loc, next);
                    })
                    .getResult(0);
    Value gradient =
        linalg::GenericOp::create(
            b, type, ValueRange{y, g, sum}, createEmpty(b, b.getLoc(), type),
            {identity, identity, reduced, identity}, parallel,
            [&](OpBuilder &inner, Location loc, ValueRange args) {
              Value centred = arith::SubFOp::create(
                  inner, loc, convertFloat(inner, loc, args[1], wide), args[2]);
              Value scaled = product(inner, loc, args[0], centred);
              linalg::YieldOp::create(
                  inner, loc,
                  convertFloat(inner, loc, scaled, type.getElementType()));
            })
            .getResult(0);
    accumulate(softmax.getInput(), gradient, {});
    return success();
  }
};

} // namespace

template <typename... Ops>
static void attachStructuredModels(MLIRContext *context) {
  (Ops::template attachInterface<StructuredModel<Ops>>(*context), ...);
}

void ckpt::registerLinalgDifferentiation(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    context->loadDialect<arith::ArithDialect, math::MathDialect,
                         tensor::TensorDialect>();
    attachStructuredModels<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >(context);
    linalg::SoftmaxOp::attachInterface<SoftmaxModel>(*context);
  });
}
