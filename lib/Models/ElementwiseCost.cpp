//===- ElementwiseCost.cpp - Cost of arith and math on tensors ------------===//

#include "ckpt/Interfaces/CostOpInterface.h"
#include "ckpt/Interfaces/RematerializableOpInterface.h"
#include "ckpt/Models/CostModels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace ckpt;

namespace {
/// One operation per element of the result.
template <typename OpTy>
struct ElementwiseCost
    : CostOpInterface::ExternalModel<ElementwiseCost<OpTy>, OpTy> {
  int64_t getFlops(Operation *op) const {
    auto shaped = dyn_cast<ShapedType>(op->getResult(0).getType());
    if (!shaped || !shaped.hasStaticShape())
      return 1;
    return shaped.getNumElements();
  }
  OpKind getKind(Operation *) const { return OpKind::Elementwise; }
  Type getContractionType(Operation *) const { return {}; }
};

struct ConstantStorage
    : RematerializableOpInterface::ExternalModel<ConstantStorage,
                                                 arith::ConstantOp> {
  Storage getStorage(Operation *, unsigned) const { return Storage::none(); }
};
} // namespace

template <typename... Ops>
static void attachElementwiseCost(MLIRContext *context) {
  (Ops::template attachInterface<ElementwiseCost<Ops>>(*context), ...);
}

void ckpt::registerArithCostModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attachElementwiseCost<
#define GET_OP_LIST
#include "mlir/Dialect/Arith/IR/ArithOps.cpp.inc"
        >(context);
    arith::ConstantOp::attachInterface<ConstantStorage>(*context);
  });
}

void ckpt::registerMathCostModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attachElementwiseCost<
#define GET_OP_LIST
#include "mlir/Dialect/Math/IR/MathOps.cpp.inc"
        >(context);
  });
}
