//===- OutlineKernels.cpp - Structured ops become kernels and launches ----===//

#include "ckpt/Conversion/LinalgToGPU/OutlineKernels.h"

#include "DeviceProgram.h"
#include "KernelBuilder.h"
#include "Kernels.h"
#include "Payload.h"

#include "ckpt/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;

namespace ckpt {

namespace {

/// The kernels emitted so far, by structure.
class KernelLibrary {
public:
  /// Keeps `kernel`, named after `prefix`; or erases it and returns the one
  /// that does the same.
  gpu::GPUFuncOp add(KernelBuilder &kernel, StringRef prefix);

private:
  llvm::DenseMap<size_t, SmallVector<gpu::GPUFuncOp>> byHash;
  llvm::StringMap<unsigned> names;
};

/// Values of the host that launches use again and again.
class HostValues {
public:
  explicit HostValues(func::FuncOp step)
      : step(step), b(step.getContext()),
        start(&*step.getBody().front().begin()) {}

  Value index(Location loc, int64_t value);
  Value pointer(Location loc, const BufferView &view, MemRefType type);
  Value statusWord();

private:
  func::FuncOp step;
  OpBuilder b;
  /// Constants go before this op; pointers too.
  Operation *start;
  llvm::DenseMap<int64_t, Value> constants;
  llvm::DenseMap<std::tuple<Value, int64_t, Type>, Value> pointers;
  Value status;
};

class Outliner {
public:
  Outliner(func::FuncOp step, KernelContext &context, KernelLibrary &library)
      : step(step), context(context), library(library) {}

  LogicalResult run();

private:
  LogicalResult outline(DeviceOp &deviceOp);
  LogicalResult emitNest(KernelBuilder &kernel, LoopNest &nest,
                         std::string &name);
  LogicalResult emitStore(KernelBuilder &kernel, memref::StoreOp store);
  LogicalResult emitCheck(KernelBuilder &kernel, cf::AssertOp check);
  void launch(KernelBuilder &kernel, gpu::GPUFuncOp callee, Operation *op);
  void cleanUp(DeviceProgram &program);

  func::FuncOp step;
  KernelContext &context;
  KernelLibrary &library;
  /// Made when the ops that it puts values before will stay until the end.
  std::optional<HostValues> host;
};

} // namespace

//===----------------------------------------------------------------------===//
// Kernels that are equal
//===----------------------------------------------------------------------===//

static size_t hashKernel(gpu::GPUFuncOp kernel) {
  llvm::hash_code hash = llvm::hash_combine(kernel.getFunctionType());
  kernel.getBody().walk([&](Operation *op) {
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

gpu::GPUFuncOp KernelLibrary::add(KernelBuilder &kernel, StringRef prefix) {
  gpu::GPUFuncOp func = kernel.func();
  SmallVector<gpu::GPUFuncOp> &candidates = byHash[hashKernel(func)];
  for (gpu::GPUFuncOp candidate : candidates) {
    if (candidate.getFunctionType() == func.getFunctionType() &&
        candidate.getArgAttrsAttr() == func.getArgAttrsAttr() &&
        candidate.getKnownBlockSizeAttr() == func.getKnownBlockSizeAttr() &&
        candidate.getKnownGridSizeAttr() == func.getKnownGridSizeAttr() &&
        OperationEquivalence::isRegionEquivalentTo(
            &candidate.getBody(), &func.getBody(),
            OperationEquivalence::IgnoreLocations)) {
      func.erase();
      return candidate;
    }
  }
  unsigned count = names[prefix]++;
  std::string name = prefix.str();
  if (count > 0)
    name += "_" + std::to_string(count);
  func.setName(name);
  candidates.push_back(func);
  return func;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Value HostValues::index(Location loc, int64_t value) {
  Value &constant = constants[value];
  if (!constant) {
    b.setInsertionPoint(start);
    constant = arith::ConstantIndexOp::create(b, loc, value);
  }
  return constant;
}

Value HostValues::pointer(Location loc, const BufferView &view,
                          MemRefType type) {
  Value &pointer = pointers[{view.root, view.byteOffset, type}];
  if (pointer)
    return pointer;
  auto rootType = cast<MemRefType>(view.root.getType());
  if (rootType == type && view.byteOffset == 0)
    return pointer = view.root;
  if (rootType.getRank() == 1 && rootType.getElementType().isInteger(8)) {
    Value offset = index(loc, view.byteOffset);
    b.setInsertionPoint(start);
    return pointer = memref::ViewOp::create(b, loc, type, view.root, offset,
                                            ValueRange());
  }
  b.setInsertionPoint(start);
  return pointer = memref::ReinterpretCastOp::create(
             b, loc, type, view.root,
             view.byteOffset / elementBytes(view.elementType), type.getShape(),
             ArrayRef<int64_t>{1});
}

Value HostValues::statusWord() {
  if (!status) {
    auto type = MemRefType::get({1}, b.getI32Type());
    unsigned position = step.getNumArguments();
    (void)step.insertArgument(position, type,
                              b.getDictionaryAttr(b.getNamedAttr(
                                  statusArgumentName, b.getUnitAttr())),
                              step.getLoc());
    status = step.getArgument(position);
  }
  return status;
}

void Outliner::launch(KernelBuilder &kernel, gpu::GPUFuncOp callee,
                      Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  SmallVector<Value> arguments;
  for (auto [view, type] :
       llvm::zip_equal(kernel.parameters(), callee.getArgumentTypes()))
    arguments.push_back(view.root
                            ? host->pointer(loc, view, cast<MemRefType>(type))
                            : host->statusWord());
  Value one = host->index(loc, 1);
  gpu::LaunchFuncOp::create(
      b, loc, callee,
      gpu::KernelDim3{host->index(loc, kernel.gridSize()), one, one},
      gpu::KernelDim3{host->index(loc, kernel.blockSize()), one, one},
      /*dynamicSharedMemorySize=*/Value(), arguments);
}

//===----------------------------------------------------------------------===//
// One kernel per op
//===----------------------------------------------------------------------===//

static std::string describe(StringRef kind, ArrayRef<int64_t> sizes,
                            Type type) {
  std::string name;
  llvm::raw_string_ostream stream(name);
  stream << kind << "_";
  for (int64_t size : sizes)
    stream << size << "x";
  stream << type;
  return name;
}

LogicalResult Outliner::emitNest(KernelBuilder &kernel, LoopNest &nest,
                                 std::string &name) {
  SmallVector<int64_t> sizes;
  for (const Loop &loop : nest.loops)
    sizes.push_back(loop.size);
  Type type = nest.outputs.front().view.elementType;
  bool accumulates = llvm::any_of(nest.outputs, [&](const Access &output) {
    return llvm::any_of(nest.reductionLoops(), [&](unsigned loop) {
      return output.strides[loop] == 0;
    });
  });
  if (!accumulates) {
    Block &payload = nest.payload();
    bool isCopy = payload.without_terminator().empty();
    name = describe(isCopy ? "copy" : "elementwise", sizes, type);
    return emitElementwise(kernel, nest);
  }
  if (std::optional<Contraction> contraction = matchContraction(nest)) {
    name = describe(
        "contraction",
        {nest.sizeOf(contraction->batch), nest.sizeOf(contraction->rows),
         nest.sizeOf(contraction->columns), nest.sizeOf(contraction->depth)},
        type);
    return emitContraction(kernel, nest, *contraction);
  }
  name = describe(
      "reduction",
      {nest.sizeOf(nest.parallelLoops()), nest.sizeOf(nest.reductionLoops())},
      type);
  return emitReduction(kernel, nest);
}

LogicalResult Outliner::emitStore(KernelBuilder &kernel,
                                  memref::StoreOp store) {
  SmallVector<Value> indices;
  for (Value operand : store->getOperands())
    if (!isa<MemRefType>(operand.getType()) &&
        failed(kernel.capture(operand, store)))
      return failure();
  for (Value position : store.getIndices())
    indices.push_back(kernel.captured(position));
  FailureOr<BufferView> view = context.views.resolve(store.getMemRef(), store);
  if (failed(view))
    return failure();
  Value base = kernel.pointer(*view);
  kernel.noteWrite(base);
  memref::StoreOp::create(kernel.builder(), kernel.loc(),
                          kernel.captured(store.getValueToStore()), base,
                          kernel.linearize(0, view->strides, indices));
  return kernel.finish(/*gridSize=*/1, /*blockSize=*/1);
}

LogicalResult Outliner::emitCheck(KernelBuilder &kernel, cf::AssertOp check) {
  if (failed(kernel.capture(check.getArg(), check)))
    return failure();
  OpBuilder &b = kernel.builder();
  Value isTrue =
      arith::ConstantOp::create(b, kernel.loc(), b.getBoolAttr(true));
  Value fails = arith::XOrIOp::create(b, kernel.loc(),
                                      kernel.captured(check.getArg()), isTrue);
  OpBuilder::InsertionGuard guard(b);
  kernel.enterIf(fails);
  kernel.emitCheckFailure(checkMessage(check));
  return kernel.finish(/*gridSize=*/1, /*blockSize=*/1);
}

LogicalResult Outliner::outline(DeviceOp &deviceOp) {
  if (deviceOp.isAbsorbed || (deviceOp.nest && deviceOp.nest->isEmpty()))
    return success();
  KernelBuilder kernel(context, deviceOp.op->getLoc());
  std::string name;
  if (deviceOp.nest) {
    if (failed(capturePayload(kernel, *deviceOp.nest)) ||
        failed(emitNest(kernel, *deviceOp.nest, name)))
      return failure();
  } else if (auto store = dyn_cast<memref::StoreOp>(deviceOp.op)) {
    name = describe("store", {}, store.getValueToStore().getType());
    if (failed(emitStore(kernel, store)))
      return failure();
  } else {
    name = "check";
    if (failed(emitCheck(kernel, cast<cf::AssertOp>(deviceOp.op))))
      return failure();
  }
  launch(kernel, library.add(kernel, name), deviceOp.op);
  return success();
}

/// Removes what the kernels do now, and the views and scalars that only that
/// used.
void Outliner::cleanUp(DeviceProgram &program) {
  for (DeviceOp &deviceOp : llvm::reverse(program.ops))
    deviceOp.op->erase();
  SmallVector<Operation *> rest;
  for (Operation &op : step.getBody().front().without_terminator())
    rest.push_back(&op);
  for (Operation *op : llvm::reverse(rest))
    if (isOpTriviallyDead(op))
      op->erase();
}

LogicalResult Outliner::run() {
  FailureOr<DeviceProgram> program = DeviceProgram::build(step, context.views);
  if (failed(program))
    return failure();
  host.emplace(step);
  program->absorbFills();
  if (failed(program->checkLoads()))
    return failure();
  for (DeviceOp &deviceOp : program->ops)
    if (failed(outline(deviceOp)))
      return failure();
  cleanUp(*program);
  return success();
}

LogicalResult outlineKernels(ModuleOp module, StringRef kernelModule) {
  SmallVector<func::FuncOp> steps;
  for (auto func : module.getOps<func::FuncOp>())
    if (!func.isDeclaration())
      steps.push_back(func);
  if (steps.empty())
    return success();
  if (SymbolTable::lookupSymbolIn(module, kernelModule))
    return module.emitError("has a symbol '") << kernelModule << "' already";

  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  b.getUnitAttr());
  auto kernels = gpu::GPUModuleOp::create(b, module.getLoc(), kernelModule);
  DeviceConstants constants(kernels);
  CheckMessages messages;
  KernelLibrary library;
  for (func::FuncOp step : steps) {
    // Views are of values of this function, which go away with its ops.
    BufferViews views;
    KernelContext context{kernels, constants, messages, views};
    if (failed(Outliner(step, context, library).run()))
      return failure();
  }

  SmallVector<Attribute> texts(messages.begin(), messages.end());
  module->setAttr(checkMessagesName, b.getArrayAttr(texts));
  for (auto global :
       llvm::make_early_inc_range(module.getOps<memref::GlobalOp>()))
    if (SymbolTable::symbolKnownUseEmpty(global, module))
      global.erase();
  return success();
}

} // namespace ckpt

namespace ckpt {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "ckpt/Conversion/Passes.h.inc"
} // namespace ckpt

namespace {
struct OutlineKernelsPass
    : public ckpt::impl::OutlineKernelsBase<OutlineKernelsPass> {
  using OutlineKernelsBase::OutlineKernelsBase;
  void runOnOperation() override {
    if (failed(ckpt::outlineKernels(getOperation(), kernelModule)))
      signalPassFailure();
  }
};
} // namespace
