//===- PlaceBuffers.cpp - Give every buffer an offset in one arena --------===//

#include "ckpt/Conversion/Passes.h"
#include "ckpt/IR/Buffers.h"
#include "ckpt/IR/Functions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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
// Packing
//===----------------------------------------------------------------------===//

namespace {
/// A buffer alive from position `begin` to position `end` of the block, both
/// included.
struct Interval {
  int64_t bytes = 0;
  int64_t begin = -1;
  int64_t end = -1;
  int64_t offset = 0;

  bool overlaps(const Interval &other) const {
    return begin <= other.end && other.begin <= end;
  }
};
} // namespace

/// Places the buffers in the given order, each into the smallest gap between
/// those that live at the same time; returns the arena's size. O(n^2).
static int64_t placeInOrder(MutableArrayRef<Interval> buffers,
                            ArrayRef<unsigned> order) {
  int64_t arena = 0;
  SmallVector<const Interval *> placed; // by offset
  for (unsigned index : order) {
    Interval &buffer = buffers[index];
    int64_t best = -1, bestGap = std::numeric_limits<int64_t>::max();
    int64_t free = 0;
    for (const Interval *other : placed) {
      if (!other->overlaps(buffer))
        continue;
      int64_t gap = other->offset - free;
      if (gap >= buffer.bytes && gap < bestGap) {
        best = free;
        bestGap = gap;
      }
      free = std::max(free, other->offset + other->bytes);
    }
    buffer.offset = best >= 0 ? best : free;
    arena = std::max(arena, buffer.offset + buffer.bytes);
    auto *position = llvm::upper_bound(
        placed, &buffer, [](const Interval *a, const Interval *b) {
          return a->offset < b->offset;
        });
    placed.insert(position, &buffer);
  }
  return arena;
}

/// Chooses offsets; returns the arena's size. Tries several orders and keeps
/// the best: by size, by size times lifetime, by first use.
static int64_t packBuffers(MutableArrayRef<Interval> buffers) {
  using Key = std::function<std::pair<int64_t, int64_t>(const Interval &)>;
  const Key keys[] = {
      [](const Interval &b) { return std::pair(-b.bytes, b.begin); },
      [](const Interval &b) {
        double area = static_cast<double>(b.bytes) * (b.end - b.begin + 1);
        return std::pair(-static_cast<int64_t>(std::min(area, 1e18)), b.begin);
      },
      [](const Interval &b) { return std::pair(b.begin, -b.bytes); },
  };
  int64_t best = std::numeric_limits<int64_t>::max();
  SmallVector<int64_t> bestOffsets(buffers.size());
  for (const Key &key : keys) {
    auto order = llvm::to_vector(llvm::seq<unsigned>(0, buffers.size()));
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return std::pair(key(buffers[a]), a) < std::pair(key(buffers[b]), b);
    });
    int64_t arena = placeInOrder(buffers, order);
    if (arena >= best)
      continue;
    best = arena;
    for (auto [offset, buffer] : llvm::zip_equal(bestOffsets, buffers))
      offset = buffer.offset;
  }
  for (auto [offset, buffer] : llvm::zip_equal(bestOffsets, buffers))
    buffer.offset = offset;
  return buffers.empty() ? 0 : best;
}

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
static FailureOr<llvm::MapVector<Operation *, Interval>>
collectLives(FunctionOpInterface function) {
  Block &body = function.getFunctionBody().front();
  llvm::MapVector<Operation *, Interval> lives;
  WalkResult walk = function->walk([&](memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    if (alloc->getBlock() != &body || !type.hasStaticShape() ||
        !type.getLayout().isIdentity()) {
      alloc->emitOpError("cannot be placed in the arena: only allocations of "
                         "static size at the top of a function can");
      return WalkResult::interrupt();
    }
    int64_t bits =
        type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
    int64_t bytes = type.getNumElements() * llvm::divideCeil(bits, 8);
    lives[alloc].bytes = llvm::alignTo(bytes, bufferAlignment);
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
          Interval &life = lives[root];
          life.begin = life.begin < 0 ? position : life.begin;
          life.end = position;
        }
    });
  }
  return lives;
}

static LogicalResult placeBuffers(FunctionOpInterface function) {
  if (!function.getFunctionBody().hasOneBlock())
    return function->emitOpError("must have a body of one block");
  if (failed(resultsToArguments(function)))
    return failure();
  auto lives = collectLives(function);
  if (failed(lives))
    return failure();

  SmallVector<Interval> buffers;
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
    if (failed(forEachFunction(getOperation(), placeBuffers)))
      signalPassFailure();
  }
};
} // namespace
