//===- Operand.cpp - Loads and stores of a nest's operands ----------------===//

#include "Operand.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ckpt {

Type Point::typeOf(Type type) const {
  return width == 1 ? type : VectorType::get({width}, type);
}

/// i1 takes a byte in memory but a bit in a vector: such vectors are put
/// together element by element.
bool canAccessAsVector(const Access &access, unsigned loop) {
  return access.strides[loop] == 1 && !access.view.elementType.isInteger(1);
}

int64_t alignedElements(const Access &access, unsigned loop, int64_t limit) {
  int64_t width = limit;
  auto shrinkTo = [&](int64_t distance) {
    while (distance % width != 0)
      width /= 2;
  };
  shrinkTo(access.view.alignment() / elementBytes(access.view.elementType));
  shrinkTo(access.constant);
  for (auto [number, stride] : llvm::enumerate(access.strides))
    if (number != loop)
      shrinkTo(stride);
  return width;
}

int64_t accessWidth(const LoopNest &nest, const Access &access, unsigned loop) {
  if (access.scalar || !canAccessAsVector(access, loop))
    return 1;
  int64_t width = alignedElements(
      access, loop, maxAccessBytes / elementBytes(access.view.elementType));
  while (nest.loops[loop].size % width != 0)
    width /= 2;
  return width;
}

Value broadcast(KernelBuilder &kernel, Value value, const Point &point) {
  if (point.width == 1 || isa<VectorType>(value.getType()))
    return value;
  if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    auto type = VectorType::get({point.width}, value.getType());
    Attribute element = constant.getValue();
    return arith::ConstantOp::create(kernel.builder(), kernel.loc(),
                                     DenseElementsAttr::get(type, element));
  }
  return vector::BroadcastOp::create(kernel.builder(), kernel.loc(),
                                     point.typeOf(value.getType()), value);
}

/// Addresses of the `width` elements at `point`.
static SmallVector<Value> elementAddresses(KernelBuilder &kernel,
                                           const Access &access,
                                           const Point &point) {
  SmallVector<Value> addresses;
  for (int64_t element = 0; element < point.width; ++element)
    addresses.push_back(kernel.linearize(
        access.constant + element * access.strides[point.vectorLoop],
        access.strides, point.indices));
  return addresses;
}

static llvm::Align accessAlignment(const Access &access, const Point &point) {
  return llvm::Align(point.width * elementBytes(access.view.elementType));
}

Value loadOperand(KernelBuilder &kernel, const Access &access,
                  const Point &point) {
  OpBuilder &b = kernel.builder();
  if (access.scalar)
    return broadcast(kernel, kernel.captured(access.scalar), point);
  if (TypedAttr splat = DeviceConstants::splatValue(access.view))
    return broadcast(kernel, arith::ConstantOp::create(b, kernel.loc(), splat),
                     point);
  Value base = kernel.pointer(access.view);
  bool isUniform = point.width == 1 || access.strides[point.vectorLoop] == 0;
  if (isUniform || canAccessAsVector(access, point.vectorLoop)) {
    Value address =
        kernel.linearize(access.constant, access.strides, point.indices);
    if (isUniform)
      return broadcast(kernel,
                       memref::LoadOp::create(b, kernel.loc(), base, address),
                       point);
    auto type = cast<VectorType>(point.typeOf(access.view.elementType));
    return vector::LoadOp::create(b, kernel.loc(), type, base, address,
                                  /*nontemporal=*/false,
                                  accessAlignment(access, point));
  }
  SmallVector<Value> elements;
  for (Value address : elementAddresses(kernel, access, point))
    elements.push_back(memref::LoadOp::create(b, kernel.loc(), base, address));
  return vector::FromElementsOp::create(
      b, kernel.loc(), point.typeOf(access.view.elementType), elements);
}

Value loadInitial(KernelBuilder &kernel, const LoopNest &nest, unsigned output,
                  const Point &point) {
  TypedAttr constant = nest.initialValues[output];
  if (!constant)
    return loadOperand(kernel, nest.outputs[output], point);
  Value value =
      arith::ConstantOp::create(kernel.builder(), kernel.loc(), constant);
  return broadcast(kernel, value, point);
}

void storeOperand(KernelBuilder &kernel, Value value, const Access &access,
                  const Point &point) {
  OpBuilder &b = kernel.builder();
  Value base = kernel.pointer(access.view);
  value = broadcast(kernel, value, point);
  if (point.width == 1) {
    Value address =
        kernel.linearize(access.constant, access.strides, point.indices);
    memref::StoreOp::create(b, kernel.loc(), value, base, address);
    return;
  }
  if (canAccessAsVector(access, point.vectorLoop)) {
    Value address =
        kernel.linearize(access.constant, access.strides, point.indices);
    vector::StoreOp::create(b, kernel.loc(), value, base, address,
                            /*nontemporal=*/false,
                            accessAlignment(access, point));
    return;
  }
  for (auto [element, address] :
       llvm::enumerate(elementAddresses(kernel, access, point)))
    memref::StoreOp::create(
        b, kernel.loc(),
        vector::ExtractOp::create(b, kernel.loc(), value, element), base,
        address);
}

} // namespace ckpt
