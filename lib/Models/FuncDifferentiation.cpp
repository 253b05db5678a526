//===- FuncDifferentiation.cpp - Functions with custom gradients ----------===//
//
// Calls are inlined before differentiation, except those of functions that
// name their gradient: `ckpt.custom_gradient = @f_vjp` on a `func.func`. The
// gradient function takes f's arguments and then a cotangent for each of f's
// results of floats; it returns a cotangent for each of f's arguments of
// floats, in order.
//
//===----------------------------------------------------------------------===//

#include "ckpt/Interfaces/DifferentiableOpInterface.h"
#include "ckpt/Interfaces/DifferentiableTypeInterface.h"
#include "ckpt/Models/DifferentiationModels.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace ckpt;

static bool typeCarriesGradient(Type type) { return carriesGradient(type); }

/// The gradient function of `call`'s callee, checked to be one; null after an
/// error.
static func::FuncOp findGradient(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  assert(callee && "verified by func.call");
  auto name = callee->getAttrOfType<FlatSymbolRefAttr>(customGradientAttrName);
  if (!name) {
    call.emitOpError("cannot be differentiated: its callee has neither a body "
                     "that could be inlined nor '")
        << customGradientAttrName << "'";
    return nullptr;
  }
  auto gradient =
      SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(callee, name);
  if (!gradient) {
    callee.emitOpError() << "'" << customGradientAttrName << "' names " << name
                         << ", which is not a function of this module";
    return nullptr;
  }
  SmallVector<Type> arguments(callee.getArgumentTypes());
  llvm::copy_if(callee.getResultTypes(), std::back_inserter(arguments),
                typeCarriesGradient);
  SmallVector<Type> results;
  llvm::copy_if(callee.getArgumentTypes(), std::back_inserter(results),
                typeCarriesGradient);
  auto expected = FunctionType::get(call.getContext(), arguments, results);
  if (gradient.getFunctionType() != expected) {
    gradient.emitOpError("is the custom gradient of ")
        << call.getCalleeAttr() << " and must have the type " << expected;
    return nullptr;
  }
  return gradient;
}

namespace {
struct CallModel
    : DifferentiableOpInterface::ExternalModel<CallModel, func::CallOp> {
  void getNeededPrimals(Operation *op, function_ref<bool(Value)>,
                        SmallVectorImpl<Value> &primals) const {
    llvm::append_range(primals, op->getOperands());
  }
  LogicalResult emitAdjoint(Operation *op, ImplicitLocOpBuilder &builder,
                            ArrayRef<Value> cotangents,
                            function_ref<bool(Value)> isActive,
                            function_ref<Value(Value)> primal,
                            AccumulateFn accumulate) const {
    auto call = cast<func::CallOp>(op);
    func::FuncOp gradient = findGradient(call);
    if (!gradient)
      return failure();
    SmallVector<Value> arguments;
    for (Value operand : call.getOperands())
      arguments.push_back(primal(operand));
    for (auto [result, cotangent] :
         llvm::zip_equal(call.getResults(), cotangents)) {
      if (!carriesGradient(result.getType()))
        continue;
      auto type = cast<DifferentiableTypeInterface>(result.getType());
      arguments.push_back(
          cotangent ? cotangent
                    : type.createSplat(builder, builder.getLoc(), 0.0));
    }
    auto results = func::CallOp::create(builder, gradient, arguments);
    unsigned next = 0;
    for (Value operand : call.getOperands()) {
      if (!carriesGradient(operand.getType()))
        continue;
      Value contribution = results.getResult(next++);
      if (isActive(operand))
        accumulate(operand, contribution, {});
    }
    return success();
  }
};
} // namespace

void ckpt::registerFuncDifferentiation(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, func::FuncDialect *) {
    func::CallOp::attachInterface<CallModel>(*context);
  });
}
