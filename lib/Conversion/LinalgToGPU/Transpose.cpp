//===- Transpose.cpp - Parallel kernels that turn their operands ----------===//
//
// Where results are neighbours along one loop and an operand's elements along
// another, one of the two would be accessed with a stride. Instead a block
// reads a square tile of the operand along the operand's loop into shared
// memory, and computes and writes it along the results' loop.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Payload.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace ckpt {

/// Side of a tile, and how many of its rows the threads of a block are.
static constexpr int64_t tileSide = 32;
static constexpr int64_t blockRows = 8;

std::optional<Transposition> matchTransposition(LoopNest &nest) {
  // Below this a tile does not pay for its barrier.
  constexpr int64_t minSize = 16, minElements = 1024;
  if (nest.loops.size() < 2)
    return std::nullopt;
  Transposition result;
  result.outputLoop = nest.loops.size() - 1;
  auto isContiguous = [&](const Access &access, unsigned loop) {
    return !access.scalar && access.strides[loop] == 1;
  };
  for (const Access &output : nest.outputs)
    if (!isContiguous(output, result.outputLoop))
      return std::nullopt;
  SmallVector<Value> yields(nest.payload().getTerminator()->getOperands());
  int64_t inputLoop = -1;
  for (unsigned input : usedInputs(nest, yields).set_bits()) {
    const Access &access = nest.inputs[input];
    if (access.scalar || access.strides[result.outputLoop] == 0 ||
        isContiguous(access, result.outputLoop))
      continue;
    for (unsigned loop = 0; loop < result.outputLoop; ++loop) {
      if (!isContiguous(access, loop) || nest.loops[loop].size < minSize ||
          (inputLoop >= 0 && inputLoop != loop))
        continue;
      inputLoop = loop;
      result.inputs.push_back(input);
    }
  }
  int64_t outputSize = nest.loops[result.outputLoop].size;
  if (inputLoop < 0 || outputSize < minSize ||
      outputSize * nest.loops[inputLoop].size < minElements)
    return std::nullopt;
  result.inputLoop = inputLoop;
  return result;
}

namespace {

class TransposeEmitter {
public:
  TransposeEmitter(KernelBuilder &kernel, LoopNest &nest,
                   const Transposition &transposition)
      : kernel(kernel), nest(nest), transposition(transposition),
        b(kernel.builder()) {}

  LogicalResult run();

private:
  int64_t sizeOf(unsigned loop) const { return nest.loops[loop].size; }
  Point pointAt(Value inOutputLoop, Value inInputLoop);
  void enterInside(const Point &point);
  void forEachRow(function_ref<void(Value)> emit);

  KernelBuilder &kernel;
  LoopNest &nest;
  const Transposition &transposition;
  OpBuilder &b;
  /// The first element of the block's tile.
  Point start;
  Value column, firstRow;
};

} // namespace

/// The element of the tile at these places along the two loops.
Point TransposeEmitter::pointAt(Value inOutputLoop, Value inInputLoop) {
  Point point = start;
  Value &output = point.indices[transposition.outputLoop];
  Value &input = point.indices[transposition.inputLoop];
  output = kernel.add(output, inOutputLoop);
  input = kernel.add(input, inInputLoop);
  return point;
}

void TransposeEmitter::enterInside(const Point &point) {
  for (unsigned loop : {transposition.outputLoop, transposition.inputLoop})
    if (sizeOf(loop) % tileSide != 0)
      kernel.enterIf(kernel.isBelow(point.indices[loop], sizeOf(loop)));
}

void TransposeEmitter::forEachRow(function_ref<void(Value)> emit) {
  for (int64_t row = 0; row < tileSide; row += blockRows) {
    OpBuilder::InsertionGuard guard(b);
    emit(kernel.add(firstRow, kernel.index(row)));
  }
}

LogicalResult TransposeEmitter::run() {
  SmallVector<int64_t> blocks;
  int64_t gridSize = 1;
  for (unsigned loop = 0; loop < nest.loops.size(); ++loop) {
    bool isTiled =
        loop == transposition.outputLoop || loop == transposition.inputLoop;
    blocks.push_back(isTiled ? llvm::divideCeil(sizeOf(loop), tileSide)
                             : sizeOf(loop));
    gridSize *= blocks.back();
  }
  OpBuilder::InsertionGuard guard(b);
  start.indices = kernel.delinearize(kernel.blockId(), blocks);
  for (unsigned loop : {transposition.outputLoop, transposition.inputLoop})
    start.indices[loop] = kernel.mul(start.indices[loop], tileSide);
  Value thread = kernel.threadId();
  column = kernel.rem(thread, tileSide);
  firstRow = kernel.div(thread, tileSide);

  // One column more, so that a column of a tile lies in different banks.
  constexpr int64_t pitch = tileSide + 1;
  SmallVector<Value> tiles;
  for (unsigned input : transposition.inputs) {
    const Access &access = nest.inputs[input];
    Value tile = kernel.sharedBuffer(access.view.elementType, tileSide * pitch);
    tiles.push_back(tile);
    forEachRow([&](Value row) {
      Point point = pointAt(/*inOutputLoop=*/row, /*inInputLoop=*/column);
      enterInside(point);
      Value address = kernel.add(kernel.mul(row, pitch), column);
      memref::StoreOp::create(
          b, kernel.loc(), loadOperand(kernel, access, point), tile, address);
    });
  }
  gpu::BarrierOp::create(b, kernel.loc());
  SmallVector<Value> yields(nest.payload().getTerminator()->getOperands());
  forEachRow([&](Value row) {
    Point point = pointAt(/*inOutputLoop=*/column, /*inInputLoop=*/row);
    enterInside(point);
    IRMapping known;
    Value address = kernel.add(kernel.mul(column, pitch), row);
    for (auto [input, tile] : llvm::zip_equal(transposition.inputs, tiles))
      known.map(
          nest.payload().getArgument(input),
          memref::LoadOp::create(b, kernel.loc(), tile, address).getResult());
    SmallVector<Value> results =
        emitPayload(kernel, nest, point, yields, known);
    for (auto [value, output] : llvm::zip_equal(results, nest.outputs))
      storeOperand(kernel, value, output, point);
  });
  return kernel.finish(gridSize, tileSide * blockRows);
}

LogicalResult emitTransposition(KernelBuilder &kernel, LoopNest &nest,
                                const Transposition &transposition) {
  return TransposeEmitter(kernel, nest, transposition).run();
}

} // namespace ckpt
