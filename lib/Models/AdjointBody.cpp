//===- AdjointBody.cpp - Builds a generic from another's body -------------===//

#include "AdjointBody.h"

#include "Emission.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ckpt;
using namespace ckpt::models;
using linalg::LinalgOp;

AdjointBody::AdjointBody(LinalgOp op, ImplicitLocOpBuilder &builder,
                         function_ref<Value(Value)> primal)
    : op(op), builder(builder), primal(primal),
      block(std::make_unique<Block>()),
      body(builder.getLoc(), builder.getContext()),
      extents(op.getStaticLoopRanges()) {
  body.setInsertionPointToEnd(block.get());
}

AdjointBody::~AdjointBody() = default;

//===----------------------------------------------------------------------===//
// Loops, inputs, scalars
//===----------------------------------------------------------------------===//

unsigned AdjointBody::addLoop(int64_t extent) {
  extents.push_back(extent);
  return extents.size() - 1;
}

AffineMap AdjointBody::getMap(ArrayRef<AffineExpr> results) const {
  return AffineMap::get(extents.size(), 0, results, builder.getContext());
}

BlockArgument AdjointBody::addElement(Type type) {
  return block->addArgument(getElementTypeOrSelf(type), builder.getLoc());
}

Value AdjointBody::addInput(Value tensor, AffineMap map) {
  return addRead(tensor, map, /*isPrimal=*/false);
}

/// The element of `tensor` at `map`: an input, or where a loop in `map` was
/// replaced, a read at a computed place.
Value AdjointBody::addRead(Value tensor, AffineMap map, bool isPrimal) {
  bool isComputed = llvm::any_of(replaced, [&](const auto &entry) {
    return map.isFunctionOfDim(entry.first);
  });
  if (!isComputed) {
    inputs.push_back({tensor, map, addElement(tensor.getType()), isPrimal});
    return inputs.back().element;
  }
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults())
    indices.push_back(emitIndex(*findLinearIndex(expr)));
  return tensor::ExtractOp::create(body, tensor, indices);
}

Value AdjointBody::getIndex(unsigned loop) {
  if (Value index = replaced.lookup(loop))
    return index;
  return linalg::IndexOp::create(body, loop);
}

Value AdjointBody::emitConstant(int64_t value) {
  return arith::ConstantIndexOp::create(body, value);
}

Value AdjointBody::emitIndex(const LinearIndex &index) {
  Value sum;
  if (index.constant != 0 || index.terms.empty())
    sum = emitConstant(index.constant);
  for (LinearIndex::Term term : index.terms) {
    Value part = getIndex(term.loop);
    if (term.factor != 1)
      part = arith::MulIOp::create(body, part, emitConstant(term.factor));
    sum = sum ? arith::AddIOp::create(body, sum, part).getResult() : part;
  }
  return sum;
}

void AdjointBody::replaceLoop(unsigned loop, const LinearIndex &index,
                              int64_t extent) {
  // place = factor * index of the loop + rest
  LinearIndex rest = index;
  llvm::erase_if(rest.terms,
                 [&](LinearIndex::Term term) { return term.loop == loop; });
  int64_t factor = llvm::find_if(index.terms, [&](LinearIndex::Term term) {
                     return term.loop == loop;
                   })->factor;
  int64_t count = extents[loop];
  extents[loop] = extent;

  Value place = linalg::IndexOp::create(body, loop);
  Value distance = arith::SubIOp::create(body, place, emitIndex(rest));
  Value isHit;
  if (factor != 1 && factor != -1) {
    Value remainder =
        arith::RemSIOp::create(body, distance, emitConstant(factor));
    isHit = arith::CmpIOp::create(body, arith::CmpIPredicate::eq, remainder,
                                  emitConstant(0));
  }
  Value position = distance;
  if (factor != 1)
    position = arith::DivSIOp::create(body, distance, emitConstant(factor));
  // As unsigned, a negative position is beyond the end, too.
  Value isInside = arith::CmpIOp::create(body, arith::CmpIPredicate::ult,
                                         position, emitConstant(count));
  isHit = isHit ? arith::AndIOp::create(body, isHit, isInside).getResult()
                : isInside;
  inWindow = inWindow ? arith::AndIOp::create(body, inWindow, isHit).getResult()
                      : isHit;
  // Reads stay within bounds where there is no such iteration.
  Value low = arith::MaxSIOp::create(body, position, emitConstant(0));
  replaced[loop] = arith::MinSIOp::create(body, low, emitConstant(count - 1));
}

void AdjointBody::cloneScalars() {
  SmallVector<unsigned> loops(op.getNumLoops());
  std::iota(loops.begin(), loops.end(), 0);
  cloneScalars(loops);
}

void AdjointBody::cloneScalars(ArrayRef<unsigned> loops) {
  SmallVector<AffineExpr> dims;
  for (unsigned loop : loops)
    dims.push_back(body.getAffineDimExpr(loop));
  DenseSet<Value> carried = findCarriedValues(op);
  for (BlockArgument argument : op.getBlock()->getArguments()) {
    if (carried.contains(argument))
      continue;
    OpOperand *operand = op.getMatchingOpOperand(argument);
    AffineMap map = op.getMatchingIndexingMap(operand);
    map = map.replaceDimsAndSymbols(dims, {}, extents.size(), 0);
    mapping.map(argument, addRead(operand->get(), map, /*isPrimal=*/true));
  }
  for (Operation &inner : op.getBlock()->without_terminator()) {
    bool isCarried = llvm::any_of(inner.getResults(), [&](Value result) {
      return carried.contains(result);
    });
    if (isCarried || !isMemoryEffectFree(&inner))
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      mapping.map(index.getResult(), getIndex(loops[index.getDim()]));
      continue;
    }
    Operation *clone = body.clone(inner, mapping);
    clone->walk(
        [&](linalg::IndexOp index) { index.setDim(loops[index.getDim()]); });
  }
}

//===----------------------------------------------------------------------===//
// Where elements lie
//===----------------------------------------------------------------------===//

bool AdjointBody::isReduced(unsigned loop, AffineMap map) const {
  return extents[loop] != 1 && !map.isFunctionOfDim(loop);
}

bool AdjointBody::hasReducedLoop(AffineMap map) const {
  return llvm::any_of(llvm::seq<unsigned>(0, extents.size()),
                      [&](unsigned loop) { return isReduced(loop, map); });
}

bool AdjointBody::coversTensor(AffineMap map, RankedTensorType type) const {
  return llvm::all_of_zip(
      map.getResults(), type.getShape(), [&](AffineExpr expr, int64_t size) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        return dim ? extents[dim.getPosition()] == size : size == 1;
      });
}

/// `map` over all loops, with 0 for the indices of unit loops.
AffineMap AdjointBody::normalize(AffineMap map) const {
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    bool isUnit = dim && extents[dim.getPosition()] == 1;
    results.push_back(isUnit ? builder.getAffineConstantExpr(0) : expr);
  }
  return getMap(results);
}

Value AdjointBody::findTensor(Value scalar, AffineMap map, Type type) const {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  if (inWindow || !tensorType || !coversTensor(map, tensorType) ||
      hasReducedLoop(map))
    return nullptr;
  for (const Input &input : inputs)
    if (input.element == scalar && input.tensor.getType() == type &&
        normalize(input.map) == normalize(map))
      return input.isPrimal ? primal(input.tensor) : input.tensor;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The generic
//===----------------------------------------------------------------------===//

Value AdjointBody::createWrite(Value scalar, AffineMap map,
                               RankedTensorType type, Value base) {
  ImplicitLocOpBuilder &b = builder;
  if (coversTensor(map, type))
    return createGeneric(scalar, map, createEmpty(b, b.getLoc(), type),
                         addElement(type));

  // A generic that does not read its output is taken to write all of it, so the
  // part that is written becomes a tensor of its own.
  SmallVector<AffineExpr> places;
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> offsets, sizes;
  for (AffineExpr expr : map.getResults()) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    offsets.push_back(b.getIndexAttr(constant ? constant.getValue() : 0));
    shape.push_back(
        constant ? 1 : extents[cast<AffineDimExpr>(expr).getPosition()]);
    sizes.push_back(b.getIndexAttr(shape.back()));
    places.push_back(constant ? b.getAffineConstantExpr(0) : expr);
  }
  auto partType = RankedTensorType::get(shape, type.getElementType());
  Value part =
      createGeneric(scalar, getMap(places),
                    createEmpty(b, b.getLoc(), partType), addElement(type));
  if (!base)
    base = createFilled(b, b.getLoc(), type, 0.0);
  SmallVector<OpFoldResult> strides(shape.size(), b.getIndexAttr(1));
  return tensor::InsertSliceOp::create(b, part, base, offsets, sizes, strides);
}

Value AdjointBody::createSum(Value scalar, AffineMap map, Value base) {
  auto type = cast<FloatType>(getElementTypeOrSelf(base.getType()));
  // A term that was only just rounded is added as it was.
  if (type.getWidth() > scalar.getType().getIntOrFloatBitWidth())
    if (auto truncation = scalar.getDefiningOp<arith::TruncFOp>())
      scalar = truncation.getIn();
  Value term = convertFloat(body, body.getLoc(), scalar, type);
  BlockArgument sum = addElement(type);
  return createGeneric(arith::AddFOp::create(body, sum, term), map, base, sum);
}

Value AdjointBody::createProduct(Value scalar, AffineMap map, Value base) {
  BlockArgument product = addElement(base.getType());
  return createGeneric(arith::MulFOp::create(body, product, scalar), map, base,
                       product);
}

Value AdjointBody::createMinimum(Value scalar, AffineMap map, Value base) {
  BlockArgument minimum = addElement(base.getType());
  return createGeneric(arith::MinSIOp::create(body, minimum, scalar), map, base,
                       minimum);
}

void AdjointBody::eraseDeadOps() {
  for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(*block)))
    if (isOpTriviallyDead(&inner))
      inner.erase();
}

/// The tensor that `tensor` is an elementwise extension of; null if none is.
static Value findExtended(Value tensor) {
  if (auto extension = tensor.getDefiningOp<arith::ExtFOp>())
    return extension.getIn();
  auto generic = tensor.getDefiningOp<linalg::GenericOp>();
  if (!generic || !generic.isAllParallelLoops() ||
      !generic.isSingleInputOutput() ||
      llvm::any_of(generic.getIndexingMapsArray(),
                   [](AffineMap map) { return !map.isIdentity(); }))
    return nullptr;
  Block *block = generic.getBlock();
  auto extension =
      block->getTerminator()->getOperand(0).getDefiningOp<arith::ExtFOp>();
  if (!extension || extension.getIn() != block->getArgument(0))
    return nullptr;
  return generic.getDpsInputs().front();
}

/// Reads a cotangent of low precision as it is, not its copy in high precision:
/// so a contraction of bf16 with f32 sums keeps operands of bf16.
void AdjointBody::readThroughExtensions() {
  OpBuilder::InsertionGuard guard(body);
  body.setInsertionPointToStart(block.get());
  for (Input &input : inputs) {
    Value narrow = input.isPrimal || input.element.use_empty()
                       ? Value()
                       : findExtended(input.tensor);
    if (!narrow)
      continue;
    BlockArgument element = addElement(narrow.getType());
    Value extended =
        arith::ExtFOp::create(body, input.element.getType(), element);
    input.element.replaceAllUsesWith(extended);
    input.tensor = narrow;
    input.element = element;
  }
}

/// The inputs that the body reads, each tensor once per map.
SmallVector<AdjointBody::Input> AdjointBody::takeUsedInputs() {
  SmallVector<Input> used;
  for (Input &input : inputs) {
    if (input.element.use_empty())
      continue;
    if (input.isPrimal)
      input.tensor = primal(input.tensor);
    input.map = getMap(input.map.getResults());
    Input *same = llvm::find_if(used, [&](const Input &other) {
      return other.tensor == input.tensor && other.map == input.map;
    });
    if (same == used.end())
      used.push_back(input);
    else
      input.element.replaceAllUsesWith(same->element);
  }
  return used;
}

/// Adds an input without contents for the loops that are no map's result: a
/// generic takes its trip counts from shapes.
void AdjointBody::coverLoops(AffineMap map, SmallVectorImpl<Input> &used) {
  SmallVector<AffineExpr> uncovered;
  SmallVector<int64_t> shape;
  for (unsigned loop = 0; loop != extents.size(); ++loop) {
    AffineExpr dim = body.getAffineDimExpr(loop);
    auto gives = [&](AffineMap map) {
      return llvm::is_contained(map.getResults(), dim);
    };
    if (gives(map) ||
        llvm::any_of(used, [&](const Input &in) { return gives(in.map); }))
      continue;
    uncovered.push_back(dim);
    shape.push_back(extents[loop]);
  }
  if (uncovered.empty())
    return;
  auto type = RankedTensorType::get(shape, builder.getF32Type());
  used.push_back({createEmpty(builder, builder.getLoc(), type),
                  getMap(uncovered), addElement(type), false});
}

/// Lets the body read what the lookup answers for the values that it captures.
void AdjointBody::lookUpCapturedValues(Operation *generic) {
  llvm::SetVector<Value> forward, captured;
  getUsedValuesDefinedAbove(op->getRegions(), forward);
  forward.insert(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(generic->getRegions(), captured);
  for (Value value : captured)
    if (forward.contains(value))
      replaceAllUsesInRegionWith(value, primal(value), generic->getRegion(0));
}

Value AdjointBody::createGeneric(Value yielded, AffineMap map, Value init,
                                 BlockArgument initElement) {
  linalg::YieldOp::create(body, yielded);
  eraseDeadOps();
  readThroughExtensions();
  SmallVector<Input> used = takeUsedInputs();
  map = getMap(map.getResults());
  coverLoops(map, used);

  // The arguments in the order of the operands.
  auto ordered = std::make_unique<Block>();
  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps;
  for (Input &input : used) {
    tensors.push_back(input.tensor);
    maps.push_back(input.map);
    input.element.replaceAllUsesWith(
        ordered->addArgument(input.element.getType(), builder.getLoc()));
  }
  maps.push_back(map);
  initElement.replaceAllUsesWith(
      ordered->addArgument(initElement.getType(), builder.getLoc()));
  ordered->getOperations().splice(ordered->end(), block->getOperations());

  SmallVector<utils::IteratorType> iterators;
  for (unsigned loop = 0; loop != extents.size(); ++loop)
    iterators.push_back(isReduced(loop, map) ? utils::IteratorType::reduction
                                             : utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(builder, init.getType(), tensors,
                                           init, maps, iterators);
  generic.getRegion().push_back(ordered.release());
  lookUpCapturedValues(generic);
  return generic.getResult(0);
}
