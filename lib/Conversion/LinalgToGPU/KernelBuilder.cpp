//===- KernelBuilder.cpp - Makes one gpu.func and its launch --------------===//

#include "KernelBuilder.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace ckpt {

/// A launch's parameters may take 4 KiB (CUDA programming guide, "function
/// parameters"); each of ours is a pointer.
static constexpr int64_t maxParameters = 4096 / 8;
static constexpr int64_t maxGridSize = (int64_t(1) << 31) - 1;

static constexpr auto noWrap =
    arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;

KernelBuilder::KernelBuilder(KernelContext &context, Location loc)
    : shared(context), location(loc), b(context.module.getContext()) {
  b.setInsertionPointToEnd(context.module.getBody());
  kernel = gpu::GPUFuncOp::create(b, loc, "kernel", b.getFunctionType({}, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  b.setInsertionPointToStart(&kernel.getBody().front());
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value KernelBuilder::addParameter(MemRefType type) {
  unsigned position = params.size() - 1;
  FunctionType old = kernel.getFunctionType();
  SmallVector<Type> types(old.getInputs());
  types.push_back(type);
  BlockArgument argument =
      kernel.getBody().front().insertArgument(position, type, location);
  kernel.setFunctionType(b.getFunctionType(types, {}));
  paramValues.push_back(argument);
  return argument;
}

Value KernelBuilder::pointer(const BufferView &view) {
  if (view.isConstant()) {
    // A constant is no parameter: its address is known to the kernel.
    Value &base = constantPointers[view.root];
    if (!base) {
      auto [name, type] = *shared.constants.declare(view.root);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&kernel.getBody().front());
      base = memref::GetGlobalOp::create(b, location, type, name);
    }
    int64_t offset = view.byteOffset / elementBytes(view.elementType);
    if (offset == 0)
      return base;
    auto type = MemRefType::get(
        {view.span()}, view.elementType,
        StridedLayoutAttr::get(b.getContext(), offset, /*strides=*/{1}));
    return memref::ReinterpretCastOp::create(b, location, type, base, offset,
                                             ArrayRef<int64_t>{view.span()},
                                             ArrayRef<int64_t>{1});
  }
  for (auto [param, value] : llvm::zip_equal(params, paramValues))
    if (param.root == view.root && param.byteOffset == view.byteOffset &&
        param.elementType == view.elementType && param.span() == view.span())
      return value;
  // In the arena the host adds the offset to the pointer. A part of a caller's
  // buffer keeps its offset in the type, as memref's rules have it.
  MemRefLayoutAttrInterface layout;
  auto rootType = cast<MemRefType>(view.root.getType());
  bool isArena =
      rootType.getRank() == 1 && rootType.getElementType().isInteger(8);
  if (!isArena && view.byteOffset != 0)
    layout = StridedLayoutAttr::get(
        b.getContext(), view.byteOffset / elementBytes(view.elementType),
        /*strides=*/{1});
  params.push_back(view);
  return addParameter(MemRefType::get({view.span()}, view.elementType, layout));
}

Value KernelBuilder::sharedBuffer(Type elementType, int64_t size) {
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto type =
      MemRefType::get({size}, elementType, MemRefLayoutAttrInterface(), space);
  unsigned number = kernel.getNumWorkgroupAttributions();
  Value buffer = kernel.addWorkgroupAttribution(type, location);
  // Without this the buffer has the alignment of one element.
  kernel.setWorkgroupAttributionAttr(
      number, LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(16));
  return buffer;
}

void KernelBuilder::emitCheckFailure(StringAttr message) {
  shared.messages.insert(message);
  int64_t number =
      llvm::find(shared.messages, message) - shared.messages.begin() + 1;
  auto type = MemRefType::get({1}, b.getI32Type());
  if (!status) {
    params.emplace_back();
    status = addParameter(type);
  }
  // The first failure stays: later ones may follow from it.
  Value position = index(0);
  Value old = memref::LoadOp::create(b, location, status, position);
  Value isFirst = arith::CmpIOp::create(b, location, arith::CmpIPredicate::eq,
                                        old, zero(b.getI32Type()));
  OpBuilder::InsertionGuard guard(b);
  enterIf(isFirst);
  Value id =
      arith::ConstantOp::create(b, location, b.getI32IntegerAttr(number));
  memref::StoreOp::create(b, location, id, status, position);
  noteWrite(status);
}

//===----------------------------------------------------------------------===//
// Captured scalars
//===----------------------------------------------------------------------===//

Value KernelBuilder::loadCaptured(Operation *op) {
  auto load = cast<memref::LoadOp>(op);
  FailureOr<BufferView> view = shared.views.resolve(load.getMemRef(), op);
  if (failed(view))
    return {};
  SmallVector<Value> indices;
  for (Value position : load.getIndices())
    indices.push_back(captures.lookup(position));
  Value address = linearize(0, view->strides, indices);
  return memref::LoadOp::create(b, location, pointer(*view), address);
}

LogicalResult KernelBuilder::capture(Value value, Operation *user) {
  if (captures.contains(value))
    return success();
  // The slice in program order: all of it is in the step's one block.
  SetVector<Operation *> slice;
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value current = worklist.pop_back_val();
    if (captures.contains(current))
      continue;
    Operation *op = current.getDefiningOp();
    bool isLoad = isa_and_nonnull<memref::LoadOp>(op);
    if (!op || op->getNumRegions() != 0 || !(isLoad || isPure(op))) {
      InFlightDiagnostic diagnostic =
          user->emitOpError("depends on a scalar that kernels cannot compute");
      diagnostic.attachNote(current.getLoc()) << "it is this one";
      return diagnostic;
    }
    if (!slice.insert(op))
      continue;
    if (isLoad)
      llvm::append_range(worklist, cast<memref::LoadOp>(op).getIndices());
    else
      llvm::append_range(worklist, op->getOperands());
  }
  SmallVector<Operation *> ordered = slice.takeVector();
  llvm::sort(ordered, [](Operation *lhs, Operation *rhs) {
    return lhs->isBeforeInBlock(rhs);
  });
  for (Operation *op : ordered) {
    if (!isa<memref::LoadOp>(op)) {
      Operation *clone = b.clone(*op, captures);
      clone->setLoc(location);
      continue;
    }
    Value loaded = loadCaptured(op);
    if (!loaded)
      return failure();
    captures.map(op->getResult(0), loaded);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

Value KernelBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, location, value);
}

Value KernelBuilder::add(Value lhs, Value rhs) {
  return b.createOrFold<arith::AddIOp>(location, lhs, rhs, noWrap);
}

Value KernelBuilder::mul(Value lhs, int64_t rhs) {
  if (rhs == 1)
    return lhs;
  // Reversed loops have negative strides.
  auto flags = rhs < 0 ? arith::IntegerOverflowFlags::nsw : noWrap;
  return b.createOrFold<arith::MulIOp>(location, lhs, index(rhs), flags);
}

Value KernelBuilder::div(Value lhs, int64_t rhs) {
  return rhs == 1 ? lhs
                  : b.createOrFold<arith::DivUIOp>(location, lhs, index(rhs));
}

Value KernelBuilder::rem(Value lhs, int64_t rhs) {
  return rhs == 1 ? index(0)
                  : b.createOrFold<arith::RemUIOp>(location, lhs, index(rhs));
}

Value KernelBuilder::isBelow(Value lhs, int64_t rhs) {
  return isBelow(lhs, index(rhs));
}

Value KernelBuilder::isBelow(Value lhs, Value rhs) {
  return arith::CmpIOp::create(b, location, arith::CmpIPredicate::ult, lhs,
                               rhs);
}

Value KernelBuilder::isZero(Value value) {
  return arith::CmpIOp::create(b, location, arith::CmpIPredicate::eq, value,
                               index(0));
}

SmallVector<Value> KernelBuilder::delinearize(Value linear,
                                              ArrayRef<int64_t> sizes) {
  SmallVector<Value> coordinates(sizes.size());
  for (unsigned dim = sizes.size(); dim-- > 0;) {
    coordinates[dim] = dim == 0 ? linear : rem(linear, sizes[dim]);
    if (dim != 0)
      linear = div(linear, sizes[dim]);
  }
  return coordinates;
}

Value KernelBuilder::linearize(int64_t constant, ArrayRef<int64_t> strides,
                               ArrayRef<Value> indices) {
  bool isReversed =
      llvm::any_of(strides, [](int64_t stride) { return stride < 0; });
  auto flags = isReversed ? arith::IntegerOverflowFlags::nsw : noWrap;
  Value sum;
  for (auto [stride, position] : llvm::zip_equal(strides, indices)) {
    if (stride == 0 || !position)
      continue;
    Value term = mul(position, stride);
    sum =
        sum ? b.createOrFold<arith::AddIOp>(location, sum, term, flags) : term;
  }
  if (!sum)
    return index(constant);
  return constant == 0 ? sum
                       : b.createOrFold<arith::AddIOp>(location, sum,
                                                       index(constant), flags);
}

Value KernelBuilder::threadId() {
  return gpu::ThreadIdOp::create(b, location, gpu::Dimension::x);
}

Value KernelBuilder::blockId() {
  return gpu::BlockIdOp::create(b, location, gpu::Dimension::x);
}

Value KernelBuilder::zero(Type type) {
  return arith::ConstantOp::create(b, location, b.getZeroAttr(type));
}

/// The instruction moves 32 bits.
Value KernelBuilder::shuffle(Value value, int64_t distance) {
  Location loc = location;
  constexpr int32_t warpSize = 32;
  Type type = value.getType();
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto exchange = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(b, loc, word, distance, warpSize,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  if (type.isF32() || type.isInteger(32))
    return exchange(value);
  if (auto integer = dyn_cast<IntegerType>(type);
      integer && integer.getWidth() < 32)
    return arith::TruncIOp::create(
        b, loc, type, exchange(arith::ExtUIOp::create(b, loc, i32, value)));
  Value word = value;
  if (isa<IndexType>(type))
    word = arith::IndexCastOp::create(b, loc, i64, value);
  else if (type.isF64())
    word = arith::BitcastOp::create(b, loc, i64, value);
  Value shift = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32));
  Value low = arith::TruncIOp::create(b, loc, i32, word);
  Value high = arith::TruncIOp::create(
      b, loc, i32, arith::ShRUIOp::create(b, loc, word, shift));
  low = arith::ExtUIOp::create(b, loc, i64, exchange(low));
  high = arith::ExtUIOp::create(b, loc, i64, exchange(high));
  word = arith::OrIOp::create(b, loc, low,
                              arith::ShLIOp::create(b, loc, high, shift));
  if (isa<IndexType>(type))
    return arith::IndexCastOp::create(b, loc, type, word);
  return type.isF64() ? arith::BitcastOp::create(b, loc, type, word).getResult()
                      : word;
}

void KernelBuilder::enterIf(Value condition) {
  if (!condition)
    return;
  auto branch = scf::IfOp::create(b, location, condition,
                                  /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
}

/// What lets the compiler move loads and use read-only caches: memory that no
/// other parameter reaches, and memory that the kernel does not write.
void KernelBuilder::setPointerAttributes() {
  for (size_t number = 0; number < params.size(); ++number) {
    const BufferView &param = params[number];
    bool isShared =
        param.root && llvm::count_if(params, [&](const BufferView &other) {
                        return other.root && param.overlaps(other);
                      }) > 1;
    if (!isShared)
      kernel.setArgAttr(number, LLVM::LLVMDialect::getNoAliasAttrName(),
                        b.getUnitAttr());
    if (!written.contains(paramValues[number]))
      kernel.setArgAttr(number, LLVM::LLVMDialect::getReadonlyAttrName(),
                        b.getUnitAttr());
  }
}

LogicalResult KernelBuilder::finish(int64_t gridSize, int64_t blockSize) {
  b.setInsertionPointToEnd(&kernel.getBody().front());
  gpu::ReturnOp::create(b, location);
  grid = gridSize;
  block = blockSize;
  if (static_cast<int64_t>(params.size()) > maxParameters)
    return emitError(location)
           << "the kernel needs " << params.size() << " buffers, more than the "
           << maxParameters << " that a launch can pass";
  if (grid > maxGridSize)
    return emitError(location) << "the kernel needs " << grid
                               << " blocks, more than a grid can have";
  setPointerAttributes();
  kernel.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({static_cast<int32_t>(block), 1, 1}));
  kernel.setKnownGridSizeAttr(
      b.getDenseI32ArrayAttr({static_cast<int32_t>(grid), 1, 1}));
  return success();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static memref::GlobalOp lookupGlobal(Value root) {
  auto get = root.getDefiningOp<memref::GetGlobalOp>();
  return SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      get, get.getNameAttr());
}

TypedAttr DeviceConstants::splatValue(const BufferView &view) {
  if (!view.root || !view.isConstant())
    return {};
  memref::GlobalOp global = lookupGlobal(view.root);
  auto value = dyn_cast_or_null<DenseElementsAttr>(
      global ? global.getInitialValueAttr() : Attribute());
  if (!value || !value.isSplat())
    return {};
  return value.getSplatValue<TypedAttr>();
}

FailureOr<std::pair<FlatSymbolRefAttr, MemRefType>>
DeviceConstants::declare(Value root) {
  memref::GlobalOp global = lookupGlobal(root);
  if (auto it = globals.find(global); it != globals.end())
    return it->second;
  auto elements = dyn_cast_or_null<ElementsAttr>(
      global ? global.getInitialValueAttr() : Attribute());
  if (!elements)
    return failure();
  auto flat = RankedTensorType::get({elements.getNumElements()},
                                    elements.getElementType());
  Attribute value;
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    value = dense.reshape(flat);
  else if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    value = DenseResourceElementsAttr::get(flat, resource.getRawHandle());
  else
    return failure();
  auto type = MemRefType::get(flat.getShape(), flat.getElementType());
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  // No kernel's name begins like that.
  std::string name = ("constant_" + global.getSymName()).str();
  auto copy = memref::GlobalOp::create(
      b, global.getLoc(), name, b.getStringAttr("private"), type, value,
      /*constant=*/true, b.getI64IntegerAttr(rootAlignment));
  return globals[global] = {FlatSymbolRefAttr::get(copy), type};
}

} // namespace ckpt
