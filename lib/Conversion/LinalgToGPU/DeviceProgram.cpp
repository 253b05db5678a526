//===- DeviceProgram.cpp - What a step does on the device -----------------===//

#include "DeviceProgram.h"

#include "KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace ckpt {

/// Everything that is to run on the device becomes linalg.generic, memref.store
/// or cf.assert.
static LogicalResult normalize(func::FuncOp step) {
  IRRewriter rewriter(step.getContext());
  for (Operation &op : llvm::make_early_inc_range(
           step.getBody().front().without_terminator())) {
    rewriter.setInsertionPoint(&op);
    if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                               copy.getTarget());
      rewriter.eraseOp(copy);
      continue;
    }
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (!structured || isa<linalg::GenericOp>(op))
      continue;
    if (!structured.hasPureBufferSemantics())
      return op.emitOpError("must be on buffers to become a kernel");
    if (failed(linalg::generalizeNamedOp(rewriter, structured)))
      return op.emitOpError("has no kernel: it cannot be made a "
                            "linalg.generic");
  }
  return success();
}

/// Loads in the backward slices of `values`, at the top level of the step.
static void findLoads(ArrayRef<Value> values, Block *topLevel,
                      SmallVectorImpl<Operation *> &loads) {
  llvm::DenseSet<Operation *> seen;
  SmallVector<Value> worklist(values);
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != topLevel ||
        isa<MemRefType>(op->getResult(0).getType()) || !seen.insert(op).second)
      continue;
    if (isa<memref::LoadOp>(op))
      loads.push_back(op);
    llvm::append_range(worklist, op->getOperands());
  }
}

/// Adds what `deviceOp` reads beyond the operands of its nest.
static LogicalResult collectReads(DeviceOp &deviceOp, BufferViews &views) {
  Operation *op = deviceOp.op;
  SmallVector<Value> scalars;
  auto visit = [&](Operation *nested) -> WalkResult {
    if (auto load = dyn_cast<memref::LoadOp>(nested)) {
      FailureOr<BufferView> view = views.resolve(load.getMemRef(), op);
      if (failed(view))
        return WalkResult::interrupt();
      deviceOp.reads.push_back(*view);
    }
    for (Value operand : nested->getOperands())
      if (!isa<MemRefType>(operand.getType()))
        scalars.push_back(operand);
    return WalkResult::advance();
  };
  if (op->walk(visit).wasInterrupted())
    return failure();
  findLoads(scalars, op->getBlock(), deviceOp.loads);
  for (Operation *load : deviceOp.loads) {
    FailureOr<BufferView> view =
        views.resolve(cast<memref::LoadOp>(load).getMemRef(), load);
    if (failed(view))
      return failure();
    deviceOp.reads.push_back(*view);
  }
  return success();
}

/// Threads run in no order: an element that one writes must not be read by
/// another. Reading and writing the same elements in the same iterations is
/// fine; other accesses of the same memory are not. Slices of one buffer that
/// start elsewhere are taken to be disjoint, as bufferisation makes them.
static LogicalResult checkInPlace(LoopNest &nest,
                                  ArrayRef<BufferView> gathered) {
  auto isSameMemory = [](const BufferView &lhs, const BufferView &rhs) {
    return lhs.root == rhs.root && lhs.byteOffset == rhs.byteOffset;
  };
  for (const Access &output : nest.outputs) {
    bool races = llvm::any_of(nest.inputs, [&](const Access &input) {
      return !input.scalar && isSameMemory(input.view, output.view) &&
             (input.strides != output.strides ||
              input.constant != output.constant);
    });
    races |= llvm::any_of(gathered, [&](const BufferView &view) {
      return isSameMemory(view, output.view);
    });
    if (races)
      return nest.op.emitOpError(
          "reads elements of a result that other iterations write");
  }
  return success();
}

static bool readsInitial(LoopNest &nest, unsigned output) {
  return !nest.payload().getArgument(nest.numInputs() + output).use_empty();
}

static FailureOr<DeviceOp> buildDeviceOp(Operation &op, BufferViews &views) {
  DeviceOp deviceOp{&op, std::nullopt, {}, {}, {}};
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    if (!generic.hasPureBufferSemantics())
      return op.emitOpError("must be on buffers to become a kernel");
    FailureOr<LoopNest> nest = buildLoopNest(generic, views);
    if (failed(nest))
      return failure();
    for (Access &input : nest->inputs)
      if (!input.scalar)
        deviceOp.reads.push_back(input.view);
    for (auto [number, output] : llvm::enumerate(nest->outputs)) {
      deviceOp.writes.push_back(output.view);
      if (readsInitial(*nest, number))
        deviceOp.reads.push_back(output.view);
    }
    deviceOp.nest = std::move(*nest);
  } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
    FailureOr<BufferView> view = views.resolve(store.getMemRef(), store);
    if (failed(view))
      return failure();
    deviceOp.writes.push_back(*view);
  }
  size_t numOperands = deviceOp.reads.size();
  if (failed(collectReads(deviceOp, views)))
    return failure();
  if (deviceOp.nest &&
      failed(checkInPlace(*deviceOp.nest,
                          ArrayRef(deviceOp.reads).drop_front(numOperands))))
    return failure();
  return deviceOp;
}

FailureOr<DeviceProgram> DeviceProgram::build(func::FuncOp step,
                                              BufferViews &views) {
  if (!step.getBody().hasOneBlock())
    return step.emitOpError("must have one block to become kernel launches");
  for (BlockArgument argument : step.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity())
      return step.emitOpError("must have contiguous buffers of static shape "
                              "as arguments, not ")
             << argument.getType();
  }
  if (failed(normalize(step)))
    return failure();
  DeviceProgram program;
  for (Operation &op : step.getBody().front().without_terminator()) {
    if (isa<ViewLikeOpInterface, memref::LoadOp, memref::GetGlobalOp>(op) ||
        (op.getNumRegions() == 0 && isPure(&op)))
      continue;
    if (!isa<linalg::GenericOp, memref::StoreOp, cf::AssertOp>(op))
      return op.emitOpError("cannot run as a kernel");
    FailureOr<DeviceOp> deviceOp = buildDeviceOp(op, views);
    if (failed(deviceOp))
      return failure();
    program.ops.push_back(std::move(*deviceOp));
  }
  return program;
}

//===----------------------------------------------------------------------===//
// Fills
//===----------------------------------------------------------------------===//

static bool meetsAny(const BufferView &view, ArrayRef<BufferView> others) {
  return llvm::any_of(
      others, [&](const BufferView &other) { return view.overlaps(other); });
}

/// Whether the nest writes each element of its output's view.
static bool coversOutput(const LoopNest &nest, const Access &output) {
  int64_t written = 1, elements = 1;
  for (auto [loop, stride] : llvm::zip_equal(nest.loops, output.strides))
    if (stride != 0)
      written *= loop.size;
  for (int64_t size : output.view.shape)
    elements *= size;
  return written == elements && written != 0;
}

/// The constant with which `deviceOp` fills the view that it writes, else null.
static TypedAttr filledValue(DeviceOp &deviceOp) {
  if (!deviceOp.nest || deviceOp.writes.size() != 1)
    return {};
  LoopNest &nest = *deviceOp.nest;
  if (!nest.reductionLoops().empty() ||
      !coversOutput(nest, nest.outputs.front()))
    return {};
  Value value = nest.payload().getTerminator()->getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == &nest.payload()) {
    if (argument.getArgNumber() >= nest.numInputs())
      return {};
    Access &input = nest.inputs[argument.getArgNumber()];
    if (!input.scalar)
      return DeviceConstants::splatValue(input.view);
    value = input.scalar;
  }
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  return constant ? constant.getValue() : TypedAttr();
}

/// What `next` does to a fill of `view` that comes before it.
enum class FillUse { none, needed, absorbed };

static FillUse useFill(const BufferView &view, TypedAttr value,
                       DeviceOp &next) {
  bool writes = meetsAny(view, next.writes);
  if (!writes && !meetsAny(view, next.reads))
    return FillUse::none;
  if (!writes || !next.nest)
    return FillUse::needed;
  LoopNest &nest = *next.nest;
  int64_t writer = -1;
  for (auto [number, output] : llvm::enumerate(nest.outputs)) {
    if (!view.overlaps(output.view))
      continue;
    if (writer >= 0 || !(output.view == view) || !coversOutput(nest, output))
      return FillUse::needed;
    writer = number;
  }
  // Any other read of the filled memory needs the fill.
  int64_t reads = llvm::count_if(
      next.reads, [&](const BufferView &read) { return view.overlaps(read); });
  if (reads > readsInitial(nest, writer) || nest.isEmpty())
    return FillUse::needed;
  if (readsInitial(nest, writer))
    nest.initialValues[writer] = value;
  return FillUse::absorbed;
}

void DeviceProgram::absorbFills() {
  for (auto [position, fill] : llvm::enumerate(ops)) {
    TypedAttr value = filledValue(fill);
    if (!value)
      continue;
    FillUse use = FillUse::none;
    for (size_t next = position + 1; next < ops.size(); ++next) {
      use = useFill(fill.writes.front(), value, ops[next]);
      if (use != FillUse::none)
        break;
    }
    fill.isAbsorbed = use == FillUse::absorbed;
  }
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

LogicalResult DeviceProgram::checkLoads() {
  for (size_t user = 0; user < ops.size(); ++user) {
    for (Operation *load : ops[user].loads) {
      // The views of loads follow those of other reads, in the same order.
      size_t number =
          llvm::find(ops[user].loads, load) - ops[user].loads.begin();
      const BufferView &view =
          *(ops[user].reads.end() - ops[user].loads.size() + number);
      for (size_t writer = user;
           writer-- > 0 && load->isBeforeInBlock(ops[writer].op);) {
        if (ops[writer].isAbsorbed || !meetsAny(view, ops[writer].writes))
          continue;
        InFlightDiagnostic diagnostic =
            ops[user].op->emitOpError("uses a scalar whose memory is "
                                      "overwritten before this op runs");
        diagnostic.attachNote(load->getLoc()) << "the scalar is loaded here";
        diagnostic.attachNote(ops[writer].op->getLoc())
            << "the memory is overwritten here";
        return diagnostic;
      }
    }
  }
  return success();
}

} // namespace ckpt
