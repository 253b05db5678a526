//===- PlaceBuffers.cpp - Give every buffer an offset in one arena --------===//

#include "PackBuffers.h"
#include "ckpt/Conversion/Passes.h"
#include "ckpt/IR/Buffers.h"
#include "ckpt/IR/Functions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace ckpt {
#define GEN_PASS_DEF_PLACEBUFFERS
#include "ckpt/Conversion/Passes.h.inc"
} // namespace ckpt

using namespace mlir;
using namespace ckpt;

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The allocation that `value` is all of, or null.
static memref::AllocOp getWholeAllocation(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      return alloc;
    if (!isa<memref::ExpandShapeOp, memref::CollapseShapeOp, memref::CastOp>(
            op))
      return {};
    value = op->getOperand(0);
  }
  return {};
}

/// `buffer` seen with the contiguous type `type` of as many elements.
static Value reshapeContiguous(OpBuilder &builder, Location loc, Value buffer,
                               MemRefType type) {
  if (buffer.getType() == type)
    return buffer;
  auto [strides, offset] = type.getStridesAndOffset();
  return memref::ReinterpretCastOp::create(builder, loc, type, buffer, offset,
                                           type.getShape(), strides);
}

/// Turns results into trailing arguments, marked as upstream marks them. A
/// result that is all of an allocation takes its place; any other is copied at
/// the end.
static LogicalResult resultsToArguments(FunctionOpInterface function) {
  Block &body = function.getFunctionBody().front();
  Operation *terminator = body.getTerminator();
  OpBuilder builder(terminator);
  auto mark = builder.getDictionaryAttr(
      builder.getNamedAttr("bufferize.result", builder.getUnitAttr()));
  llvm::SmallPtrSet<Operation *, 16> claimed;
  llvm::BitVector moved(terminator->getNumOperands());
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value result = operand.get();
    auto type = dyn_cast<MemRefType>(result.getType());
    if (!type)
      continue;
    moved.set(operand.getOperandNumber());
    unsigned number = function.getNumArguments();
    if (failed(
            function.insertArgument(number, type, mark, terminator->getLoc())))
      return failure();
    Value argument = function.getArgument(number);
    memref::AllocOp alloc = getWholeAllocation(result);
    if (alloc && alloc.getType().getLayout().isIdentity() &&
        claimed.insert(alloc).second) {
      builder.setInsertionPoint(alloc);
      alloc.replaceAllUsesWith(reshapeContiguous(builder, alloc.getLoc(),
                                                 argument, alloc.getType()));
      continue;
    }
    builder.setInsertionPoint(terminator);
    memref::CopyOp::create(builder, terminator->getLoc(), result, argument);
  }
  terminator->eraseOperands(moved);
  for (Operation *alloc : claimed)
    alloc->erase();
  return function.eraseResults(moved);
}

//===----------------------------------------------------------------------===//
// The arena
//===----------------------------------------------------------------------===//

/// The lives of all allocations in `body`, by the positions of the ops that use
/// them or views of them.
static FailureOr<llvm::MapVector<Operation *, BufferLife>>
collectLives(FunctionOpInterface function) {
  Block &body = function.getFunctionBody().front();
  llvm::MapVector<Operation *, BufferLife> lives;
  int64_t total = 0;
  WalkResult walk = function->walk([&](memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    if (alloc->getBlock() != &body || !type.hasStaticShape() ||
        !type.getLayout().isIdentity()) {
      alloc->emitOpError("cannot be placed in the arena: only allocations of "
                         "static size at the top of a function can");
      return WalkResult::interrupt();
    }
    std::optional<int64_t> bytes = getAlignedBytes(type);
    if (!bytes || llvm::AddOverflow(total, *bytes, total)) {
      alloc->emitOpError("cannot be placed in the arena: its elements are no "
                         "numbers, or the arena would be too large");
      return WalkResult::interrupt();
    }
    lives[alloc].bytes = *bytes;
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();

  // Each memref value is a view of at most one allocation.
  DenseMap<Value, Operation *> roots;
  int64_t position = 0;
  for (Operation &op : body) {
    ++position;
    if (isa<memref::AllocOp>(op)) {
      roots[op.getResult(0)] = &op;
      continue;
    }
    if (auto view = dyn_cast<ViewLikeOpInterface>(op)) {
      if (Operation *root = roots.lookup(view.getViewSource()))
        roots[op.getResult(0)] = root;
      continue;
    }
    op.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *root = roots.lookup(operand)) {
          BufferLife &life = lives[root];
          life.begin = life.begin < 0 ? position : life.begin;
          life.end = position;
        }
    });
  }
  return lives;
}

/// Placing buffers changes a function's type, so that no op may refer to it.
static LogicalResult checkNoReferences(FunctionOpInterface function,
                                       Operation *root) {
  if (SymbolTable::symbolKnownUseEmpty(function, root))
    return success();
  InFlightDiagnostic error =
      function->emitOpError("gets an arena and its results as arguments, so "
                            "that nothing may refer to it");
  auto uses = SymbolTable::getSymbolUses(function, root);
  if (uses)
    error.attachNote(uses->begin()->getUser()->getLoc())
        << "this op refers to it";
  else
    error.attachNote(root->getLoc())
        << "the module has regions of unknown ops, which may refer to it";
  return error;
}

static LogicalResult placeBuffers(FunctionOpInterface function) {
  if (!function.getFunctionBody().hasOneBlock())
    return function->emitOpError("must have a body of one block");
  if (failed(resultsToArguments(function)))
    return failure();
  auto lives = collectLives(function);
  if (failed(lives))
    return failure();

  SmallVector<BufferLife> buffers;
  for (auto &[alloc, life] : *lives)
    buffers.push_back(life);
  int64_t arenaBytes = packBuffers(buffers);

  OpBuilder builder(function->getContext());
  auto arenaType = MemRefType::get({arenaBytes}, builder.getI8Type());
  if (failed(function.insertArgument(0, arenaType, {}, function.getLoc())))
    return failure();
  Value arena = function.getArgument(0);
  for (auto [entry, buffer] : llvm::zip_equal(*lives, buffers)) {
    auto alloc = cast<memref::AllocOp>(entry.first);
    builder.setInsertionPoint(alloc);
    Value offset =
        arith::ConstantIndexOp::create(builder, alloc.getLoc(), buffer.offset);
    alloc.replaceAllUsesWith(memref::ViewOp::create(builder, alloc.getLoc(),
                                                    alloc.getType(), arena,
                                                    offset, ValueRange())
                                 .getResult());
    alloc.erase();
  }
  return success();
}

namespace {
struct PlaceBuffers : ckpt::impl::PlaceBuffersBase<PlaceBuffers> {
  void runOnOperation() override {
    auto place = [&](FunctionOpInterface function) -> LogicalResult {
      if (failed(checkNoReferences(function, getOperation())))
        return failure();
      return placeBuffers(function);
    };
    if (failed(forEachFunction(getOperation(), place)))
      signalPassFailure();
  }
};
} // namespace
