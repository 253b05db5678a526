//===- TensorDifferentiation.cpp - Adjoints of tensor ops -----------------===//
//
// Reshapes go back, slices become insertions into zeros, insertions slices.
// Offsets and indices may be dynamic, shapes may not.
//
//===----------------------------------------------------------------------===//

#include "Emission.h"
#include "ckpt/Interfaces/DifferentiableOpInterface.h"
#include "ckpt/Interfaces/DifferentiableTypeInterface.h"
#include "ckpt/Models/DifferentiationModels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace ckpt;
using namespace ckpt::models;

using LookupFn = function_ref<Value(Value)>;

//===----------------------------------------------------------------------===//
// What the rules share
//===----------------------------------------------------------------------===//

/// Static numbers, and what `primal` answers for dynamic ones.
static SmallVector<OpFoldResult> lookUp(ArrayRef<OpFoldResult> values,
                                        LookupFn primal) {
  return llvm::map_to_vector(values, [&](OpFoldResult value) -> OpFoldResult {
    if (auto dynamic = dyn_cast<Value>(value))
      return primal(dynamic);
    return value;
  });
}

static SmallVector<OpFoldResult> getSizes(OpBuilder &b, Type type) {
  return getAsIndexOpFoldResult(b.getContext(),
                                cast<RankedTensorType>(type).getShape());
}

static SmallVector<OpFoldResult> getOnes(OpBuilder &b, size_t count) {
  return SmallVector<OpFoldResult>(count, b.getIndexAttr(1));
}

static Value createZero(ImplicitLocOpBuilder &b, Type type) {
  return cast<DifferentiableTypeInterface>(type).createSplat(b, b.getLoc(),
                                                             0.0);
}

/// The sum of the elements of `tensor` that `isCounted` accepts, rounded to the
/// element type. `isCounted` gets the element's index, and returns null for
/// all.
static Value
createTotal(ImplicitLocOpBuilder &b, Value tensor,
            function_ref<Value(ImplicitLocOpBuilder &)> isCounted) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Type wide = getAccumulatorElement(cast<FloatType>(type.getElementType()));
  Value zero =
      createFilled(b, b.getLoc(), RankedTensorType::get({}, wide), 0.0);
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::reduction);
  auto total = linalg::GenericOp::create(
      b, zero.getType(), tensor, zero,
      {b.getMultiDimIdentityMap(type.getRank()),
       AffineMap::get(type.getRank(), 0, b.getContext())},
      iterators, [&](OpBuilder &inner, Location loc, ValueRange args) {
        ImplicitLocOpBuilder body(loc, inner);
        Value term = convertFloat(body, loc, args[0], wide);
        if (Value counts = isCounted(body))
          term = arith::SelectOp::create(body, counts, term,
                                         createZero(body, wide));
        linalg::YieldOp::create(
            body, arith::AddFOp::create(body, args[1], term).getResult());
      });
  Value scalar = tensor::ExtractOp::create(b, total.getResult(0), ValueRange());
  return convertFloat(b, b.getLoc(), scalar, type.getElementType());
}

namespace {

/// A rule of an op with one result that reads no forward values but indices.
/// `Derived` has `emit`, which may accumulate to active operands only.
template <typename Derived, typename OpTy>
struct TensorRule : DifferentiableOpInterface::ExternalModel<Derived, OpTy> {
  void getNeededPrimals(Operation *op, function_ref<bool(Value)>,
                        SmallVectorImpl<Value> &primals) const {
    llvm::copy_if(
        op->getOperands(), std::back_inserter(primals),
        [](Value value) { return !carriesGradient(value.getType()); });
  }
  LogicalResult emitAdjoint(Operation *op, ImplicitLocOpBuilder &builder,
                            ArrayRef<Value> cotangents,
                            function_ref<bool(Value)> isActive, LookupFn primal,
                            AccumulateFn accumulate) const {
    return Derived::emit(cast<OpTy>(op), builder, cotangents.front(), isActive,
                         primal, [&](Value value, Value cotangent) {
                           accumulate(value, cotangent, {});
                         });
  }
};

using AddFn = function_ref<void(Value, Value)>;
using IsActiveFn = function_ref<bool(Value)>;

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

struct CastRule : TensorRule<CastRule, tensor::CastOp> {
  static LogicalResult emit(tensor::CastOp op, ImplicitLocOpBuilder &b, Value g,
                            IsActiveFn isActive, LookupFn, AddFn add) {
    Value source = op.getSource();
    if (isActive(source))
      add(source, tensor::CastOp::create(b, source.getType(), g));
    return success();
  }
};

struct CollapseShapeRule
    : TensorRule<CollapseShapeRule, tensor::CollapseShapeOp> {
  static LogicalResult emit(tensor::CollapseShapeOp op, ImplicitLocOpBuilder &b,
                            Value g, IsActiveFn isActive, LookupFn, AddFn add) {
    if (isActive(op.getSrc()))
      add(op.getSrc(),
          tensor::ExpandShapeOp::create(b, op.getSrcType(), g,
                                        op.getReassociationIndices()));
    return success();
  }
};

struct ExpandShapeRule : TensorRule<ExpandShapeRule, tensor::ExpandShapeOp> {
  static LogicalResult emit(tensor::ExpandShapeOp op, ImplicitLocOpBuilder &b,
                            Value g, IsActiveFn isActive, LookupFn, AddFn add) {
    if (isActive(op.getSrc()))
      add(op.getSrc(),
          tensor::CollapseShapeOp::create(b, op.getSrcType(), g,
                                          op.getReassociationIndices()));
    return success();
  }
};

struct ReshapeRule : TensorRule<ReshapeRule, tensor::ReshapeOp> {
  static LogicalResult emit(tensor::ReshapeOp op, ImplicitLocOpBuilder &b,
                            Value g, IsActiveFn isActive, LookupFn, AddFn add) {
    Value source = op.getSource();
    if (!isActive(source))
      return success();
    auto type = cast<RankedTensorType>(source.getType());
    Value shape =
        arith::ConstantOp::create(b, b.getIndexTensorAttr(type.getShape()));
    add(source, tensor::ReshapeOp::create(b, type, g, shape));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

struct ExtractSliceRule : TensorRule<ExtractSliceRule, tensor::ExtractSliceOp> {
  static LogicalResult emit(tensor::ExtractSliceOp op, ImplicitLocOpBuilder &b,
                            Value g, IsActiveFn isActive, LookupFn primal,
                            AddFn add) {
    Value source = op.getSource();
    if (isActive(source))
      add(source,
          tensor::InsertSliceOp::create(b, g, createZero(b, source.getType()),
                                        lookUp(op.getMixedOffsets(), primal),
                                        lookUp(op.getMixedSizes(), primal),
                                        lookUp(op.getMixedStrides(), primal)));
    return success();
  }
};

struct InsertSliceRule : TensorRule<InsertSliceRule, tensor::InsertSliceOp> {
  static LogicalResult emit(tensor::InsertSliceOp op, ImplicitLocOpBuilder &b,
                            Value g, IsActiveFn isActive, LookupFn primal,
                            AddFn add) {
    auto offsets = lookUp(op.getMixedOffsets(), primal);
    auto sizes = lookUp(op.getMixedSizes(), primal);
    auto strides = lookUp(op.getMixedStrides(), primal);
    if (isActive(op.getSource()))
      add(op.getSource(),
          tensor::ExtractSliceOp::create(b, op.getSourceType(), g, offsets,
                                         sizes, strides));
    if (isActive(op.getDest()))
      add(op.getDest(),
          tensor::InsertSliceOp::create(b, createZero(b, op.getSourceType()), g,
                                        offsets, sizes, strides));
    return success();
  }
};

struct ConcatRule : TensorRule<ConcatRule, tensor::ConcatOp> {
  static LogicalResult emit(tensor::ConcatOp op, ImplicitLocOpBuilder &b,
                            Value g, IsActiveFn isActive, LookupFn, AddFn add) {
    int64_t position = 0;
    for (Value input : op.getInputs()) {
      auto type = cast<RankedTensorType>(input.getType());
      SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
      offsets[op.getDim()] = b.getIndexAttr(position);
      position += type.getDimSize(op.getDim());
      if (isActive(input))
        add(input, tensor::ExtractSliceOp::create(b, type, g, offsets,
                                                  getSizes(b, type),
                                                  getOnes(b, type.getRank())));
    }
    return success();
  }
};

/// The padding value is a scalar from outside: its gradient is the sum over
/// what lies outside the source.
struct PadRule
    : DifferentiableOpInterface::ExternalModel<PadRule, tensor::PadOp> {
  void getNeededPrimals(Operation *op, IsActiveFn,
                        SmallVectorImpl<Value> &primals) const {
    llvm::append_range(primals, cast<tensor::PadOp>(op).getLow());
  }
  LogicalResult emitAdjoint(Operation *operation, ImplicitLocOpBuilder &b,
                            ArrayRef<Value> cotangents, IsActiveFn isActive,
                            LookupFn primal, AccumulateFn accumulate) const {
    auto op = cast<tensor::PadOp>(operation);
    Value g = cotangents.front();
    auto type = op.getSourceType();
    SmallVector<OpFoldResult> low = lookUp(op.getMixedLowPad(), primal);
    if (isActive(op.getSource()))
      accumulate(op.getSource(),
                 tensor::ExtractSliceOp::create(b, type, g, low,
                                                getSizes(b, type),
                                                getOnes(b, type.getRank())),
                 {});

    Value yielded = op.getRegion().front().getTerminator()->getOperand(0);
    Value padding = op.getConstantPaddingValue();
    if (!padding) {
      if (!yielded.getDefiningOp<arith::ConstantOp>() &&
          capturesActive(op, isActive))
        return op.emitOpError("cannot be differentiated: its padding value is "
                              "computed in its body; attach a "
                              "DifferentiableOpInterface model to this op");
      return success();
    }
    if (!isActive(padding))
      return success();
    auto isPadding = [&](ImplicitLocOpBuilder &body) {
      Value outside;
      for (auto [dim, begin] : llvm::enumerate(low)) {
        Value index = linalg::IndexOp::create(body, dim);
        Value first =
            getValueOrCreateConstantIndexOp(body, body.getLoc(), begin);
        Value size = arith::ConstantIndexOp::create(body, type.getDimSize(dim));
        Value shifted = arith::SubIOp::create(body, index, first);
        // As unsigned, an index below the source is beyond it, too.
        Value isOutside = arith::CmpIOp::create(body, arith::CmpIPredicate::uge,
                                                shifted, size);
        outside =
            outside ? arith::OrIOp::create(body, outside, isOutside).getResult()
                    : isOutside;
      }
      return outside;
    };
    if (type.getRank() == 0)
      return success();
    accumulate(padding, createTotal(b, g, isPadding), {});
    return success();
  }

private:
  static bool capturesActive(tensor::PadOp op, IsActiveFn isActive) {
    bool captures = false;
    op.getRegion().walk([&](Operation *inner) {
      captures |= llvm::any_of(inner->getOperands(), isActive);
    });
    return captures;
  }
};

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

struct ExtractRule : TensorRule<ExtractRule, tensor::ExtractOp> {
  static LogicalResult emit(tensor::ExtractOp op, ImplicitLocOpBuilder &b,
                            Value g, IsActiveFn isActive, LookupFn primal,
                            AddFn add) {
    if (!isActive(op.getTensor()))
      return success();
    RankedTensorType type = op.getTensor().getType();
    if (type.getNumElements() == 1) {
      add(op.getTensor(), tensor::FromElementsOp::create(b, type, g));
      return success();
    }
    SmallVector<Value> indices = llvm::map_to_vector(op.getIndices(), primal);
    add(op.getTensor(),
        createElementwise(
            b, b.getLoc(), type, {},
            [&](OpBuilder &inner, Location loc, ValueRange) -> Value {
              ImplicitLocOpBuilder body(loc, inner);
              Value isRead;
              for (auto [dim, index] : llvm::enumerate(indices)) {
                Value equal = arith::CmpIOp::create(
                    body, arith::CmpIPredicate::eq,
                    linalg::IndexOp::create(body, dim), index);
                isRead =
                    isRead
                        ? arith::AndIOp::create(body, isRead, equal).getResult()
                        : equal;
              }
              return arith::SelectOp::create(body, isRead, g,
                                             createZero(body, g.getType()));
            }));
    return success();
  }
};

struct InsertRule : TensorRule<InsertRule, tensor::InsertOp> {
  static LogicalResult emit(tensor::InsertOp op, ImplicitLocOpBuilder &b,
                            Value g, IsActiveFn isActive, LookupFn primal,
                            AddFn add) {
    SmallVector<Value> indices = llvm::map_to_vector(op.getIndices(), primal);
    if (isActive(op.getScalar()))
      add(op.getScalar(), tensor::ExtractOp::create(b, g, indices));
    if (isActive(op.getDest()))
      add(op.getDest(),
          tensor::InsertOp::create(b, createZero(b, op.getScalar().getType()),
                                   g, indices));
    return success();
  }
};

struct FromElementsRule : TensorRule<FromElementsRule, tensor::FromElementsOp> {
  static LogicalResult emit(tensor::FromElementsOp op, ImplicitLocOpBuilder &b,
                            Value g, IsActiveFn isActive, LookupFn, AddFn add) {
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<int64_t> strides = computeStrides(type.getShape());
    for (auto [number, element] : llvm::enumerate(op.getElements())) {
      if (!isActive(element))
        continue;
      SmallVector<Value> indices;
      for (int64_t index : delinearize(number, strides))
        indices.push_back(arith::ConstantIndexOp::create(b, index));
      add(element, tensor::ExtractOp::create(b, g, indices));
    }
    return success();
  }
};

struct SplatRule : TensorRule<SplatRule, tensor::SplatOp> {
  static LogicalResult emit(tensor::SplatOp op, ImplicitLocOpBuilder &b,
                            Value g, IsActiveFn isActive, LookupFn, AddFn add) {
    if (isActive(op.getInput()))
      add(op.getInput(),
          createTotal(b, g, [](ImplicitLocOpBuilder &) { return Value(); }));
    return success();
  }
};

} // namespace

void ckpt::registerTensorDifferentiation(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    context->loadDialect<arith::ArithDialect, linalg::LinalgDialect>();
    tensor::CastOp::attachInterface<CastRule>(*context);
    tensor::CollapseShapeOp::attachInterface<CollapseShapeRule>(*context);
    tensor::ConcatOp::attachInterface<ConcatRule>(*context);
    tensor::ExpandShapeOp::attachInterface<ExpandShapeRule>(*context);
    tensor::ExtractOp::attachInterface<ExtractRule>(*context);
    tensor::ExtractSliceOp::attachInterface<ExtractSliceRule>(*context);
    tensor::FromElementsOp::attachInterface<FromElementsRule>(*context);
    tensor::InsertOp::attachInterface<InsertRule>(*context);
    tensor::InsertSliceOp::attachInterface<InsertSliceRule>(*context);
    tensor::PadOp::attachInterface<PadRule>(*context);
    tensor::ReshapeOp::attachInterface<ReshapeRule>(*context);
    tensor::SplatOp::attachInterface<SplatRule>(*context);
  });
}
