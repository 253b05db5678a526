//===- LinalgGenericDifferentiation.cpp - Adjoints of linalg ops ----------===//
//
// Reductions. The derivative of a sum by each of its terms is 1. That of a
// product is the product of the other factors, computed as such: nothing is
// divided by a factor, which may be 0. This takes time quadratic in the number
// of factors of one element.
//
// Ties. The order in which a reduction runs is open, so the rule for ties does
// not depend on it: the cotangent of a greatest (least) element goes to the
// first iteration, in the order of the loops, whose term equals it; the initial
// value gets it only where no term does. Where the op returns the index of the
// chosen iteration as well, the cotangent goes to that one. The index is what
// the adjoint needs in the end, not the elements that it was found in.
//
//===----------------------------------------------------------------------===//

#include "AdjointBody.h"
#include "Emission.h"
#include "StructuredAdjoint.h"
#include "ckpt/Interfaces/DifferentiableTypeInterface.h"
#include "ckpt/Interfaces/ReverseMode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace ckpt;
using namespace ckpt::models;
using linalg::LinalgOp;

static LogicalResult verifyStructure(LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return op.emitOpError("cannot be differentiated: it works on buffers");
  auto verify = [&](OpOperand &operand,
                    bool (*isSupported)(AffineMap)) -> LogicalResult {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (isSupported(map))
      return success();
    return op.emitOpError("cannot be differentiated: the indexing map ")
           << AffineMapAttr::get(map) << " of operand #"
           << operand.getOperandNumber()
           << " is not supported; attach a DifferentiableOpInterface model to "
              "this op";
  };
  for (OpOperand *input : op.getDpsInputOperands())
    if (failed(verify(*input, isSeparable)))
      return failure();
  for (OpOperand &init : op.getDpsInitsMutable())
    if (failed(verify(init, isProjection)))
      return failure();
  return success();
}

namespace {

/// How the cotangent of a result enters a body.
struct Seed {
  OpResult result;
  Accumulation accumulation;
  Value entry;
  /// Tensors that the entering cotangent is computed from, and their maps.
  SmallVector<std::pair<Value, AffineMap>> inputs;
};

class StructuredAdjoint {
public:
  StructuredAdjoint(LinalgOp op, ImplicitLocOpBuilder &builder,
                    ArrayRef<Value> cotangents,
                    function_ref<bool(Value)> isActive,
                    function_ref<Value(Value)> primal, AccumulateFn accumulate)
      : op(op), builder(builder), cotangents(cotangents), isActive(isActive),
        primal(primal), accumulate(accumulate) {}

  LogicalResult emit();

private:
  Seed createSeed(OpResult result, Value cotangent,
                  const Accumulation &accumulation);
  void emitSeed(const Seed &seed, AdjointBody &body, CotangentMap &cotangents);
  FailureOr<Value> emitScalar(const ElementRead &read, AdjointBody &body);
  SmallVector<AffineExpr> replaceWindows(const ElementRead &read,
                                         AdjointBody &body);
  LogicalResult emitRead(const ElementRead &read);
  LogicalResult emitInit(OpResult result, Value cotangent);
  Value emitNumber(AdjointBody &body, AffineMap map, Type type);
  Value emitFirst(OpResult result, const Accumulation &accumulation);
  Value emitOtherFactors(OpResult result, const Accumulation &accumulation);

  LinalgOp op;
  ImplicitLocOpBuilder &builder;
  ArrayRef<Value> cotangents;
  function_ref<bool(Value)> isActive;
  function_ref<Value(Value)> primal;
  AccumulateFn accumulate;
  SmallVector<Seed> seeds;
  DenseMap<OpResult, Value> firsts;
};

} // namespace

/// How many iterations of `op` have the same place `map`.
static int64_t countIterations(LinalgOp op, AffineMap map) {
  int64_t count = 1;
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    if (!map.isFunctionOfDim(loop))
      count *= extent;
  return count;
}

/// The number, of type `type`, of the iteration among those that write the same
/// element at `map`, in the order of the loops.
Value StructuredAdjoint::emitNumber(AdjointBody &body, AffineMap map,
                                    Type type) {
  ImplicitLocOpBuilder &b = body.getBuilder();
  Value number;
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges())) {
    if (extent == 1 || map.isFunctionOfDim(loop))
      continue;
    Value index = body.getIndex(loop);
    if (number) {
      Value count = arith::ConstantIndexOp::create(b, extent);
      Value scaled = arith::MulIOp::create(b, number, count);
      index = arith::AddIOp::create(b, scaled, index);
    }
    number = index;
  }
  if (number.getType() != type)
    number = arith::IndexCastOp::create(b, type, number);
  return number;
}

/// For each element of `result`, the number of the first iteration whose term
/// equals it; the number of iterations if there is none. It stands beside `op`,
/// if that can be read there: the numbers are few, and what they are found in
/// is then not needed for the adjoint.
Value StructuredAdjoint::emitFirst(OpResult result,
                                   const Accumulation &accumulation) {
  Value &first = firsts[result];
  if (first)
    return first;
  SmallVector<Value> needed;
  getStructuredPrimals(op, isActive, needed);
  OpBuilder::InsertionGuard guard(builder);
  if (llvm::all_of(needed, [&](Value value) { return primal(value) == value; }))
    builder.setInsertionPointAfter(op);

  AffineMap map = getResultMap(op, result);
  int64_t count = countIterations(op, map);
  bool fits = count <= std::numeric_limits<int32_t>::max();
  Type type = fits ? builder.getI32Type() : builder.getI64Type();

  AdjointBody body(op, builder, primal);
  body.cloneScalars();
  Value extremum = body.addInput(primal(result), map);
  ImplicitLocOpBuilder &b = body.getBuilder();
  Value isEqual = arith::CmpFOp::create(
      b, arith::CmpFPredicate::OEQ, body.lookup(accumulation.term), extremum);
  Value none = arith::ConstantOp::create(b, b.getIntegerAttr(type, count));
  Value number =
      arith::SelectOp::create(b, isEqual, emitNumber(body, map, type), none);
  auto resultType = cast<RankedTensorType>(result.getType()).clone(type);
  first = body.createMinimum(
      number, map, createFilled(builder, builder.getLoc(), resultType, count));
  return first;
}

/// For each iteration, the product of the terms of the others that write the
/// same element of `result`.
Value StructuredAdjoint::emitOtherFactors(OpResult result,
                                          const Accumulation &accumulation) {
  AffineMap map = getResultMap(op, result);
  AdjointBody body(op, builder, primal);
  // A second loop for each one that is reduced.
  SmallVector<unsigned> loops;
  SmallVector<std::pair<unsigned, unsigned>> pairs;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (unsigned loop = 0; loop != extents.size(); ++loop) {
    bool isReduced = extents[loop] != 1 && !map.isFunctionOfDim(loop);
    loops.push_back(isReduced ? body.addLoop(extents[loop]) : loop);
    if (isReduced)
      pairs.push_back({loop, loops.back()});
  }
  body.cloneScalars(loops);
  ImplicitLocOpBuilder &b = body.getBuilder();
  Value isSame;
  for (auto [loop, other] : pairs) {
    Value equal = arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq, body.getIndex(loop), body.getIndex(other));
    isSame =
        isSame ? arith::AndIOp::create(b, isSame, equal).getResult() : equal;
  }
  Value term = body.lookup(accumulation.term);
  Value one = arith::ConstantOp::create(b, b.getFloatAttr(term.getType(), 1.0));
  Value factor = arith::SelectOp::create(b, isSame, one, term);
  auto type = RankedTensorType::get(extents, term.getType());
  return body.createProduct(factor, b.getMultiDimIdentityMap(extents.size()),
                            createFilled(builder, builder.getLoc(), type, 1.0));
}

Seed StructuredAdjoint::createSeed(OpResult result, Value cotangent,
                                   const Accumulation &accumulation) {
  AffineMap map = getResultMap(op, result);
  Seed seed{result, accumulation, getEntry(op, result, accumulation), {}};
  seed.inputs.push_back({cotangent, map});
  switch (accumulation.kind) {
  case Accumulation::Kind::Extremum:
    seed.inputs.push_back({accumulation.index ? primal(accumulation.index)
                                              : emitFirst(result, accumulation),
                           map});
    break;
  case Accumulation::Kind::Product:
    seed.inputs.push_back(
        {primal(op.getDpsInitOperand(result.getResultNumber())->get()), map});
    seed.inputs.push_back({emitOtherFactors(result, accumulation),
                           builder.getMultiDimIdentityMap(op.getNumLoops())});
    break;
  default:
    break;
  }
  return seed;
}

void StructuredAdjoint::emitSeed(const Seed &seed, AdjointBody &body,
                                 CotangentMap &cotangents) {
  ImplicitLocOpBuilder &b = body.getBuilder();
  SmallVector<Value> elements;
  for (auto [tensor, map] : seed.inputs)
    elements.push_back(body.addInput(tensor, map));
  Value cotangent = elements.front();
  Guard guard;
  switch (seed.accumulation.kind) {
  case Accumulation::Kind::Extremum:
    guard.condition = arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq,
        emitNumber(body, getResultMap(op, seed.result), elements[1].getType()),
        elements[1]);
    break;
  case Accumulation::Kind::Product:
    cotangent = arith::MulFOp::create(b, cotangent, elements[1]);
    cotangent = arith::MulFOp::create(b, cotangent, elements[2]);
    break;
  default:
    break;
  }
  cotangents.accumulate(b, seed.entry, cotangent, guard);
}

/// Emits into `body` the cotangent of the scalars of `read`; null if it is
/// zero.
FailureOr<Value> StructuredAdjoint::emitScalar(const ElementRead &read,
                                               AdjointBody &body) {
  SmallVector<Operation *> ops = getBodyOps(op, read.scalars);
  SmallVector<Value> entries;
  for (const Seed &seed : seeds)
    entries.push_back(seed.entry);
  DenseSet<Value> active = findActiveValues(ops, read.scalars, entries);

  body.cloneScalars();
  ImplicitLocOpBuilder &b = body.getBuilder();
  CotangentMap cotangents(/*deferGuards=*/true);
  for (const Seed &seed : seeds)
    if (active.contains(seed.entry))
      emitSeed(seed, body, cotangents);
  DenseMap<OpResult, Value> elements;
  auto lookup = [&](Value value) {
    if (OpResult result = findResultOf(op, value)) {
      Value &element = elements[result];
      if (!element)
        element = body.addInput(primal(result), getResultMap(op, result));
      return element;
    }
    Value recomputed = body.lookup(value);
    return recomputed ? recomputed : value;
  };
  if (failed(emitAdjoints(
          b, ops, active, lookup, [&](Operation *) { return builder.getLoc(); },
          cotangents)))
    return failure();

  Value first = read.scalars.front();
  for (Value scalar : ArrayRef(read.scalars).drop_front())
    if (auto [value, guard] = cotangents.lookupGuarded(b, scalar); value)
      cotangents.accumulate(b, first, value, guard);
  return cotangents.lookup(b, first);
}

/// The place of `read`, with a loop over each dimension whose index is made of
/// several loops in place of one of these: an element of such a tensor is read
/// in several iterations, and its gradient is a sum over them.
SmallVector<AffineExpr>
StructuredAdjoint::replaceWindows(const ElementRead &read, AdjointBody &body) {
  SmallVector<AffineExpr> place;
  for (auto [dim, expr] : llvm::enumerate(read.place)) {
    if (isa<AffineDimExpr, AffineConstantExpr>(expr)) {
      place.push_back(expr);
      continue;
    }
    LinearIndex index = *findLinearIndex(expr);
    if (index.terms.empty()) {
      place.push_back(builder.getAffineConstantExpr(index.constant));
      continue;
    }
    // Rather a loop of the results than one that is reduced: then the loops
    // that remain are few.
    AffineMap map = getResultMap(op, cast<OpResult>(op->getResult(0)));
    LinearIndex::Term *term =
        llvm::find_if(index.terms, [&](LinearIndex::Term term) {
          return map.isFunctionOfDim(term.loop);
        });
    unsigned loop =
        term == index.terms.end() ? index.terms.front().loop : term->loop;
    body.replaceLoop(
        loop, index,
        cast<RankedTensorType>(read.source.getType()).getDimSize(dim));
    place.push_back(builder.getAffineDimExpr(loop));
  }
  return place;
}

LogicalResult StructuredAdjoint::emitRead(const ElementRead &read) {
  if (llvm::is_contained(op.getStaticLoopRanges(), 0))
    return success(); // nothing is read
  AdjointBody body(op, builder, primal);
  SmallVector<unsigned> loops;
  for (int64_t extent : read.extraLoops)
    loops.push_back(body.addLoop(extent));
  Type sourceType = read.source.getType();
  AffineMap map = body.getMap(replaceWindows(read, body));
  FailureOr<Value> scalar = emitScalar(read, body);
  if (failed(scalar) || !*scalar)
    return scalar;

  if (Value tensor = body.findTensor(*scalar, map, sourceType)) {
    accumulate(read.source, tensor, {});
    return success();
  }

  ImplicitLocOpBuilder &b = body.getBuilder();
  Value term = *scalar;
  Value isRead = body.getInWindow();
  for (auto [loop, index] : llvm::zip_equal(loops, read.indices)) {
    Value recomputed = body.lookup(index);
    Value equal = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                        recomputed ? recomputed : index,
                                        body.getIndex(loop));
    isRead =
        isRead ? arith::AndIOp::create(b, isRead, equal).getResult() : equal;
  }
  if (isRead) {
    Value zero =
        arith::ConstantOp::create(b, b.getFloatAttr(term.getType(), 0.0));
    term = arith::SelectOp::create(b, isRead, term, zero);
  }

  auto type = dyn_cast<RankedTensorType>(sourceType);
  if (!type)
    type = RankedTensorType::get({}, sourceType);
  Value gradient;
  if (body.hasReducedLoop(map)) {
    Type wide = getAccumulatorElement(cast<FloatType>(type.getElementType()));
    Value zero = createFilled(builder, builder.getLoc(), type.clone(wide), 0.0);
    gradient = cast<DifferentiableTypeInterface>(Type(type))
                   .roundSum(builder, builder.getLoc(),
                             body.createSum(term, map, zero));
  } else {
    gradient = body.createWrite(term, map, type, /*base=*/nullptr);
  }
  if (gradient.getType() != sourceType)
    gradient = tensor::ExtractOp::create(builder, gradient, ValueRange());
  accumulate(read.source, gradient, {});
  return success();
}

/// Emits the adjoint by the init of `result`, whose cotangent may be null.
LogicalResult StructuredAdjoint::emitInit(OpResult result, Value cotangent) {
  Value init = op.getDpsInitOperand(result.getResultNumber())->get();
  auto type = cast<RankedTensorType>(init.getType());
  AffineMap map = getResultMap(op, result);
  Accumulation accumulation = findAccumulation(op, result.getResultNumber());

  if (accumulation.kind != Accumulation::Kind::Write) {
    if (!cotangent)
      return success();
    if (accumulation.kind == Accumulation::Kind::Extremum) {
      // Where no term was chosen.
      Value first = emitFirst(result, accumulation);
      int64_t count = countIterations(op, map);
      cotangent = createElementwise(
          builder, builder.getLoc(), type, {cotangent, first},
          [&](OpBuilder &b, Location loc, ValueRange elements) -> Value {
            Value none = arith::ConstantOp::create(
                b, loc, b.getIntegerAttr(elements[1].getType(), count));
            Value isInit = arith::CmpIOp::create(
                b, loc, arith::CmpIPredicate::eq, elements[1], none);
            Value zero = arith::ConstantOp::create(
                b, loc, b.getFloatAttr(type.getElementType(), 0.0));
            return arith::SelectOp::create(b, loc, isInit, elements[0], zero);
          });
    } else if (accumulation.kind == Accumulation::Kind::Product) {
      AdjointBody body(op, builder, primal);
      body.cloneScalars();
      cotangent =
          body.createProduct(body.lookup(accumulation.term), map, cotangent);
    }
    accumulate(init, cotangent, {});
    return success();
  }

  // One iteration per element: the init is read like an input, and where no
  // iteration writes, it passes through.
  AdjointBody body(op, builder, primal);
  Value scalar;
  if (BlockArgument argument = getReadInit(op, result)) {
    ElementRead read{{argument}, init, {}, {}, {}};
    FailureOr<Value> emitted = emitScalar(read, body);
    if (failed(emitted))
      return failure();
    scalar = *emitted;
  }
  bool passesThrough = cotangent && !body.coversTensor(map, type);
  if (!scalar && !passesThrough)
    return success();
  if (!scalar)
    scalar = arith::ConstantOp::create(
        body.getBuilder(), builder.getFloatAttr(type.getElementType(), 0.0));
  Value gradient = body.findTensor(scalar, map, type);
  if (!gradient)
    gradient = body.createWrite(scalar, map, type, cotangent);
  accumulate(init, gradient, {});
  return success();
}

LogicalResult StructuredAdjoint::emit() {
  if (failed(verifyStructure(op)) || failed(verifyGathers(op, isActive)))
    return failure();
  for (auto [result, cotangent] :
       llvm::zip_equal(op->getOpResults(), cotangents)) {
    if (!cotangent)
      continue;
    Accumulation accumulation = findAccumulation(op, result.getResultNumber());
    if (accumulation.kind == Accumulation::Kind::Unknown)
      return op.emitOpError(
                 "cannot be differentiated: the reduction of result #")
             << result.getResultNumber()
             << " is not a sum, a product, a maximum or a minimum; attach a "
                "DifferentiableOpInterface model to this op";
    seeds.push_back(createSeed(result, cotangent, accumulation));
  }
  for (const ElementRead &read : findReads(op, isActive))
    if (failed(emitRead(read)))
      return failure();
  for (auto [result, cotangent] :
       llvm::zip_equal(op->getOpResults(), cotangents)) {
    Value init = op.getDpsInitOperand(result.getResultNumber())->get();
    if (isActive(init) && failed(emitInit(result, cotangent)))
      return failure();
  }
  return success();
}

LogicalResult ckpt::models::emitStructuredAdjoint(
    LinalgOp op, ImplicitLocOpBuilder &builder, ArrayRef<Value> cotangents,
    function_ref<bool(Value)> isActive, function_ref<Value(Value)> primal,
    AccumulateFn accumulate) {
  return StructuredAdjoint(op, builder, cotangents, isActive, primal,
                           accumulate)
      .emit();
}
