//===- Contraction.cpp - Tiled products through shared memory -------------===//
//
// out[batch, row, column] += sum over depth of left[batch, row, depth] *
// right[batch, depth, column], where each of the four is any set of loops. A
// block of 16 x 16 threads computes one tile of rows x columns; tiles of both
// factors pass through shared memory, already converted to the accumulator's
// type. As addresses are linear in the loops, convolutions are contractions
// too: the window's loops are part of depth.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Payload.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace ckpt {

/// Threads of a block along the rows, and along the columns, of its tile.
static constexpr int64_t blockSide = 16;
static constexpr int64_t blockThreads = blockSide * blockSide;

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

/// Which loops the payload's `value` depends on, through operands that it reads
/// and indices that it asks for. False if it reads memory in other ways or an
/// output.
static bool findLoops(LoopNest &nest, Value value, llvm::BitVector &loops) {
  SmallVector<Value> roots{value};
  for (Operation *op : payloadSlice(nest.payload(), value)) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      if (int64_t loop = nest.loopOfOriginal[index.getDim()]; loop >= 0)
        loops.set(loop);
      continue;
    }
    if (!isPure(op) || op->getNumRegions() != 0)
      return false;
    llvm::append_range(roots, op->getOperands());
  }
  for (Value root : roots) {
    auto argument = dyn_cast<BlockArgument>(root);
    if (!argument || argument.getOwner() != &nest.payload())
      continue;
    if (argument.getArgNumber() >= nest.numInputs())
      return false;
    for (auto [loop, stride] :
         llvm::enumerate(nest.inputs[argument.getArgNumber()].strides))
      if (stride != 0)
        loops.set(loop);
  }
  return true;
}

static bool isContiguous(const Access &access, ArrayRef<unsigned> loops) {
  return !loops.empty() && access.strides[loops.back()] == 1;
}

std::optional<Contraction> matchContraction(LoopNest &nest) {
  if (nest.outputs.size() != 1)
    return std::nullopt;
  std::optional<Combiner> combiner = matchCombiner(nest, 0);
  if (!combiner || !isa<arith::AddFOp, arith::AddIOp>(combiner->op))
    return std::nullopt;
  Operation *product = combiner->value.getDefiningOp();
  if (!product || product->getBlock() != &nest.payload() ||
      !isa<arith::MulFOp, arith::MulIOp>(product))
    return std::nullopt;
  Contraction result{
      *combiner, product->getOperand(0), product->getOperand(1), {}, {}, {},
      {}};
  llvm::BitVector left(nest.loops.size()), right(nest.loops.size());
  if (!findLoops(nest, result.left, left) ||
      !findLoops(nest, result.right, right))
    return std::nullopt;
  for (auto [number, loop] : llvm::enumerate(nest.loops)) {
    bool isStored = nest.outputs.front().strides[number] != 0;
    if (isStored == loop.isReduction)
      return std::nullopt;
    if (loop.isReduction) {
      // A sum over one factor alone is a reduction of it.
      if (!left.test(number) || !right.test(number))
        return std::nullopt;
      result.depth.push_back(number);
    } else if (left.test(number) == right.test(number)) {
      result.batch.push_back(number);
    } else {
      (left.test(number) ? result.rows : result.columns).push_back(number);
    }
  }
  if (result.rows.empty() || result.columns.empty())
    return std::nullopt;
  // Neighbouring threads write neighbouring columns.
  if (isContiguous(nest.outputs.front(), result.rows)) {
    std::swap(result.left, result.right);
    std::swap(result.rows, result.columns);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {

/// A tile of one factor in shared memory: `depth` x `side` elements, a row of
/// it padded so that the stores of a column do not meet in one bank.
struct FactorTile {
  Value factor;
  ArrayRef<unsigned> sideLoops;
  int64_t side;
  Value sideStart;
  Value buffer;
  int64_t pitch;
};

class ContractionEmitter {
public:
  ContractionEmitter(KernelBuilder &kernel, LoopNest &nest,
                     const Contraction &contraction)
      : kernel(kernel), nest(nest), contraction(contraction),
        b(kernel.builder()), type(contraction.combiner.type) {}

  LogicalResult run();

private:
  void chooseTile();
  void setIndices(Point &point, ArrayRef<unsigned> loops, Value linear);
  FactorTile makeTile(Value factor, ArrayRef<unsigned> loops, int64_t side,
                      Value start);
  bool walksDepthFirst(Value factor) const;
  void loadTile(const FactorTile &tile, Value depthStart);
  Value multiplyAdd(Value lhs, Value rhs, Value accumulator);
  SmallVector<Value> multiplyTiles(const FactorTile &left,
                                   const FactorTile &right,
                                   ValueRange accumulators);
  void storeResults(Value rowStart, Value columnStart, ValueRange totals);
  Value accumulatorElement(Value accumulator, int64_t column);

  int64_t sizeOf(ArrayRef<unsigned> loops) const { return nest.sizeOf(loops); }

  KernelBuilder &kernel;
  LoopNest &nest;
  const Contraction &contraction;
  OpBuilder &b;
  /// Of the accumulator.
  Type type;
  int64_t tileRows = 0, tileColumns = 0, tileDepth = 0;
  /// Results of one thread.
  int64_t threadRows = 0, threadColumns = 0;
  Value thread, threadRow, threadColumn;
  /// Indices of the block's batch.
  Point batchPoint;
};

} // namespace

/// The smallest of 16, 32 and 64 that covers `size`.
static int64_t tileSide(int64_t size) {
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(size), blockSide,
                             4 * blockSide);
}

void ContractionEmitter::chooseTile() {
  int64_t rows = sizeOf(contraction.rows);
  int64_t columns = sizeOf(contraction.columns);
  int64_t batch = sizeOf(contraction.batch);
  tileRows = tileSide(rows);
  tileColumns = tileSide(columns);
  // Smaller tiles where large ones would leave most of a device idle.
  constexpr int64_t enoughBlocks = 64;
  auto blocks = [&] {
    return batch * llvm::divideCeil(rows, tileRows) *
           llvm::divideCeil(columns, tileColumns);
  };
  while (blocks() < enoughBlocks && std::max(tileRows, tileColumns) > 32)
    (tileRows >= tileColumns ? tileRows : tileColumns) /= 2;
  tileDepth = elementBytes(type) > 4 ? 8 : 16;
  threadRows = tileRows / blockSide;
  threadColumns = tileColumns / blockSide;
}

void ContractionEmitter::setIndices(Point &point, ArrayRef<unsigned> loops,
                                    Value linear) {
  SmallVector<int64_t> sizes;
  for (unsigned loop : loops)
    sizes.push_back(nest.loops[loop].size);
  for (auto [loop, index] :
       llvm::zip_equal(loops, kernel.delinearize(linear, sizes)))
    point.indices[loop] = index;
}

FactorTile ContractionEmitter::makeTile(Value factor, ArrayRef<unsigned> loops,
                                        int64_t side, Value start) {
  int64_t pitch = side + 16 / elementBytes(type);
  Value buffer = kernel.sharedBuffer(type, tileDepth * pitch);
  return {factor, loops, side, start, buffer, pitch};
}

/// Whether neighbours in depth are neighbours in the memory of the operand that
/// `factor` reads.
bool ContractionEmitter::walksDepthFirst(Value factor) const {
  SmallVector<Value> roots{factor};
  for (Operation *op : payloadSlice(nest.payload(), factor))
    llvm::append_range(roots, op->getOperands());
  for (Value root : roots)
    if (auto argument = dyn_cast<BlockArgument>(root);
        argument && argument.getOwner() == &nest.payload() &&
        isContiguous(nest.inputs[argument.getArgNumber()], contraction.depth))
      return true;
  return false;
}

/// All threads fill the tile; elements beyond the operands' ends are zero.
void ContractionEmitter::loadTile(const FactorTile &tile, Value depthStart) {
  int64_t depth = sizeOf(contraction.depth), side = sizeOf(tile.sideLoops);
  int64_t elements = tile.side * tileDepth;
  bool depthFirst = walksDepthFirst(tile.factor);
  for (int64_t first = 0; first < elements; first += blockThreads) {
    OpBuilder::InsertionGuard guard(b);
    Value element = kernel.add(thread, kernel.index(first));
    if (first + blockThreads > elements)
      kernel.enterIf(kernel.isBelow(element, elements));
    int64_t inner = depthFirst ? tileDepth : tile.side;
    Value outerIndex = kernel.div(element, inner);
    Value innerIndex = kernel.rem(element, inner);
    Value inDepth = depthFirst ? innerIndex : outerIndex;
    Value inSide = depthFirst ? outerIndex : innerIndex;
    Value depthIndex = kernel.add(depthStart, inDepth);
    Value sideIndex = kernel.add(tile.sideStart, inSide);

    Value isInside;
    if (depth % tileDepth != 0)
      isInside = kernel.isBelow(depthIndex, depth);
    if (side % tile.side != 0) {
      Value isInSide = kernel.isBelow(sideIndex, side);
      isInside =
          isInside ? arith::AndIOp::create(b, kernel.loc(), isInside, isInSide)
                         .getResult()
                   : isInSide;
    }
    auto load = [&]() -> Value {
      Point point = batchPoint;
      setIndices(point, tile.sideLoops, sideIndex);
      setIndices(point, contraction.depth, depthIndex);
      Value value = emitPayload(kernel, nest, point, tile.factor).front();
      return isa<FloatType>(type) ? convertFloat(kernel, value, type) : value;
    };
    Value value;
    if (!isInside) {
      value = load();
    } else {
      auto branch = scf::IfOp::create(b, kernel.loc(), type, isInside,
                                      /*withElseRegion=*/true);
      OpBuilder::InsertionGuard inBranch(b);
      b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(b, kernel.loc(), load());
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, kernel.loc(), kernel.zero(type));
      value = branch.getResult(0);
    }
    Value address = kernel.add(kernel.mul(inDepth, tile.pitch), inSide);
    memref::StoreOp::create(b, kernel.loc(), value, tile.buffer, address);
  }
}

Value ContractionEmitter::multiplyAdd(Value lhs, Value rhs, Value accumulator) {
  if (isa<FloatType>(type))
    return math::FmaOp::create(b, kernel.loc(), lhs, rhs, accumulator);
  Value product = arith::MulIOp::create(b, kernel.loc(), lhs, rhs);
  return arith::AddIOp::create(b, kernel.loc(), accumulator, product);
}

/// Adds the product of the two tiles. A thread has `threadRows` accumulators,
/// each a vector of `threadColumns` elements (a scalar if that is one).
SmallVector<Value> ContractionEmitter::multiplyTiles(const FactorTile &left,
                                                     const FactorTile &right,
                                                     ValueRange accumulators) {
  auto loop = scf::ForOp::create(b, kernel.loc(), kernel.index(0),
                                 kernel.index(tileDepth), kernel.index(1),
                                 accumulators);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  auto loadPart = [&](const FactorTile &tile, Value part,
                      int64_t count) -> Value {
    Value address = kernel.add(kernel.mul(loop.getInductionVar(), tile.pitch),
                               kernel.mul(part, count));
    if (count == 1)
      return memref::LoadOp::create(b, kernel.loc(), tile.buffer, address);
    int64_t bytes = std::min<int64_t>(16, count * elementBytes(type));
    return vector::LoadOp::create(
        b, kernel.loc(), VectorType::get({count}, type), tile.buffer, address,
        /*nontemporal=*/false, llvm::Align(bytes));
  };
  Value leftPart = loadPart(left, threadRow, threadRows);
  Value rightPart = loadPart(right, threadColumn, threadColumns);
  SmallVector<Value> next;
  for (auto [row, accumulator] : llvm::enumerate(loop.getRegionIterArgs())) {
    Value factor =
        threadRows == 1
            ? leftPart
            : vector::ExtractOp::create(b, kernel.loc(), leftPart, int64_t(row))
                  .getResult();
    if (threadColumns > 1)
      factor = vector::BroadcastOp::create(b, kernel.loc(), rightPart.getType(),
                                           factor);
    next.push_back(multiplyAdd(factor, rightPart, accumulator));
  }
  scf::YieldOp::create(b, kernel.loc(), next);
  return SmallVector<Value>(loop.getResults());
}

Value ContractionEmitter::accumulatorElement(Value accumulator,
                                             int64_t column) {
  if (threadColumns == 1)
    return accumulator;
  return vector::ExtractOp::create(b, kernel.loc(), accumulator, column);
}

void ContractionEmitter::storeResults(Value rowStart, Value columnStart,
                                      ValueRange totals) {
  int64_t rows = sizeOf(contraction.rows);
  int64_t columns = sizeOf(contraction.columns);
  Value firstRow = kernel.add(rowStart, kernel.mul(threadRow, threadRows));
  Value firstColumn =
      kernel.add(columnStart, kernel.mul(threadColumn, threadColumns));
  for (int64_t row = 0; row < threadRows; ++row) {
    OpBuilder::InsertionGuard rowGuard(b);
    Value rowIndex = kernel.add(firstRow, kernel.index(row));
    if (rows % tileRows != 0)
      kernel.enterIf(kernel.isBelow(rowIndex, rows));
    Point point = batchPoint;
    setIndices(point, contraction.rows, rowIndex);
    for (int64_t column = 0; column < threadColumns; ++column) {
      OpBuilder::InsertionGuard columnGuard(b);
      Value columnIndex = kernel.add(firstColumn, kernel.index(column));
      if (columns % tileColumns != 0)
        kernel.enterIf(kernel.isBelow(columnIndex, columns));
      setIndices(point, contraction.columns, columnIndex);
      Value total = accumulatorElement(totals[row], column);
      Value initial = loadInitial(kernel, nest, /*output=*/0, point);
      Type stored = initial.getType();
      bool isFloat = isa<FloatType>(type);
      if (isFloat)
        initial = convertFloat(kernel, initial, type);
      total = contraction.combiner.combine(kernel, initial, total);
      if (isFloat)
        total = convertFloat(kernel, total, stored);
      storeOperand(kernel, total, nest.outputs.front(), point);
    }
  }
}

LogicalResult ContractionEmitter::run() {
  chooseTile();
  int64_t rowTiles = llvm::divideCeil(sizeOf(contraction.rows), tileRows);
  int64_t columnTiles =
      llvm::divideCeil(sizeOf(contraction.columns), tileColumns);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Value> block = kernel.delinearize(
      kernel.blockId(), {sizeOf(contraction.batch), rowTiles, columnTiles});
  thread = kernel.threadId();
  threadRow = kernel.div(thread, blockSide);
  threadColumn = kernel.rem(thread, blockSide);
  batchPoint.indices.resize(nest.loops.size());
  setIndices(batchPoint, contraction.batch, block[0]);
  Value rowStart = kernel.mul(block[1], tileRows);
  Value columnStart = kernel.mul(block[2], tileColumns);
  FactorTile left =
      makeTile(contraction.left, contraction.rows, tileRows, rowStart);
  FactorTile right = makeTile(contraction.right, contraction.columns,
                              tileColumns, columnStart);

  Type partType =
      threadColumns == 1 ? type : VectorType::get({threadColumns}, type);
  SmallVector<Value> accumulators(threadRows, kernel.zero(partType));
  auto loop = scf::ForOp::create(b, kernel.loc(), kernel.index(0),
                                 kernel.index(sizeOf(contraction.depth)),
                                 kernel.index(tileDepth), accumulators);
  {
    OpBuilder::InsertionGuard inLoop(b);
    b.setInsertionPointToStart(loop.getBody());
    loadTile(left, loop.getInductionVar());
    loadTile(right, loop.getInductionVar());
    gpu::BarrierOp::create(b, kernel.loc());
    SmallVector<Value> next =
        multiplyTiles(left, right, loop.getRegionIterArgs());
    // The next tiles overwrite what other threads may still read.
    gpu::BarrierOp::create(b, kernel.loc());
    scf::YieldOp::create(b, kernel.loc(), next);
  }
  storeResults(rowStart, columnStart, loop.getResults());
  return kernel.finish(sizeOf(contraction.batch) * rowTiles * columnTiles,
                       blockThreads);
}

LogicalResult emitContraction(KernelBuilder &kernel, LoopNest &nest,
                              const Contraction &contraction) {
  return ContractionEmitter(kernel, nest, contraction).run();
}

} // namespace ckpt
