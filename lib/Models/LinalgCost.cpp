//===- LinalgCost.cpp - Cost and storage of structured ops ----------------===//

#include "ckpt/Interfaces/CostOpInterface.h"
#include "ckpt/Interfaces/RematerializableOpInterface.h"
#include "ckpt/Models/CostModels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ckpt;

/// Whether `op` of a payload is arithmetic: neither an index computation nor
/// control.
static bool isArithmetic(Operation &op) {
  if (isa<linalg::IndexOp, linalg::YieldOp, arith::ConstantOp, cf::AssertOp,
          tensor::ExtractOp, arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return false;
  return op.getNumResults() == 1 && !op.getResult(0).getType().isIndex();
}

static bool isConvolution(linalg::LinalgOp op) {
  return isa<linalg::ConvolutionOpInterface>(*op) ||
         linalg::isaConvolutionOpInterface(op);
}

static bool isContraction(linalg::LinalgOp op) {
  return linalg::isaContractionOpInterface(op) || isConvolution(op);
}

namespace {
template <typename OpTy>
struct LinalgCost : CostOpInterface::ExternalModel<LinalgCost<OpTy>, OpTy> {
  int64_t getFlops(Operation *op) const {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    int64_t flops = llvm::count_if(*linalgOp.getBlock(), isArithmetic);
    // A contraction is a multiply-add each time; its conversions are free.
    if (isContraction(linalgOp))
      flops = 2;
    for (int64_t range : linalgOp.getStaticLoopRanges()) {
      if (ShapedType::isDynamic(range))
        continue;
      if (llvm::MulOverflow(flops, range, flops))
        return std::numeric_limits<int64_t>::max();
    }
    return flops;
  }

  OpKind getKind(Operation *op) const {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    if (isContraction(linalgOp))
      return OpKind::Contraction;
    if (linalgOp.getNumReductionLoops() > 0)
      return OpKind::Reduction;
    return llvm::any_of(*linalgOp.getBlock(), isArithmetic)
               ? OpKind::Elementwise
               : OpKind::DataMovement;
  }

  Type getContractionType(Operation *op) const {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    if (!isContraction(linalgOp))
      return {};
    return getElementTypeOrSelf(linalgOp.getDpsInputs().front().getType());
  }
};

template <typename OpTy>
struct LinalgStorage
    : RematerializableOpInterface::ExternalModel<LinalgStorage<OpTy>, OpTy> {
  Storage getStorage(Operation *op, unsigned result) const {
    OpOperand *init = cast<linalg::LinalgOp>(op).getDpsInitOperand(
        static_cast<int64_t>(result));
    Value destination = init->get();
    auto definition = destination.getDefiningOp();
    // What a fill or `tensor.empty` defines is made for each reader anew.
    if (definition && isa<tensor::EmptyOp, linalg::FillOp>(definition))
      return Storage::fresh();
    if (!cast<linalg::LinalgOp>(op).payloadUsesValueFromOperand(init))
      return Storage::fresh();
    return Storage::inPlace(init->getOperandNumber());
  }

  bool isRecomputable(Operation *op) const {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    // A check that passed once passes again: repeating it is not observable.
    return linalgOp.hasPureTensorSemantics() &&
           llvm::all_of(*linalgOp.getBlock(), [](Operation &nested) {
             return isa<cf::AssertOp>(nested) || isMemoryEffectFree(&nested);
           });
  }
};

/// A fill that only initialises destinations is part of the ops that it
/// initialises.
struct FillStorage
    : RematerializableOpInterface::ExternalModel<FillStorage, linalg::FillOp> {
  Storage getStorage(Operation *op, unsigned) const {
    bool onlyInitialises = llvm::all_of(op->getUses(), [](OpOperand &use) {
      auto destination = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
      return destination && destination.isDpsInit(&use);
    });
    return onlyInitialises ? Storage::none() : Storage::fresh();
  }
};
} // namespace

template <typename... Ops>
static void attachLinalgModels(MLIRContext *context) {
  // A fill stores differently from the rest; the first attachment wins.
  linalg::FillOp::attachInterface<FillStorage>(*context);
  (Ops::template attachInterface<LinalgCost<Ops>>(*context), ...);
  (
      [&] {
        if constexpr (!std::is_same_v<Ops, linalg::FillOp>)
          Ops::template attachInterface<LinalgStorage<Ops>>(*context);
      }(),
      ...);
}

void ckpt::registerLinalgCostModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    attachLinalgModels<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >(context);
  });
}
