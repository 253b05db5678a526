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
#include <numeric>

using namespace mlir;

namespace ckpt {

/// Threads of a block along the rows, and along the columns, of its tile.
static constexpr int64_t blockSide = 16;
static constexpr int64_t blockThreads = blockSide * blockSide;

namespace {

/// How threads walk the memory of a factor: along its depth, else along its
/// side, `width` elements at a time.
struct FactorWalk {
  bool isDepthFirst = false;
  int64_t width = 1;
};

/// A tile of one factor in shared memory: `depth` x `side` elements, a row of
/// it padded so that the stores of a column do not meet in one bank.
struct FactorTile {
  Value factor;
  ArrayRef<unsigned> sideLoops;
  FactorWalk walk;
  int64_t side = 0;
  Value sideStart;
  Value buffer;
  int64_t pitch = 0;
};

class ContractionEmitter {
public:
  ContractionEmitter(KernelBuilder &kernel, LoopNest &nest,
                     const Contraction &contraction)
      : kernel(kernel), nest(nest), contraction(contraction),
        b(kernel.builder()), type(contraction.combiner.type) {}

  LogicalResult run();

private:
  FactorWalk chooseWalk(Value factor, ArrayRef<unsigned> sideLoops);
  void chooseTile();
  void setIndices(Point &point, ArrayRef<unsigned> loops, Value linear);
  FactorTile makeTile(Value factor, ArrayRef<unsigned> loops, int64_t side,
                      Value start);
  void storeToTile(const FactorTile &tile, Value value, Value inDepth,
                   Value inSide);
  void loadTile(const FactorTile &tile, Value depthStart);
  Value multiplyAdd(Value lhs, Value rhs, Value accumulator);
  SmallVector<Value> multiplyTiles(const FactorTile &left,
                                   const FactorTile &right,
                                   ValueRange accumulators);
  void storeResults(Value rowStart, Value columnStart, ValueRange totals);
  Value accumulatorPart(Value accumulator, int64_t column, int64_t width);

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

/// The smallest of 16, 32, 64 and 128 that covers `size`.
static int64_t tileSide(int64_t size) {
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(size), blockSide,
                             8 * blockSide);
}

/// Neighbouring threads read neighbours in memory.
FactorWalk ContractionEmitter::chooseWalk(Value factor,
                                          ArrayRef<unsigned> sideLoops) {
  FactorWalk walk;
  unsigned depthLoop = contraction.depth.back();
  for (unsigned input : usedInputs(nest, factor).set_bits())
    walk.isDepthFirst |= nest.inputs[input].strides[depthLoop] == 1;
  walk.width =
      payloadWidth(nest, walk.isDepthFirst ? depthLoop : sideLoops.back(),
                   factor, /*stored=*/{}, /*withTail=*/false);
  return walk;
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
  // Large tiles need the registers that wide accumulators, or addresses of
  // single elements, would take.
  bool isWide = elementBytes(type) > 4;
  int64_t width =
      std::min(chooseWalk(contraction.left, contraction.rows).width,
               chooseWalk(contraction.right, contraction.columns).width);
  if (isWide || width < 4) {
    tileRows = std::min(tileRows, 4 * blockSide);
    tileColumns = std::min(tileColumns, 4 * blockSide);
  }
  tileDepth = isWide ? 8 : 16;
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
  FactorTile tile;
  tile.factor = factor;
  tile.sideLoops = loops;
  tile.walk = chooseWalk(factor, loops);
  tile.side = side;
  tile.sideStart = start;
  tile.pitch = side + 16 / elementBytes(type);
  tile.buffer = kernel.sharedBuffer(type, tileDepth * tile.pitch);
  return tile;
}

/// Puts the elements of a vector along the tile's depth into its rows, or those
/// of one along its side into one row.
void ContractionEmitter::storeToTile(const FactorTile &tile, Value value,
                                     Value inDepth, Value inSide) {
  Value address = kernel.add(kernel.mul(inDepth, tile.pitch), inSide);
  if (tile.walk.width == 1) {
    memref::StoreOp::create(b, kernel.loc(), value, tile.buffer, address);
    return;
  }
  if (!tile.walk.isDepthFirst) {
    int64_t bytes =
        std::min(maxAccessBytes, tile.walk.width * elementBytes(type));
    vector::StoreOp::create(b, kernel.loc(), value, tile.buffer, address,
                            /*nontemporal=*/false, llvm::Align(bytes));
    return;
  }
  for (int64_t element = 0; element < tile.walk.width; ++element)
    memref::StoreOp::create(
        b, kernel.loc(),
        vector::ExtractOp::create(b, kernel.loc(), value, element), tile.buffer,
        kernel.add(address, kernel.index(element * tile.pitch)));
}

/// All threads fill the tile; elements beyond the operands' ends are zero.
void ContractionEmitter::loadTile(const FactorTile &tile, Value depthStart) {
  int64_t depth = sizeOf(contraction.depth), side = sizeOf(tile.sideLoops);
  int64_t accesses = tile.side * tileDepth / tile.walk.width;
  Type partType =
      tile.walk.width == 1 ? type : VectorType::get({tile.walk.width}, type);
  for (int64_t first = 0; first < accesses; first += blockThreads) {
    OpBuilder::InsertionGuard guard(b);
    Value number = kernel.add(thread, kernel.index(first));
    if (first + blockThreads > accesses)
      kernel.enterIf(kernel.isBelow(number, accesses));
    int64_t inner =
        (tile.walk.isDepthFirst ? tileDepth : tile.side) / tile.walk.width;
    Value outerIndex = kernel.div(number, inner);
    Value innerIndex = kernel.mul(kernel.rem(number, inner), tile.walk.width);
    Value inDepth = tile.walk.isDepthFirst ? innerIndex : outerIndex;
    Value inSide = tile.walk.isDepthFirst ? outerIndex : innerIndex;
    Value depthIndex = kernel.add(depthStart, inDepth);
    Value sideIndex = kernel.add(tile.sideStart, inSide);

    // A vector is all inside or all outside: its width divides the sizes.
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
      point.vectorLoop = tile.walk.isDepthFirst ? contraction.depth.back()
                                                : tile.sideLoops.back();
      point.width = tile.walk.width;
      Value value = emitPayload(kernel, nest, point, tile.factor).front();
      return contraction.combiner.widen(kernel, value);
    };
    Value value;
    if (!isInside) {
      value = load();
    } else {
      auto branch = scf::IfOp::create(b, kernel.loc(), partType, isInside,
                                      /*withElseRegion=*/true);
      OpBuilder::InsertionGuard inBranch(b);
      b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(b, kernel.loc(), load());
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, kernel.loc(), kernel.zero(partType));
      value = branch.getResult(0);
    }
    storeToTile(tile, value, inDepth, inSide);
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
    int64_t bytes = std::min(maxAccessBytes, count * elementBytes(type));
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

/// The elements `column`, ... of an accumulator, `width` of them.
Value ContractionEmitter::accumulatorPart(Value accumulator, int64_t column,
                                          int64_t width) {
  if (width == threadColumns)
    return accumulator;
  if (width == 1)
    return vector::ExtractOp::create(b, kernel.loc(), accumulator, column);
  SmallVector<int64_t> positions(width);
  std::iota(positions.begin(), positions.end(), column);
  return vector::ShuffleOp::create(b, kernel.loc(), accumulator, accumulator,
                                   positions);
}

void ContractionEmitter::storeResults(Value rowStart, Value columnStart,
                                      ValueRange totals) {
  int64_t rows = sizeOf(contraction.rows);
  int64_t columns = sizeOf(contraction.columns);
  const Access &output = nest.outputs.front();
  int64_t width = std::min(
      threadColumns, accessWidth(nest, output, contraction.columns.back()));
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
    point.vectorLoop = contraction.columns.back();
    point.width = width;
    for (int64_t column = 0; column < threadColumns; column += width) {
      OpBuilder::InsertionGuard columnGuard(b);
      Value columnIndex = kernel.add(firstColumn, kernel.index(column));
      if (columns % tileColumns != 0)
        kernel.enterIf(kernel.isBelow(columnIndex, columns));
      setIndices(point, contraction.columns, columnIndex);
      Value total = accumulatorPart(totals[row], column, width);
      Value initial = loadInitial(kernel, nest, /*output=*/0, point);
      Type stored = getElementTypeOrSelf(initial.getType());
      total = contraction.combiner.combine(
          kernel, contraction.combiner.widen(kernel, initial), total);
      total = contraction.combiner.narrow(kernel, total, stored);
      storeOperand(kernel, total, output, point);
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
