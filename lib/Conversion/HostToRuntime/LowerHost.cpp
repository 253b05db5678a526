//===- LowerHost.cpp - Launches become runtime calls ----------------------===//

#include "ckpt/Conversion/HostToRuntime/LowerHost.h"

#include "StepInfo.h"
#include "ckpt/Conversion/LinalgToGPU/OutlineKernels.h"
#include "ckpt/Conversion/Passes.h"
#include "ckpt/IR/Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace {

/// A device address: an argument of the step and an offset.
struct Address {
  BlockArgument root;
  int64_t bytes = 0;
};

/// The runtime's functions (ckpt/Runtime/Runtime.h).
struct RuntimeFunctions {
  LLVM::LLVMFuncOp acquireArena, releaseArena, statusWord, launch;

  explicit RuntimeFunctions(ModuleOp module);
};

class HostLowering {
public:
  HostLowering(ModuleOp module, func::FuncOp step)
      : module(module), step(step), b(module.getContext()), constants(module),
        runtime(module), pointer(LLVM::LLVMPointerType::get(b.getContext())) {}

  LogicalResult run();

private:
  LogicalResult checkStep();
  void classifyArguments();
  FailureOr<Address> resolve(Value value, Operation *user);
  void emitEntry(int64_t maxParameters);
  FailureOr<Value> emitAddress(Value value, gpu::LaunchFuncOp launch);
  LogicalResult emitLaunch(gpu::LaunchFuncOp launch);
  Value integer(unsigned width, int64_t value);
  Value element(Value array, Type type, int64_t index);
  Value call(LLVM::LLVMFuncOp callee, ValueRange arguments);
  /// Goes to `exit` with `code` if `fails`, else on in a new block.
  void leaveIf(Value fails, Value code, Block *exit);

  ModuleOp module;
  func::FuncOp step;
  OpBuilder b;
  ckpt::HostConstants constants;
  RuntimeFunctions runtime;
  Type pointer;
  Location loc = step.getLoc();

  ckpt::StepInfo info;
  BlockArgument statusArgument;
  /// For each argument, its position in the array that the caller passes.
  llvm::DenseMap<BlockArgument, int64_t> positions;

  LLVM::LLVMFuncOp stepFunction;
  Value context, buffers, arena, status, parameters, slots;
  /// Releases the arena and returns its argument.
  Block *release = nullptr;
};

} // namespace

//===----------------------------------------------------------------------===//
// Runtime functions
//===----------------------------------------------------------------------===//

RuntimeFunctions::RuntimeFunctions(ModuleOp module) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type none = LLVM::LLVMVoidType::get(b.getContext());
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto declare = [&](StringRef name, Type result, ArrayRef<Type> arguments) {
    return LLVM::LLVMFuncOp::create(
        b, module.getLoc(), name,
        LLVM::LLVMFunctionType::get(result, arguments));
  };
  acquireArena = declare("ckptArenaAcquire", pointer, {pointer, i64});
  releaseArena = declare("ckptArenaRelease", none, {pointer, pointer});
  statusWord = declare("ckptStatusWord", pointer, {pointer});
  launch = declare(
      "ckptLaunch", i32,
      {pointer, pointer, i32, i32, i32, i32, i32, i32, i32, i32, pointer, i32});
}

//===----------------------------------------------------------------------===//
// The step before
//===----------------------------------------------------------------------===//

LogicalResult HostLowering::checkStep() {
  if (!step.getBody().hasOneBlock())
    return step.emitOpError("must have one block to become host code");
  if (step.getNumArguments() == 0)
    return step.emitOpError("must have its arena as the first argument");
  for (BlockArgument argument : step.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || !ckpt::getContentBytes(type) || !type.getLayout().isIdentity())
      return step.emitOpError("must have contiguous buffers of numbers and of "
                              "static shape as arguments, not ")
             << argument.getType();
    if (!type.getElementType().isIntOrIndexOrFloat())
      return step.emitOpError("must have buffers of numbers as arguments, not ")
             << type;
  }
  auto arenaType = cast<MemRefType>(step.getArgument(0).getType());
  if (arenaType.getRank() != 1 || !arenaType.getElementType().isInteger(8))
    return step.emitOpError("must have its arena, of type memref<Nxi8>, as "
                            "the first argument");
  if (step.getNumResults() != 0)
    return step.emitOpError("must have its results as arguments");
  return success();
}

void HostLowering::classifyArguments() {
  info.arenaBytes =
      cast<MemRefType>(step.getArgument(0).getType()).getNumElements();
  SmallVector<BlockArgument> results;
  for (BlockArgument argument : step.getArguments().drop_front()) {
    unsigned number = argument.getArgNumber();
    if (step.getArgAttr(number, ckpt::statusArgumentName)) {
      statusArgument = argument;
    } else if (step.getArgAttr(number, ckpt::resultArgumentName)) {
      results.push_back(argument);
    } else {
      positions[argument] = info.arguments.size();
      info.arguments.push_back(cast<MemRefType>(argument.getType()));
    }
  }
  for (BlockArgument argument : results) {
    positions[argument] = info.arguments.size() + info.results.size();
    info.results.push_back(cast<MemRefType>(argument.getType()));
  }
  info.messages = module->getAttrOfType<ArrayAttr>(ckpt::checkMessagesName);
  if (!info.messages)
    info.messages = b.getArrayAttr({});
}

FailureOr<Address> HostLowering::resolve(Value value, Operation *user) {
  Address address;
  while (Operation *op = value.getDefiningOp()) {
    if (auto view = dyn_cast<memref::ViewOp>(op)) {
      std::optional<int64_t> shift = getConstantIntValue(view.getByteShift());
      if (shift) {
        address.bytes += *shift;
        value = view.getSource();
        continue;
      }
    } else if (auto cast = dyn_cast<memref::ReinterpretCastOp>(op)) {
      // A bare pointer is that of the base: the kernel adds the type's offset.
      value = cast.getSource();
      continue;
    }
    return user->emitOpError("has an operand whose address is not an argument "
                             "and a constant");
  }
  address.root = cast<BlockArgument>(value);
  return address;
}

//===----------------------------------------------------------------------===//
// The step after
//===----------------------------------------------------------------------===//

Value HostLowering::integer(unsigned width, int64_t value) {
  Type type = b.getIntegerType(width);
  return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
}

Value HostLowering::element(Value array, Type type, int64_t index) {
  if (index == 0)
    return array;
  return LLVM::GEPOp::create(b, loc, pointer, type, array,
                             ArrayRef<LLVM::GEPArg>{integer(64, index)});
}

Value HostLowering::call(LLVM::LLVMFuncOp callee, ValueRange arguments) {
  auto op = LLVM::CallOp::create(b, loc, callee, arguments);
  return op->getNumResults() == 0 ? Value() : op.getResult();
}

void HostLowering::leaveIf(Value fails, Value code, Block *exit) {
  Block *current = b.getInsertionBlock();
  Block *next = b.createBlock(release);
  b.setInsertionPointToEnd(current);
  LLVM::CondBrOp::create(b, loc, fails, exit, ValueRange(code), next,
                         ValueRange());
  b.setInsertionPointToStart(next);
}

/// One array of slots for parameters, and one of their addresses, serve every
/// launch.
void HostLowering::emitEntry(int64_t maxParameters) {
  auto type = LLVM::LLVMFunctionType::get(b.getI32Type(), {pointer, pointer});
  b.setInsertionPoint(step);
  stepFunction = LLVM::LLVMFuncOp::create(b, loc, "ckpt_step_run", type,
                                          LLVM::Linkage::Internal);
  Block *entry = stepFunction.addEntryBlock(b);
  context = entry->getArgument(0);
  buffers = entry->getArgument(1);
  release = b.createBlock(&stepFunction.getBody(), stepFunction.getBody().end(),
                          b.getI32Type(), loc);
  b.setInsertionPointToStart(entry);
  Value count = integer(64, std::max<int64_t>(1, maxParameters));
  slots = LLVM::AllocaOp::create(b, loc, pointer, pointer, count);
  parameters = LLVM::AllocaOp::create(b, loc, pointer, pointer, count);
  for (int64_t i = 0; i < maxParameters; ++i)
    LLVM::StoreOp::create(b, loc, element(slots, pointer, i),
                          element(parameters, pointer, i));
  auto isNull = [&](Value address) -> Value {
    Value null = LLVM::ZeroOp::create(b, loc, pointer);
    return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, address, null);
  };
  // The runtime has kept the error: any code but zero will do.
  Value failed = integer(32, 1);
  arena = LLVM::ZeroOp::create(b, loc, pointer);
  if (info.arenaBytes > 0) {
    Block *giveUp = b.createBlock(release, b.getI32Type(), loc);
    LLVM::ReturnOp::create(b, loc, giveUp->getArgument(0));
    b.setInsertionPointToEnd(entry);
    arena = call(runtime.acquireArena, {context, integer(64, info.arenaBytes)});
    leaveIf(isNull(arena), failed, giveUp);
  }
  if (statusArgument) {
    status = call(runtime.statusWord, {context});
    leaveIf(isNull(status), failed, release);
  }
}

FailureOr<Value> HostLowering::emitAddress(Value value,
                                           gpu::LaunchFuncOp launch) {
  FailureOr<Address> address = resolve(value, launch);
  if (failed(address))
    return failure();
  Value base;
  if (address->root == statusArgument)
    base = status;
  else if (auto it = positions.find(address->root); it != positions.end())
    base = LLVM::LoadOp::create(b, loc, pointer,
                                element(buffers, pointer, it->second));
  else
    base = arena;
  return element(base, b.getI8Type(), address->bytes);
}

LogicalResult HostLowering::emitLaunch(gpu::LaunchFuncOp launch) {
  loc = launch.getLoc();
  if (launch.getAsyncToken() || !launch.getAsyncDependencies().empty() ||
      launch.hasClusterSize())
    return launch.emitOpError("has no counterpart in the runtime: it is "
                              "asynchronous or has clusters");
  SmallVector<Value> operands{context,
                              constants.string(b, loc, launch.getKernelName())};
  gpu::KernelDim3 grid = launch.getGridSizeOperandValues();
  gpu::KernelDim3 block = launch.getBlockSizeOperandValues();
  Value sharedBytes = launch.getDynamicSharedMemorySize();
  for (Value size :
       {grid.x, grid.y, grid.z, block.x, block.y, block.z, sharedBytes}) {
    std::optional<int64_t> number =
        size ? getConstantIntValue(size) : std::optional<int64_t>(0);
    if (!number)
      return launch.emitOpError("must have constant sizes");
    operands.push_back(integer(32, *number));
  }
  operands.push_back(integer(32, /*stream=*/0));
  for (auto [number, value] : llvm::enumerate(launch.getKernelOperands())) {
    FailureOr<Value> address = emitAddress(value, launch);
    if (failed(address))
      return failure();
    LLVM::StoreOp::create(b, loc, *address, element(slots, pointer, number));
  }
  operands.push_back(parameters);
  operands.push_back(integer(32, launch.getNumKernelOperands()));
  Value code = call(runtime.launch, operands);
  Value fails = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, code,
                                     integer(32, 0));
  leaveIf(fails, code, release);
  return success();
}

LogicalResult HostLowering::run() {
  if (failed(checkStep()))
    return failure();
  classifyArguments();
  int64_t maxParameters = 0;
  for (auto launch : step.getOps<gpu::LaunchFuncOp>())
    maxParameters =
        std::max<int64_t>(maxParameters, launch.getNumKernelOperands());
  emitEntry(maxParameters);
  for (Operation &op : step.getBody().front().without_terminator()) {
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op)) {
      if (failed(emitLaunch(launch)))
        return failure();
    } else if (!isPure(&op)) {
      return op.emitOpError("cannot run on the host");
    }
  }
  loc = step.getLoc();
  LLVM::BrOp::create(b, loc, ValueRange(integer(32, 0)), release);
  b.setInsertionPointToStart(release);
  if (info.arenaBytes > 0)
    call(runtime.releaseArena, {context, arena});
  LLVM::ReturnOp::create(b, loc, release->getArgument(0));
  info.run = stepFunction;
  constants.defineStepInfo(loc, info);
  module->removeAttr(ckpt::checkMessagesName);
  step.erase();
  return success();
}

LogicalResult ckpt::lowerHost(ModuleOp module, StringRef entry) {
  SmallVector<func::FuncOp> steps;
  for (auto func : module.getOps<func::FuncOp>())
    if (!func.isDeclaration() && (entry.empty() || func.getName() == entry))
      steps.push_back(func);
  if (steps.size() != 1) {
    if (!entry.empty())
      return module.emitError("has no function '") << entry << "'";
    return module.emitError("must have one function to lower, not ")
           << steps.size();
  }
  // Names of what the lowering adds to the module.
  for (Operation &op : *module.getBody()) {
    auto name = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    if (name && name.getValue().starts_with("ckpt") && &op != steps.front())
      return op.emitOpError("has a name of the runtime's: '")
             << name.getValue() << "'";
  }
  return HostLowering(module, steps.front()).run();
}

namespace ckpt {
#define GEN_PASS_DEF_LOWERHOST
#include "ckpt/Conversion/Passes.h.inc"
} // namespace ckpt

namespace {
struct LowerHostPass : ckpt::impl::LowerHostBase<LowerHostPass> {
  using LowerHostBase::LowerHostBase;
  void runOnOperation() override {
    if (failed(ckpt::lowerHost(getOperation(), entry)))
      signalPassFailure();
  }
};
} // namespace
