//===- Elementwise.cpp - Kernels whose loops are all parallel -------------===//

#include "Kernels.h"
#include "Payload.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace ckpt {

static constexpr int64_t maxBlockSize = 256;
static constexpr int64_t warpSize = 32;

static void emitBody(KernelBuilder &kernel, LoopNest &nest,
                     const Point &point) {
  auto yields = nest.payload().getTerminator()->getOperands();
  SmallVector<Value> results =
      emitPayload(kernel, nest, point, SmallVector<Value>(yields));
  for (auto [value, output] : llvm::zip_equal(results, nest.outputs))
    storeOperand(kernel, value, output, point);
}

/// The indices of thread `thread`, where the innermost loop advances by
/// `width`.
static Point pointOfThread(KernelBuilder &kernel, const LoopNest &nest,
                           Value thread, int64_t width) {
  SmallVector<int64_t> sizes;
  for (const Loop &loop : nest.loops)
    sizes.push_back(loop.size);
  Point point;
  if (sizes.empty())
    return point;
  sizes.back() /= width;
  point.indices = kernel.delinearize(thread, sizes);
  point.indices.back() = kernel.mul(point.indices.back(), width);
  point.vectorLoop = sizes.size() - 1;
  point.width = width;
  return point;
}

/// One thread per element, or per vector of elements along the innermost loop.
/// Where there is one loop only, its length need not be divisible: threads
/// after those with vectors take the remaining elements one by one.
LogicalResult emitElementwise(KernelBuilder &kernel, LoopNest &nest) {
  for (const Access &output : nest.outputs)
    if (llvm::is_contained(output.strides, 0))
      return nest.op.emitOpError(
          "writes one element in several iterations of a parallel loop");

  if (std::optional<Transposition> transposition = matchTransposition(nest))
    return emitTransposition(kernel, nest, *transposition);

  SmallVector<Value> yields(nest.payload().getTerminator()->getOperands());
  SmallVector<const Access *> stored;
  for (const Access &output : nest.outputs)
    stored.push_back(&output);
  bool isFlat = nest.loops.size() == 1;
  int64_t width = nest.loops.empty()
                      ? 1
                      : payloadWidth(nest, nest.loops.size() - 1, yields,
                                     stored, /*withTail=*/isFlat);
  int64_t elements = 1;
  for (const Loop &loop : nest.loops)
    elements *= loop.size;
  int64_t vectors = elements / width, tail = elements % width;
  int64_t threads = vectors + tail;
  int64_t blockSize =
      std::min(maxBlockSize, int64_t(llvm::alignTo(threads, warpSize)));
  int64_t gridSize = llvm::divideCeil(threads, blockSize);

  OpBuilder &b = kernel.builder();
  OpBuilder::InsertionGuard guard(b);
  Value thread =
      kernel.add(kernel.mul(kernel.blockId(), blockSize), kernel.threadId());
  if (tail == 0) {
    if (threads % blockSize != 0)
      kernel.enterIf(kernel.isBelow(thread, threads));
    emitBody(kernel, nest, pointOfThread(kernel, nest, thread, width));
  } else {
    auto branch =
        scf::IfOp::create(b, kernel.loc(), kernel.isBelow(thread, vectors),
                          /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    emitBody(kernel, nest, pointOfThread(kernel, nest, thread, width));
    b.setInsertionPointToStart(branch.elseBlock());
    if (threads % blockSize != 0)
      kernel.enterIf(kernel.isBelow(thread, threads));
    Point last;
    last.indices = {kernel.add(thread, kernel.index(vectors * (width - 1)))};
    emitBody(kernel, nest, last);
  }
  return kernel.finish(gridSize, blockSize);
}

} // namespace ckpt
