//===- TensorCost.cpp - Cost and storage of tensor ops --------------------===//

#include "ckpt/Interfaces/CostOpInterface.h"
#include "ckpt/Interfaces/RematerializableOpInterface.h"
#include "ckpt/Models/CostModels.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace ckpt;

/// Whether the buffer of `value` may have gaps: it is a slice of another one.
static bool isSlice(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<tensor::ExtractSliceOp>(op))
      return true;
    OpResult result = cast<OpResult>(value);
    Storage storage = getStorage(result);
    if (storage.kind != Storage::Kind::View)
      return false;
    value = op->getOperand(storage.operand);
  }
  return false;
}

namespace {
template <typename OpTy>
struct MovementCost : CostOpInterface::ExternalModel<MovementCost<OpTy>, OpTy> {
  int64_t getFlops(Operation *) const { return 0; }
  OpKind getKind(Operation *) const { return OpKind::DataMovement; }
  Type getContractionType(Operation *) const { return {}; }
};

template <typename OpTy>
struct ViewStorage
    : RematerializableOpInterface::ExternalModel<ViewStorage<OpTy>, OpTy> {
  Storage getStorage(Operation *, unsigned) const { return Storage::view(0); }
};

/// Dimensions of a slice cannot be collapsed without a copy.
struct CollapseStorage
    : RematerializableOpInterface::ExternalModel<CollapseStorage,
                                                 tensor::CollapseShapeOp> {
  Storage getStorage(Operation *op, unsigned) const {
    return isSlice(op->getOperand(0)) ? Storage::fresh() : Storage::view(0);
  }
};

struct EmptyStorage
    : RematerializableOpInterface::ExternalModel<EmptyStorage,
                                                 tensor::EmptyOp> {
  Storage getStorage(Operation *, unsigned) const { return Storage::none(); }
};

struct InsertSliceStorage
    : RematerializableOpInterface::ExternalModel<InsertSliceStorage,
                                                 tensor::InsertSliceOp> {
  Storage getStorage(Operation *op, unsigned) const {
    auto insert = cast<tensor::InsertSliceOp>(op);
    return Storage::inPlace(insert.getDestMutable().getOperandNumber());
  }
};

struct InsertStorage
    : RematerializableOpInterface::ExternalModel<InsertStorage,
                                                 tensor::InsertOp> {
  Storage getStorage(Operation *op, unsigned) const {
    auto insert = cast<tensor::InsertOp>(op);
    return Storage::inPlace(insert.getDestMutable().getOperandNumber());
  }
};
} // namespace

template <typename... Ops>
static void attachMovementCost(MLIRContext *context) {
  (Ops::template attachInterface<MovementCost<Ops>>(*context), ...);
}

template <typename... Ops>
static void attachViewStorage(MLIRContext *context) {
  (Ops::template attachInterface<ViewStorage<Ops>>(*context), ...);
}

void ckpt::registerTensorCostModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    attachMovementCost<
#define GET_OP_LIST
#include "mlir/Dialect/Tensor/IR/TensorOps.cpp.inc"
        >(context);
    attachViewStorage<tensor::CastOp, tensor::ExpandShapeOp,
                      tensor::ExtractSliceOp>(context);
    tensor::CollapseShapeOp::attachInterface<CollapseStorage>(*context);
    tensor::EmptyOp::attachInterface<EmptyStorage>(*context);
    tensor::InsertSliceOp::attachInterface<InsertSliceStorage>(*context);
    tensor::InsertOp::attachInterface<InsertStorage>(*context);
  });
}

void ckpt::registerCostModels(DialectRegistry &registry) {
  registerArithCostModels(registry);
  registerLinalgCostModels(registry);
  registerMathCostModels(registry);
  registerTensorCostModels(registry);
}
