//===- NormalizeStep.cpp - Make buffers and copies explicit ---------------===//

#include "ckpt/Conversion/Passes.h"
#include "ckpt/IR/Functions.h"
#include "ckpt/Interfaces/RematerializableOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace ckpt {
#define GEN_PASS_DEF_NORMALIZESTEP
#include "ckpt/Conversion/Passes.h.inc"
} // namespace ckpt

using namespace mlir;
using namespace ckpt;

//===----------------------------------------------------------------------===//
// Aggregates and elementwise ops on tensors
//===----------------------------------------------------------------------===//

static LogicalResult decomposeAggregates(Operation *root) {
  SmallVector<linalg::AggregatedOpInterface> aggregates;
  // Those on buffers stay as they are.
  root->walk([&](linalg::AggregatedOpInterface op) {
    if (op->getNumResults() != 0)
      aggregates.push_back(op);
  });
  for (linalg::AggregatedOpInterface op : aggregates) {
    OpBuilder builder(op);
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(builder);
    if (failed(results))
      return op->emitOpError("cannot be decomposed");
    op->replaceAllUsesWith(*results);
    op->erase();
  }
  return success();
}

static LogicalResult convertElementwise(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  return applyPatternsGreedily(root, std::move(patterns));
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// Tensors of rank 0 for scalar arithmetic between ops: on a device no value is
/// outside a buffer.
namespace {
class ScalarsToTensors {
public:
  explicit ScalarsToTensors(Block &body) : body(body) {}

  void run();

private:
  /// The rank-0 tensor that holds `scalar`, or null for what is not computed
  /// from tensors.
  Value lookup(Value scalar) const { return tensors.lookup(scalar); }
  void convertExtract(tensor::ExtractOp extract);
  void convertArithmetic(Operation *op);
  void convertFromElements(tensor::FromElementsOp op);
  void convertCaptures(linalg::GenericOp op);

  Block &body;
  DenseMap<Value, Value> tensors;
  SmallVector<Operation *> replaced;
};
} // namespace

static bool isScalar(Type type) { return type.isIntOrIndexOrFloat(); }

void ScalarsToTensors::convertExtract(tensor::ExtractOp extract) {
  Value source = extract.getTensor();
  auto type = cast<RankedTensorType>(source.getType());
  OpBuilder builder(extract);
  if (type.getRank() != 0) {
    SmallVector<OpFoldResult> offsets = getAsOpFoldResult(extract.getIndices());
    // An element that is not there is left for the program to read.
    for (auto [offset, size] : llvm::zip_equal(offsets, type.getShape())) {
      std::optional<int64_t> position = getConstantIntValue(offset);
      if (!position || *position < 0 || *position >= size)
        return;
    }
    SmallVector<OpFoldResult> ones(type.getRank(), builder.getIndexAttr(1));
    source = tensor::ExtractSliceOp::create(
        builder, extract.getLoc(),
        RankedTensorType::get({}, type.getElementType()), source, offsets, ones,
        ones);
  }
  tensors[extract.getResult()] = source;
}

void ScalarsToTensors::convertArithmetic(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !isScalar(op->getResult(0).getType()) || !isPure(op) ||
      isa<tensor::TensorDialect>(op->getDialect()))
    return;
  if (llvm::none_of(op->getOperands(),
                    [&](Value operand) { return lookup(operand); }))
    return;
  OpBuilder builder(op);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (Value operand : op->getOperands())
    if (Value tensor = lookup(operand))
      inputs.push_back(tensor);
  maps.assign(inputs.size() + 1, AffineMap::get(op->getContext()));
  Type element = op->getResult(0).getType();
  Value init = tensor::EmptyOp::create(builder, op->getLoc(),
                                       ArrayRef<int64_t>(), element);
  auto generic = linalg::GenericOp::create(
      builder, op->getLoc(), init.getType(), inputs, init, maps,
      ArrayRef<utils::IteratorType>(),
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        IRMapping mapping;
        unsigned next = 0;
        for (Value operand : op->getOperands())
          if (lookup(operand))
            mapping.map(operand, arguments[next++]);
        Operation *clone = nested.clone(*op, mapping);
        linalg::YieldOp::create(nested, loc, clone->getResults());
      });
  tensors[op->getResult(0)] = generic.getResult(0);
}

/// Builds the tensor element by element from the rank-0 tensors.
void ScalarsToTensors::convertFromElements(tensor::FromElementsOp op) {
  auto type = op.getType();
  if (!op.getElements().empty() && type.getNumElements() == 1) {
    Value tensor = lookup(op.getElements().front());
    if (!tensor)
      return;
    OpBuilder builder(op);
    Value result = tensor;
    if (type.getRank() != 0)
      result = tensor::ExpandShapeOp::create(builder, op.getLoc(), type, tensor,
                                             ArrayRef<ReassociationIndices>());
    op.replaceAllUsesWith(result);
    replaced.push_back(op);
  }
}

/// A scalar that a payload captures becomes one more input.
void ScalarsToTensors::convertCaptures(linalg::GenericOp op) {
  SetVector<Value> captured;
  op.getBody()->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (lookup(operand))
        captured.insert(operand);
  });
  if (captured.empty())
    return;
  OpBuilder builder(op);
  SmallVector<Value> inputs = op.getInputs();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto scalarMap = AffineMap::get(op.getNumLoops(), 0, op.getContext());
  for (Value scalar : captured) {
    maps.insert(maps.begin() + inputs.size(), scalarMap);
    inputs.push_back(lookup(scalar));
  }
  auto generic = linalg::GenericOp::create(
      builder, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(), maps,
      op.getIteratorTypesArray());
  Region &region = generic.getRegion();
  region.takeBody(op.getRegion());
  for (auto [index, scalar] : llvm::enumerate(captured)) {
    BlockArgument argument = region.front().insertArgument(
        op.getNumDpsInputs() + index, scalar.getType(), op.getLoc());
    Value(scalar).replaceUsesWithIf(argument, [&](OpOperand &use) {
      return generic->isProperAncestor(use.getOwner());
    });
  }
  op->replaceAllUsesWith(generic.getResults());
  replaced.push_back(op);
}

void ScalarsToTensors::run() {
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      convertExtract(extract);
    else if (auto fromElements = dyn_cast<tensor::FromElementsOp>(op))
      convertFromElements(fromElements);
    else if (auto generic = dyn_cast<linalg::GenericOp>(op))
      convertCaptures(generic);
    else
      convertArithmetic(&op);
  }
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
}

//===----------------------------------------------------------------------===//
// Destinations
//===----------------------------------------------------------------------===//

/// What a destination that is not read, or is a splat, becomes.
static void normalizeDestinations(linalg::LinalgOp op) {
  if (isa<linalg::FillOp>(*op) &&
      op.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>())
    return;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    auto type = dyn_cast<RankedTensorType>(init.get().getType());
    if (!type || !type.hasStaticShape() ||
        init.get().getDefiningOp<tensor::EmptyOp>())
      continue;
    OpBuilder builder(op);
    auto makeEmpty = [&] {
      return tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                     type.getElementType(), type.getEncoding());
    };
    if (!op.payloadUsesValueFromOperand(&init)) {
      init.set(makeEmpty());
      continue;
    }
    SplatElementsAttr splat;
    if (!matchPattern(init.get(), m_Constant(&splat)))
      continue;
    Value scalar = arith::ConstantOp::create(builder, op.getLoc(),
                                             splat.getSplatValue<TypedAttr>());
    init.set(
        linalg::FillOp::create(builder, op.getLoc(), scalar, Value(makeEmpty()))
            .getResult(0));
  }
}

/// Poison is as undefined as an empty tensor, which bufferisation knows.
static void replacePoison(Operation *root) {
  root->walk([](ub::PoisonOp op) {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || !type.hasStaticShape())
      return;
    OpBuilder builder(op);
    op.replaceAllUsesWith(
        tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                type.getElementType(), type.getEncoding())
            .getResult());
    op.erase();
  });
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static Value copyTensor(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Value init = tensor::EmptyOp::create(
      builder, loc, type.getShape(), type.getElementType(), type.getEncoding());
  return linalg::CopyOp::create(builder, loc, value, init).getResult(0);
}

static void copyCollapsedSlices(Block &body) {
  for (Operation &op : body) {
    auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
    if (!collapse ||
        getStorage(collapse->getResult(0)).kind == Storage::Kind::View)
      continue;
    OpBuilder builder(collapse);
    collapse.getSrcMutable().set(
        copyTensor(builder, collapse.getLoc(), collapse.getSrc()));
  }
}

/// The buffer that `value` is all of, or null if it has none of its own.
static Value getWholeBuffer(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<tensor::ExtractSliceOp>(op))
      return {};
    Storage storage = getStorage(cast<OpResult>(value));
    if (storage.kind == Storage::Kind::Fresh ||
        storage.kind == Storage::Kind::InPlace)
      return value;
    if (storage.kind == Storage::Kind::None)
      return {};
    value = op->getOperand(storage.operand);
  }
  return {};
}

/// Gives each returned tensor a buffer of its own.
static void copySharedResults(Block &body) {
  Operation *terminator = body.getTerminator();
  OpBuilder builder(terminator);
  // What to copy for the next result that is the same buffer. Each copy is of
  // the one before: equal copies would be merged.
  DenseMap<Value, Value> claimed;
  for (OpOperand &operand : terminator->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type || !type.hasStaticShape())
      continue;
    Value buffer = getWholeBuffer(operand.get());
    bool isShared = !buffer || claimed.contains(buffer);
    Value key = buffer ? buffer : operand.get();
    if (isShared) {
      Value source = claimed.lookup(key);
      if (!source || source.getType() != type)
        source = operand.get();
      operand.set(copyTensor(builder, terminator->getLoc(), source));
    }
    claimed[key] = operand.get();
  }
}

namespace {
struct NormalizeStep : ckpt::impl::NormalizeStepBase<NormalizeStep> {
  void runOnOperation() override {
    Operation *root = getOperation();
    replacePoison(root);
    if (failed(decomposeAggregates(root)))
      return signalPassFailure();
    (void)forEachFunction(root, [](FunctionOpInterface function) {
      for (Block &body : function.getFunctionBody())
        ScalarsToTensors(body).run();
      return success();
    });
    if (failed(convertElementwise(root)))
      return signalPassFailure();
    root->walk([](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics())
        normalizeDestinations(op);
    });
    (void)forEachFunction(root, [](FunctionOpInterface function) {
      for (Block &body : function.getFunctionBody())
        copyCollapsedSlices(body);
      if (function.getFunctionBody().hasOneBlock())
        copySharedResults(function.getFunctionBody().front());
      return success();
    });
  }
};
} // namespace
