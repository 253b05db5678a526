//===- Reduction.cpp - Kernels that reduce any set of loops ---------------===//
//
// A block has `kept` x `lanes` threads. Each kept index (an element of the
// outputs) has `lanes` threads that share its iterations in turn; what they
// found is combined in an order that depends on the sizes alone, so that a
// recomputation gives the same bits.
//
//   rows:     the reduced loop is contiguous in memory; the lanes of one
//   element
//             are neighbours, combined by shuffles and then across warps;
//   columns:  a kept loop is contiguous; neighbours are different elements, the
//             lanes of one element are combined through shared memory.
//
// A payload that is no plain combination (the index of a maximum, say) runs
// with one thread per element, in program order.
//
//===----------------------------------------------------------------------===//

#include "Accumulator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace ckpt {

static constexpr int64_t warpSize = 32;
static constexpr int64_t blockThreads = 256;
/// Of a block that shares one long reduction: each has 128 registers then.
static constexpr int64_t maxThreads = 512;

namespace {

/// How the threads of a block share the work.
struct Layout {
  bool isRows = true;
  int64_t kept = blockThreads;
  int64_t lanes = 1;
  /// Elements that a thread takes at once along the innermost reduced loop.
  int64_t width = 1;

  int64_t threads() const { return kept * lanes; }
};

/// What is known about the nest's outputs.
struct Outputs {
  /// Accumulated over the reduced loops, by output number.
  SmallVector<unsigned> carried;
  /// Written in each iteration.
  SmallVector<unsigned> streamed;
};

class ReductionEmitter {
public:
  ReductionEmitter(KernelBuilder &kernel, LoopNest &nest)
      : kernel(kernel), nest(nest), b(kernel.builder()),
        keptLoops(nest.parallelLoops()), reducedLoops(nest.reductionLoops()) {}

  LogicalResult run();

private:
  LogicalResult classifyOutputs();
  Layout chooseLayout();
  Point pointOfKept(Value kept);
  void setReduced(Point &point, Value reduced, int64_t width);
  LogicalResult emitSequential();
  LogicalResult emitCombined();
  SmallVector<Value> emitPartials(const Layout &layout, Value lane,
                                  Value keptIndex);
  Value programOrder(const Point &point);
  SmallVector<Value> identities(const Point &point);
  SmallVector<Value> combineStates(ValueRange lhs, ValueRange rhs);
  SmallVector<Value> combineElements(ValueRange state, int64_t width);
  SmallVector<Value> combineInWarp(ValueRange state, int64_t lanes);
  SmallVector<Value> combineAcross(ValueRange state, Value slot, Value isWriter,
                                   Value firstSlot, int64_t slots,
                                   int64_t count, int64_t distance);

  KernelBuilder &kernel;
  LoopNest &nest;
  OpBuilder &b;
  SmallVector<unsigned> keptLoops, reducedLoops;
  Outputs outputs;
  Accumulators accumulators;
};

} // namespace

LogicalResult ReductionEmitter::classifyOutputs() {
  for (auto [number, output] : llvm::enumerate(nest.outputs)) {
    auto isZero = [&strides = output.strides](unsigned loop) {
      return strides[loop] == 0;
    };
    if (llvm::any_of(keptLoops, isZero))
      return nest.op.emitOpError(
          "writes one element in several iterations of a parallel loop");
    if (llvm::all_of(reducedLoops, isZero))
      outputs.carried.push_back(number);
    else if (llvm::none_of(reducedLoops, isZero))
      outputs.streamed.push_back(number);
    else
      return nest.op.emitOpError("reduces its results over different loops");
  }
  return success();
}

/// The stride that decides how neighbours should walk: that of the operand that
/// is read most often.
static const Access *largestInput(LoopNest &nest) {
  const Access *largest = nullptr;
  int64_t mostLoops = -1;
  for (const Access &access : nest.inputs) {
    if (access.scalar)
      continue;
    int64_t loops = llvm::count_if(access.strides,
                                   [](int64_t stride) { return stride != 0; });
    if (loops > mostLoops) {
      largest = &access;
      mostLoops = loops;
    }
  }
  return largest;
}

Layout ReductionEmitter::chooseLayout() {
  int64_t kept = nest.sizeOf(keptLoops), reduced = nest.sizeOf(reducedLoops);
  Layout layout;
  if (const Access *input = largestInput(nest)) {
    llvm::sort(reducedLoops, [&](unsigned lhs, unsigned rhs) {
      int64_t left = std::abs(input->strides[lhs]);
      int64_t right = std::abs(input->strides[rhs]);
      return left != right ? left > right : lhs < rhs;
    });
    layout.isRows = llvm::any_of(reducedLoops,
                                 [&](unsigned loop) {
                                   return input->strides[loop] == 1;
                                 }) ||
                    keptLoops.empty();
  }
  if (layout.isRows) {
    SmallVector<Value> values;
    for (const auto &accumulator : accumulators)
      llvm::append_range(values, accumulator->wanted());
    if (outputs.streamed.empty() &&
        llvm::all_of(accumulators, [](const auto &accumulator) {
          return accumulator->mayBeVector();
        }))
      layout.width =
          payloadWidth(nest, reducedLoops.back(), values, /*stored=*/{},
                       /*withTail=*/false);
    int64_t steps = reduced / layout.width;
    layout.lanes = std::min<int64_t>(warpSize, llvm::PowerOf2Ceil(steps));
    if (steps >= 8 * blockThreads && kept <= 256)
      layout.lanes = maxThreads;
    else if (steps >= 4 * blockThreads || (steps >= 256 && kept <= 64))
      layout.lanes = blockThreads;
    layout.kept = std::max<int64_t>(1, blockThreads / layout.lanes);
  } else {
    layout.kept = warpSize;
    // Enough lanes to fill a device, but several iterations for each.
    layout.lanes = 1;
    while (warpSize * layout.lanes < maxThreads &&
           layout.lanes * 4 <= reduced && layout.lanes * kept < (1 << 18))
      layout.lanes *= 2;
    layout.kept = std::max(warpSize, blockThreads / layout.lanes);
  }
  // No more elements in a block than there are, in whole warps.
  while (layout.kept > 1 && layout.kept / 2 >= kept &&
         layout.threads() > warpSize &&
         (layout.isRows || layout.kept > warpSize))
    layout.kept /= 2;
  return layout;
}

Point ReductionEmitter::pointOfKept(Value kept) {
  SmallVector<int64_t> sizes;
  for (unsigned loop : keptLoops)
    sizes.push_back(nest.loops[loop].size);
  Point point;
  point.indices.resize(nest.loops.size());
  for (auto [loop, index] :
       llvm::zip_equal(keptLoops, kernel.delinearize(kept, sizes)))
    point.indices[loop] = index;
  return point;
}

void ReductionEmitter::setReduced(Point &point, Value reduced, int64_t width) {
  SmallVector<int64_t> sizes;
  for (unsigned loop : reducedLoops)
    sizes.push_back(nest.loops[loop].size);
  sizes.back() /= width;
  SmallVector<Value> indices = kernel.delinearize(reduced, sizes);
  indices.back() = kernel.mul(indices.back(), width);
  for (auto [loop, index] : llvm::zip_equal(reducedLoops, indices))
    point.indices[loop] = index;
  point.vectorLoop = reducedLoops.back();
  point.width = width;
}

/// One thread per element, iterations in program order.
LogicalResult ReductionEmitter::emitSequential() {
  int64_t kept = nest.sizeOf(keptLoops);
  int64_t blockSize =
      std::min(blockThreads, int64_t(llvm::alignTo(kept, warpSize)));
  OpBuilder::InsertionGuard guard(b);
  Value keptIndex =
      kernel.add(kernel.mul(kernel.blockId(), blockSize), kernel.threadId());
  if (kept % blockSize != 0)
    kernel.enterIf(kernel.isBelow(keptIndex, kept));
  Point point = pointOfKept(keptIndex);

  SmallVector<Value> accumulators;
  for (unsigned number : outputs.carried)
    accumulators.push_back(loadInitial(kernel, nest, number, point));
  SmallVector<scf::ForOp> loops;
  for (unsigned loop : reducedLoops) {
    auto forOp = scf::ForOp::create(b, kernel.loc(), kernel.index(0),
                                    kernel.index(nest.loops[loop].size),
                                    kernel.index(1), accumulators);
    point.indices[loop] = forOp.getInductionVar();
    accumulators = SmallVector<Value>(forOp.getRegionIterArgs());
    b.setInsertionPointToStart(forOp.getBody());
    loops.push_back(forOp);
  }
  IRMapping known;
  for (auto [number, value] : llvm::zip_equal(outputs.carried, accumulators))
    known.map(nest.payload().getArgument(nest.numInputs() + number), value);
  SmallVector<Value> wanted(nest.payload().getTerminator()->getOperands());
  SmallVector<Value> results = emitPayload(kernel, nest, point, wanted, known);
  for (unsigned number : outputs.streamed)
    storeOperand(kernel, results[number], nest.outputs[number], point);
  SmallVector<Value> next;
  for (unsigned number : outputs.carried)
    next.push_back(results[number]);
  while (!loops.empty()) {
    scf::ForOp forOp = loops.pop_back_val();
    // Without results the builder has made a terminator already.
    if (!next.empty())
      scf::YieldOp::create(b, kernel.loc(), next);
    next = SmallVector<Value>(forOp.getResults());
    b.setInsertionPointAfter(forOp);
  }
  for (auto [number, value] : llvm::zip_equal(outputs.carried, next))
    storeOperand(kernel, value, nest.outputs[number], point);
  return kernel.finish(llvm::divideCeil(kept, blockSize), blockSize);
}

/// The number of the point's iteration in program order.
Value ReductionEmitter::programOrder(const Point &point) {
  SmallVector<int64_t> strides(nest.loops.size(), 0);
  int64_t stride = 1;
  for (unsigned loop : llvm::reverse(nest.reductionLoops())) {
    strides[loop] = stride;
    stride *= nest.loops[loop].size;
  }
  return kernel.linearize(/*constant=*/0, strides, point.indices);
}

SmallVector<Value> ReductionEmitter::identities(const Point &point) {
  SmallVector<Value> state;
  for (const auto &accumulator : accumulators)
    llvm::append_range(state, accumulator->identity(kernel, point));
  return state;
}

SmallVector<Value> ReductionEmitter::combineStates(ValueRange lhs,
                                                   ValueRange rhs) {
  SmallVector<Value> state;
  for (const auto &accumulator : accumulators) {
    size_t first = state.size(), size = accumulator->stateTypes().size();
    llvm::append_range(state,
                       accumulator->combine(kernel, lhs.slice(first, size),
                                            rhs.slice(first, size)));
  }
  return state;
}

/// What one lane finds: iterations lane, lane + lanes, ... of one kept index.
SmallVector<Value> ReductionEmitter::emitPartials(const Layout &layout,
                                                  Value lane, Value keptIndex) {
  Point point = pointOfKept(keptIndex);
  int64_t steps = nest.sizeOf(reducedLoops) / layout.width;
  point.width = layout.width;
  SmallVector<Value> wanted;
  for (const auto &accumulator : accumulators)
    llvm::append_range(wanted, accumulator->wanted());
  for (unsigned number : outputs.streamed)
    wanted.push_back(nest.payload().getTerminator()->getOperand(number));

  auto loop = scf::ForOp::create(b, kernel.loc(), lane, kernel.index(steps),
                                 kernel.index(layout.lanes), identities(point));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  setReduced(point, loop.getInductionVar(), layout.width);
  SmallVector<Value> values = emitPayload(kernel, nest, point, wanted);
  ArrayRef<Value> rest = values;
  SmallVector<Value> found;
  for (const auto &accumulator : accumulators) {
    size_t size = accumulator->wanted().size();
    llvm::append_range(found, accumulator->start(kernel, rest.take_front(size),
                                                 programOrder(point)));
    rest = rest.drop_front(size);
  }
  for (auto [number, value] : llvm::zip_equal(outputs.streamed, rest))
    storeOperand(kernel, value, nest.outputs[number], point);
  scf::YieldOp::create(b, kernel.loc(),
                       combineStates(loop.getRegionIterArgs(), found));
  return SmallVector<Value>(loop.getResults());
}

/// The combination of the elements of a state of vectors.
SmallVector<Value> ReductionEmitter::combineElements(ValueRange state,
                                                     int64_t width) {
  SmallVector<SmallVector<Value>> parts;
  if (width == 1)
    return SmallVector<Value>(state);
  for (int64_t element = 0; element < width; ++element) {
    parts.emplace_back();
    for (Value value : state)
      parts.back().push_back(
          vector::ExtractOp::create(b, kernel.loc(), value, element));
  }
  for (size_t half = width / 2; half > 0; half /= 2)
    for (size_t i = 0; i < half; ++i)
      parts[i] = combineStates(parts[i], parts[i + half]);
  return parts.front();
}

SmallVector<Value> ReductionEmitter::combineInWarp(ValueRange state,
                                                   int64_t lanes) {
  SmallVector<Value> mine(state);
  for (int64_t distance = lanes / 2; distance > 0; distance /= 2) {
    SmallVector<Value> other;
    for (Value value : mine)
      other.push_back(kernel.shuffle(value, distance));
    mine = combineStates(mine, other);
  }
  return mine;
}

/// Puts states into shared memory (by the threads for which `isWriter` holds)
/// and combines, in every thread, `count` of them from `firstSlot` on.
SmallVector<Value> ReductionEmitter::combineAcross(ValueRange state, Value slot,
                                                   Value isWriter,
                                                   Value firstSlot,
                                                   int64_t slots, int64_t count,
                                                   int64_t distance) {
  SmallVector<Value> buffers;
  for (Value value : state)
    buffers.push_back(kernel.sharedBuffer(value.getType(), slots));
  {
    OpBuilder::InsertionGuard guard(b);
    kernel.enterIf(isWriter);
    for (auto [value, buffer] : llvm::zip_equal(state, buffers))
      memref::StoreOp::create(b, kernel.loc(), value, buffer, slot);
  }
  gpu::BarrierOp::create(b, kernel.loc());
  auto loadSlot = [&](Value position) {
    SmallVector<Value> loaded;
    for (Value buffer : buffers)
      loaded.push_back(
          memref::LoadOp::create(b, kernel.loc(), buffer, position));
    return loaded;
  };
  auto loop =
      scf::ForOp::create(b, kernel.loc(), kernel.index(1), kernel.index(count),
                         kernel.index(1), loadSlot(firstSlot));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value position =
      kernel.add(firstSlot, kernel.mul(loop.getInductionVar(), distance));
  scf::YieldOp::create(
      b, kernel.loc(),
      combineStates(loop.getRegionIterArgs(), loadSlot(position)));
  return SmallVector<Value>(loop.getResults());
}

LogicalResult ReductionEmitter::emitCombined() {
  Layout layout = chooseLayout();
  int64_t kept = nest.sizeOf(keptLoops);
  OpBuilder::InsertionGuard outermost(b);
  Value thread = kernel.threadId();
  Value inBlock = layout.isRows ? kernel.div(thread, layout.lanes)
                                : kernel.rem(thread, layout.kept);
  Value lane = layout.isRows ? kernel.rem(thread, layout.lanes)
                             : kernel.div(thread, layout.kept);
  Value keptIndex =
      kernel.add(kernel.mul(kernel.blockId(), layout.kept), inBlock);
  Value isKept =
      kept % layout.kept == 0 ? Value() : kernel.isBelow(keptIndex, kept);

  auto findPartials = [&] {
    return combineElements(emitPartials(layout, lane, keptIndex), layout.width);
  };
  SmallVector<Value> partials;
  if (!isKept) {
    partials = findPartials();
  } else {
    SmallVector<Type> types;
    for (const auto &accumulator : accumulators)
      llvm::append_range(types, accumulator->stateTypes());
    auto branch = scf::IfOp::create(b, kernel.loc(), types, isKept,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, kernel.loc(), findPartials());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, kernel.loc(), identities(Point()));
    partials = SmallVector<Value>(branch.getResults());
  }

  if (layout.isRows) {
    partials = combineInWarp(partials, std::min(layout.lanes, warpSize));
    if (layout.lanes > warpSize) {
      int64_t warps = layout.threads() / warpSize;
      int64_t perElement = layout.lanes / warpSize;
      Value isWriter = kernel.isZero(kernel.rem(thread, warpSize));
      partials = combineAcross(partials, kernel.div(thread, warpSize), isWriter,
                               kernel.mul(inBlock, perElement), warps,
                               perElement, /*distance=*/1);
    }
  } else if (layout.lanes > 1) {
    partials = combineAcross(partials, thread, /*isWriter=*/Value(), inBlock,
                             layout.threads(), layout.lanes, layout.kept);
  }

  kernel.enterIf(isKept);
  if (layout.lanes > 1)
    kernel.enterIf(kernel.isZero(lane));
  Point point = pointOfKept(keptIndex);
  ArrayRef<Value> rest = partials;
  for (const auto &accumulator : accumulators) {
    size_t size = accumulator->stateTypes().size();
    accumulator->finish(kernel, nest, point, rest.take_front(size));
    rest = rest.drop_front(size);
  }
  return kernel.finish(llvm::divideCeil(kept, layout.kept), layout.threads());
}

LogicalResult ReductionEmitter::run() {
  if (failed(classifyOutputs()))
    return failure();
  accumulators = matchAccumulators(nest, outputs.carried);
  return accumulators.empty() ? emitSequential() : emitCombined();
}

LogicalResult emitReduction(KernelBuilder &kernel, LoopNest &nest) {
  return ReductionEmitter(kernel, nest).run();
}

} // namespace ckpt
