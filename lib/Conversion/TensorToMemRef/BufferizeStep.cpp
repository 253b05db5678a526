//===- BufferizeStep.cpp - Turn a planned step's tensors into buffers -----===//

#include "ckpt/Conversion/Passes.h"
#include "ckpt/IR/Buffers.h"
#include "ckpt/IR/CkptDialect.h"
#include "ckpt/Interfaces/RematerializableOpInterface.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

namespace ckpt {
#define GEN_PASS_DEF_BUFFERIZESTEP
#include "ckpt/Conversion/Passes.h.inc"
} // namespace ckpt

using namespace mlir;
using namespace ckpt;

/// The order of the block is the plan from here on.
static void dropIdentities(ModuleOp module) {
  module.walk([](Operation *op) {
    if (auto barrier = dyn_cast<BarrierOp>(op)) {
      barrier->replaceAllUsesWith(barrier.getValues());
      barrier->erase();
    } else if (auto name = dyn_cast<NameOp>(op)) {
      name->replaceAllUsesWith(ValueRange(name.getValue()));
      name->erase();
    }
  });
}

/// Gives each destination an undefined tensor, or a fill of one, of its own:
/// shared ones would be copied.
static void privatizeDestinations(ModuleOp module) {
  module.walk([](DestinationStyleOpInterface op) {
    if (!op.hasPureTensorSemantics() || isa<linalg::FillOp>(*op))
      return;
    OpBuilder builder(op);
    for (OpOperand &init : op.getDpsInitsMutable()) {
      Operation *definition = init.get().getDefiningOp();
      if (!definition)
        continue;
      IRMapping mapping;
      if (auto fill = dyn_cast<linalg::FillOp>(definition)) {
        auto empty = fill.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>();
        if (!empty)
          continue;
        builder.clone(*empty, mapping);
      } else if (!isa<tensor::EmptyOp>(definition)) {
        continue;
      }
      init.set(builder.clone(*definition, mapping)->getResult(0));
    }
  });
  // What nobody reads any more.
  SmallVector<Operation *> unused;
  module.walk([&](Operation *op) {
    if (isa<tensor::EmptyOp, linalg::FillOp>(op))
      unused.push_back(op);
  });
  for (Operation *op : llvm::reverse(unused))
    if (op->use_empty())
      op->erase();
}

/// The value whose buffer `value` is, or is a view of.
static Value getBufferRoot(Value value) {
  while (auto result = dyn_cast<OpResult>(value)) {
    Storage storage = getStorage(result);
    if (storage.kind != Storage::Kind::View)
      break;
    value = result.getOwner()->getOperand(storage.operand);
  }
  return value;
}

/// Whether nothing reads the buffer of `root` once `op` runs, and `op` itself
/// reads it through `destination` alone.
static bool isLastUse(Value root, OpOperand &destination) {
  Operation *op = destination.getOwner();
  SmallVector<Value> views{root};
  while (!views.empty()) {
    for (OpOperand &use : views.pop_back_val().getUses()) {
      if (&use == &destination)
        continue;
      Operation *user = op->getBlock()->findAncestorOpInBlock(*use.getOwner());
      if (!user || user == op || op->isBeforeInBlock(user))
        return false;
      for (OpResult result : use.getOwner()->getResults()) {
        Storage storage = getStorage(result);
        if (storage.kind == Storage::Kind::View &&
            storage.operand == use.getOperandNumber())
          views.push_back(result);
      }
    }
  }
  return true;
}

/// Whether `destination` may be overwritten: its buffer is the step's own and
/// its contents are not needed after.
static bool isWritable(OpOperand &destination) {
  Value root = getBufferRoot(destination.get());
  Operation *definition = root.getDefiningOp();
  if (!definition || definition->hasTrait<OpTrait::ConstantLike>())
    return false;
  return isLastUse(root, destination);
}

/// Copies destinations that may not be overwritten, as the plan counts them:
/// after this nothing has to be analysed.
static void copyReadDestinations(ModuleOp module) {
  module.walk([](DestinationStyleOpInterface op) {
    if (!op.hasPureTensorSemantics())
      return;
    OpBuilder builder(op);
    for (OpOperand &init : op.getDpsInitsMutable()) {
      auto type = dyn_cast<RankedTensorType>(init.get().getType());
      if (!type || !type.hasStaticShape() || isWritable(init))
        continue;
      Value empty =
          tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                  type.getElementType(), type.getEncoding());
      init.set(linalg::CopyOp::create(builder, op.getLoc(), init.get(), empty)
                   .getResult(0));
    }
  });
}

/// Whether upstream's analysis must decide what is written in place: control
/// flow and calls are more than this pass looks through.
static bool needsAnalysis(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return isa<RegionBranchOpInterface, CallOpInterface>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct BufferizeStep : ckpt::impl::BufferizeStepBase<BufferizeStep> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    dropIdentities(module);
    privatizeDestinations(module);

    // The caller's arguments are read only.
    StringRef writable = bufferization::BufferizationDialect::kWritableAttrName;
    module.walk([&](func::FuncOp function) {
      for (BlockArgument argument : function.getArguments())
        if (isa<TensorType>(argument.getType()))
          function.setArgAttr(argument.getArgNumber(), writable,
                              BoolAttr::get(&getContext(), false));
    });

    bufferization::OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.bufferAlignment = bufferAlignment;
    options.setFunctionBoundaryTypeConversion(
        bufferization::LayoutMapOption::IdentityLayoutMap);
    bufferization::BufferizationState state;
    LogicalResult bufferized = success();
    if (needsAnalysis(module)) {
      bufferized =
          bufferization::runOneShotModuleBufferize(module, options, state);
    } else {
      // The analysis is quadratic in the readers of one tensor.
      copyReadDestinations(module);
      bufferized = bufferization::bufferizeModuleOp(module, options, state);
    }
    if (failed(bufferized))
      return signalPassFailure();
    module.walk([&](func::FuncOp function) {
      for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
        function.removeArgAttr(i, writable);
    });
  }
};
} // namespace
