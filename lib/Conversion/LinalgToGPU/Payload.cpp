//===- Payload.cpp - Operands and payloads inside kernels -----------------===//

#include "Payload.h"

#include "ckpt/IR/Locations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <numeric>

using namespace mlir;

namespace ckpt {

/// What an op of the payload reads: its operands, and what its regions use from
/// outside of them.
static void forEachUse(Operation *op, function_ref<void(Value)> visit) {
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      visit(operand);
  });
}

SetVector<Operation *> payloadSlice(Block &payload, ArrayRef<Value> wanted) {
  llvm::DenseSet<Operation *> needed;
  SmallVector<Value> worklist(wanted);
  bool hasLoads = false;
  auto follow = [&] {
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val().getDefiningOp();
      if (!op || op->getBlock() != &payload || !needed.insert(op).second)
        continue;
      hasLoads |= !isPure(op);
      forEachUse(op, [&](Value value) { worklist.push_back(value); });
    }
  };
  follow();
  // Checks guard the loads of the slice.
  if (hasLoads) {
    for (auto check : payload.getOps<cf::AssertOp>()) {
      needed.insert(check);
      worklist.push_back(check.getArg());
    }
    follow();
  }
  SetVector<Operation *> ordered;
  for (Operation &op : payload)
    if (needed.contains(&op))
      ordered.insert(&op);
  return ordered;
}

/// The payload's block arguments that `wanted` values are computed from.
static llvm::BitVector usedArguments(LoopNest &nest, ArrayRef<Value> wanted) {
  llvm::BitVector used(nest.payload().getNumArguments());
  auto visit = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == &nest.payload())
      used.set(argument.getArgNumber());
  };
  llvm::for_each(wanted, visit);
  for (Operation *op : payloadSlice(nest.payload(), wanted))
    forEachUse(op, visit);
  return used;
}

llvm::BitVector usedInputs(LoopNest &nest, ArrayRef<Value> wanted) {
  llvm::BitVector used = usedArguments(nest, wanted);
  used.resize(nest.numInputs());
  return used;
}

bool readsOutputs(LoopNest &nest, ArrayRef<Value> wanted) {
  return usedArguments(nest, wanted).find_last() >= nest.numInputs();
}

int64_t payloadWidth(LoopNest &nest, unsigned loop, ArrayRef<Value> wanted,
                     ArrayRef<const Access *> stored, bool withTail) {
  for (Operation *op : payloadSlice(nest.payload(), wanted))
    if (!isa<linalg::IndexOp, arith::ConstantOp>(op) &&
        !OpTrait::hasElementwiseMappableTraits(op))
      return 1;
  SmallVector<const Access *> accesses(stored);
  for (unsigned input : usedInputs(nest, wanted).set_bits())
    accesses.push_back(&nest.inputs[input]);
  int64_t width = maxAccessBytes;
  bool isContiguous = false;
  for (const Access *access : accesses) {
    if (access->scalar || !canAccessAsVector(*access, loop))
      continue;
    isContiguous = true;
    width = std::min(width,
                     maxAccessBytes / elementBytes(access->view.elementType));
    width = alignedElements(*access, loop, width);
  }
  if (!isContiguous)
    return 1;
  int64_t size = nest.loops[loop].size;
  while (width > 1 && (withTail ? size < width : size % width != 0))
    width /= 2;
  return width;
}

static Value loopIndex(KernelBuilder &kernel, const LoopNest &nest,
                       linalg::IndexOp op, const Point &point) {
  OpBuilder &b = kernel.builder();
  int64_t loop = nest.loopOfOriginal[op.getDim()];
  Value index = loop < 0 ? Value() : point.indices[loop];
  if (!index)
    index = kernel.index(0);
  index = broadcast(kernel, index, point);
  if (point.width == 1 || loop != point.vectorLoop)
    return index;
  SmallVector<int64_t> elements(point.width);
  std::iota(elements.begin(), elements.end(), 0);
  Value step = arith::ConstantOp::create(b, kernel.loc(),
                                         b.getIndexVectorAttr(elements));
  return arith::AddIOp::create(b, kernel.loc(), index, step);
}

/// A load of captured memory at computed indices.
static Value gatherElement(KernelBuilder &kernel, memref::LoadOp load,
                           const IRMapping &mapping) {
  BufferView view = *kernel.context().views.resolve(load.getMemRef(), load);
  SmallVector<Value> indices;
  for (Value position : load.getIndices())
    indices.push_back(mapping.lookupOrDefault(position));
  Value address = kernel.linearize(0, view.strides, indices);
  return memref::LoadOp::create(kernel.builder(), kernel.loc(),
                                kernel.pointer(view), address);
}

/// Clones an op with regions (scf.if); what is inside is made fit for the
/// kernel as at the top level.
static void cloneWithRegions(KernelBuilder &kernel, const LoopNest &nest,
                             Operation *op, const Point &point,
                             IRMapping &mapping) {
  OpBuilder &b = kernel.builder();
  Operation *clone = b.clone(*op, mapping);
  SmallVector<Operation *> special;
  clone->walk([&](Operation *nested) {
    nested->setLoc(kernel.loc());
    if (isa<memref::LoadOp, linalg::IndexOp>(nested))
      special.push_back(nested);
  });
  for (Operation *nested : special) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(nested);
    Value value;
    if (auto load = dyn_cast<memref::LoadOp>(nested))
      value = gatherElement(kernel, load, IRMapping());
    else
      value = loopIndex(kernel, nest, cast<linalg::IndexOp>(nested), point);
    nested->getResult(0).replaceAllUsesWith(value);
    nested->erase();
  }
}

/// Clones an elementwise op, with vector types where the point has a width.
static void cloneElementwise(KernelBuilder &kernel, Operation *op,
                             const Point &point, IRMapping &mapping) {
  OpBuilder &b = kernel.builder();
  if (point.width == 1) {
    b.clone(*op, mapping)->setLoc(kernel.loc());
    return;
  }
  OperationState state(kernel.loc(), op->getName());
  for (Value operand : op->getOperands())
    state.operands.push_back(
        broadcast(kernel, mapping.lookupOrDefault(operand), point));
  for (Type type : op->getResultTypes())
    state.types.push_back(point.typeOf(type));
  state.attributes = op->getDiscardableAttrDictionary();
  state.propertiesAttr = op->getPropertiesAsAttribute();
  Operation *clone = b.create(state);
  mapping.map(op->getResults(), clone->getResults());
}

/// The location that a recomputation was marked at.
static Location withoutRecomputedNote(Location loc) {
  for (auto name = dyn_cast<NameLoc>(loc);
       name && markRecomputed(name.getChildLoc()) == loc;
       name = dyn_cast<NameLoc>(loc))
    loc = name.getChildLoc();
  return loc;
}

StringAttr checkMessage(cf::AssertOp check) {
  Location loc = withoutRecomputedNote(check.getLoc());
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (auto place = loc->findInstanceOf<FileLineColLoc>())
    stream << place.getFilename().getValue() << ':' << place.getLine() << ':'
           << place.getColumn() << ": ";
  if (SmallVector<StringRef> names = getNames(loc); !names.empty())
    stream << names.back() << ": ";
  stream << check.getMsg();
  return StringAttr::get(check.getContext(), message);
}

/// Continues in the branch where `check` holds; the other one records the
/// failure and gives zeros of `types`.
static scf::IfOp enterChecked(KernelBuilder &kernel, cf::AssertOp check,
                              TypeRange types, const IRMapping &mapping) {
  OpBuilder &b = kernel.builder();
  auto branch = scf::IfOp::create(b, kernel.loc(), types,
                                  mapping.lookupOrDefault(check.getArg()),
                                  /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.elseBlock());
  kernel.emitCheckFailure(checkMessage(check));
  SmallVector<Value> zeros;
  for (Type type : types)
    zeros.push_back(kernel.zero(type));
  scf::YieldOp::create(b, kernel.loc(), zeros);
  b.setInsertionPointToStart(branch.thenBlock());
  return branch;
}

SmallVector<Value> emitPayload(KernelBuilder &kernel, LoopNest &nest,
                               const Point &point, ArrayRef<Value> wanted,
                               const IRMapping &known) {
  OpBuilder &b = kernel.builder();
  Block &payload = nest.payload();
  SetVector<Operation *> slice = payloadSlice(payload, wanted);

  IRMapping mapping(known);
  auto provide = [&](Value value) {
    if (mapping.contains(value))
      return;
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != &payload) {
      Value inKernel = kernel.captured(value);
      if (inKernel != value)
        mapping.map(value, inKernel);
      return;
    }
    int64_t number = argument.getArgNumber();
    Value operand =
        number < nest.numInputs()
            ? loadOperand(kernel, nest.inputs[number], point)
            : loadInitial(kernel, nest, number - nest.numInputs(), point);
    mapping.map(value, operand);
  };
  SmallVector<Type> types;
  for (Value value : wanted)
    types.push_back(point.typeOf(value.getType()));

  SmallVector<scf::IfOp> open;
  for (Operation *op : slice) {
    forEachUse(op, provide);
    if (auto check = dyn_cast<cf::AssertOp>(op)) {
      open.push_back(enterChecked(kernel, check, types, mapping));
      continue;
    }
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      mapping.map(index.getResult(), loopIndex(kernel, nest, index, point));
    } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
      mapping.map(load.getResult(), gatherElement(kernel, load, mapping));
    } else if (isa<arith::ConstantOp>(op)) {
      b.clone(*op, mapping)->setLoc(kernel.loc());
    } else if (op->getNumRegions() != 0) {
      cloneWithRegions(kernel, nest, op, point, mapping);
    } else {
      cloneElementwise(kernel, op, point, mapping);
    }
  }
  SmallVector<Value> results;
  for (Value value : wanted) {
    provide(value);
    results.push_back(broadcast(kernel, mapping.lookupOrDefault(value), point));
  }
  while (!open.empty()) {
    scf::IfOp branch = open.pop_back_val();
    scf::YieldOp::create(b, kernel.loc(), results);
    results = SmallVector<Value>(branch.getResults());
    b.setInsertionPointAfter(branch);
  }
  return results;
}

LogicalResult capturePayload(KernelBuilder &kernel, LoopNest &nest) {
  for (const Access &access : nest.inputs)
    if (access.scalar && failed(kernel.capture(access.scalar, nest.op)))
      return failure();
  auto checkOp = [&](Operation *op) -> WalkResult {
    bool isTopLevel = op->getBlock() == &nest.payload();
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      if (failed(kernel.context().views.resolve(load.getMemRef(), nest.op)))
        return WalkResult::interrupt();
    } else if (isa<cf::AssertOp>(op)
                   ? !isTopLevel
                   : !isa<linalg::YieldOp>(op) && op->getNumRegions() == 0 &&
                         !isMemoryEffectFree(op)) {
      nest.op.emitOpError("has a payload that kernels cannot run: ")
          << op->getName();
      return WalkResult::interrupt();
    }
    for (Value operand : op->getOperands()) {
      if (nest.op.getRegion().isAncestor(operand.getParentRegion()) ||
          isa<MemRefType>(operand.getType()))
        continue;
      if (failed(kernel.capture(operand, nest.op)))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  };
  return failure(nest.payload().walk(checkOp).wasInterrupted());
}

} // namespace ckpt
