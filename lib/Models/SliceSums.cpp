//===- SliceSums.cpp - Sums of tensors that are mostly zero ---------------===//

#include "SliceSums.h"

#include "Emission.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ckpt;
using namespace ckpt::models;

/// Whether `tensor` is filled with zeros.
static bool isZero(Value tensor) {
  auto fill = tensor.getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.value(), m_AnyZeroFloat());
}

/// The insertions, last first, that `tensor` consists of, if they have static
/// places without strides and the rest is zero; none otherwise.
static SmallVector<tensor::InsertSliceOp> findSlices(Value tensor) {
  SmallVector<tensor::InsertSliceOp> slices;
  while (auto insert = tensor.getDefiningOp<tensor::InsertSliceOp>()) {
    if (ShapedType::isDynamicShape(insert.getStaticOffsets()) ||
        ShapedType::isDynamicShape(insert.getStaticSizes()) ||
        llvm::any_of(insert.getStaticStrides(),
                     [](int64_t stride) { return stride != 1; }))
      return {};
    slices.push_back(insert);
    tensor = insert.getDest();
  }
  if (!isZero(tensor))
    return {};
  return slices;
}

static bool areDisjoint(tensor::InsertSliceOp a, tensor::InsertSliceOp b) {
  for (auto [beginA, sizeA, beginB, sizeB] :
       llvm::zip_equal(a.getStaticOffsets(), a.getStaticSizes(),
                       b.getStaticOffsets(), b.getStaticSizes()))
    if (beginA + sizeA <= beginB || beginB + sizeB <= beginA)
      return true;
  return false;
}

/// The dimension along which `slices`, which are disjoint, make up all of a
/// tensor of `type`, if there is one.
static std::optional<unsigned>
findConcatenation(ArrayRef<tensor::InsertSliceOp> slices,
                  RankedTensorType type) {
  int64_t covered = 0;
  for (tensor::InsertSliceOp slice : slices) {
    if (slice.getSourceType().getRank() != type.getRank())
      return std::nullopt;
    covered += slice.getSourceType().getNumElements();
  }
  if (covered != type.getNumElements())
    return std::nullopt;
  std::optional<unsigned> along;
  for (unsigned dim = 0, e = type.getRank(); dim != e; ++dim) {
    if (llvm::all_of(slices, [&](tensor::InsertSliceOp slice) {
          return slice.getStaticSizes()[dim] == type.getDimSize(dim);
        }))
      continue;
    if (along)
      return std::nullopt;
    along = dim;
  }
  return along;
}

Value ckpt::models::createSumOfSlices(OpBuilder &builder, Location loc,
                                      Value sum, Value term) {
  SmallVector<tensor::InsertSliceOp> slices = findSlices(sum);
  SmallVector<tensor::InsertSliceOp> added = findSlices(term);
  if (slices.empty() || added.size() != 1 || sum.getType() != term.getType())
    return nullptr;
  tensor::InsertSliceOp slice = added.front();
  for (tensor::InsertSliceOp other : slices)
    if (!areDisjoint(slice, other))
      return nullptr;

  slices.push_back(slice);
  auto type = cast<RankedTensorType>(sum.getType());
  std::optional<unsigned> dim = findConcatenation(slices, type);
  if (!dim)
    return tensor::InsertSliceOp::create(
        builder, loc, slice.getSource(), sum, slice.getMixedOffsets(),
        slice.getMixedSizes(), slice.getMixedStrides());
  llvm::sort(slices, [&](tensor::InsertSliceOp a, tensor::InsertSliceOp b) {
    return a.getStaticOffsets()[*dim] < b.getStaticOffsets()[*dim];
  });
  SmallVector<Value> sources;
  for (tensor::InsertSliceOp piece : slices)
    sources.push_back(piece.getSource());
  return tensor::ConcatOp::create(builder, loc, type, *dim, sources);
}
