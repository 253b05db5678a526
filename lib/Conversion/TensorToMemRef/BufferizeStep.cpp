//===- BufferizeStep.cpp - Turn a planned step's tensors into buffers -----===//

#include "ckpt/Conversion/Passes.h"
#include "ckpt/IR/Buffers.h"
#include "ckpt/IR/CkptDialect.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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
    if (failed(
            bufferization::runOneShotModuleBufferize(module, options, state)))
      return signalPassFailure();
    module.walk([&](func::FuncOp function) {
      for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
        function.removeArgAttr(i, writable);
    });
  }
};
} // namespace
