//===- MakeStep.cpp - A training step for a forward function --------------===//

#include "ckpt/Pipelines/MakeStep.h"

#include "ckpt/IR/CkptDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace ckpt;

static bool hasGradient(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<FloatType>(tensor.getElementType());
}

static FailureOr<func::FuncOp> lookupEntry(ModuleOp module, StringRef name) {
  auto entry = module.lookupSymbol<func::FuncOp>(name);
  if (entry && !entry.isExternal())
    return entry;
  InFlightDiagnostic error = emitError(module.getLoc())
                             << "there is no function '@" << name
                             << "' with a body";
  std::string others;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      others += (others.empty() ? "@" : ", @") + function.getName().str();
  if (!others.empty())
    error.attachNote() << "functions: " << others;
  return error;
}

static LogicalResult verifyArguments(func::FuncOp entry,
                                     ArrayRef<int64_t> wrt) {
  llvm::SmallSet<int64_t, 16> seen;
  for (int64_t index : wrt) {
    if (index < 0 || index >= entry.getNumArguments())
      return emitError(entry.getLoc())
             << "has no argument " << index << ": it takes "
             << entry.getNumArguments();
    if (!seen.insert(index).second)
      return emitError(entry.getLoc())
             << "the gradient of argument " << index << " is asked for twice";
    Type type = entry.getArgumentTypes()[index];
    if (!hasGradient(type))
      return emitError(entry.getLoc())
             << "argument " << index << " of type " << type
             << " has no gradient: it is no tensor of floats";
  }
  return success();
}

FailureOr<func::FuncOp> ckpt::makeStep(ModuleOp module, StringRef entryName,
                                       std::optional<ArrayRef<int64_t>> wrt) {
  FailureOr<func::FuncOp> found = lookupEntry(module, entryName);
  if (failed(found))
    return failure();
  func::FuncOp entry = *found;

  SmallVector<int64_t> arguments;
  if (wrt) {
    arguments.assign(wrt->begin(), wrt->end());
  } else {
    for (auto [index, type] : llvm::enumerate(entry.getArgumentTypes()))
      if (hasGradient(type))
        arguments.push_back(index);
  }
  if (failed(verifyArguments(entry, arguments)))
    return failure();

  for (auto function : module.getOps<func::FuncOp>())
    function.setPrivate();
  if (arguments.empty()) {
    entry.setPublic();
    return entry;
  }

  auto loss = entry.getNumResults() == 0
                  ? RankedTensorType()
                  : dyn_cast<RankedTensorType>(entry.getResultTypes()[0]);
  if (!loss || loss.getRank() != 0 || !isa<FloatType>(loss.getElementType()))
    return emitError(entry.getLoc(),
                     "its first result must be the loss: a tensor of "
                     "rank 0 of floats");

  module.getContext()->getOrLoadDialect<CkptDialect>();
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> results(entry.getResultTypes());
  for (int64_t index : arguments)
    results.push_back(entry.getArgumentTypes()[index]);
  auto step = func::FuncOp::create(
      builder, entry.getLoc(), (entryName + "_step").str(),
      builder.getFunctionType(entry.getArgumentTypes(), results));
  if (Attribute policy = entry->getAttr(policyAttrName))
    step->setAttr(policyAttrName, policy);
  SymbolTable(module).insert(step);
  Block *body = step.addEntryBlock();
  builder.setInsertionPointToStart(body);
  auto gradients = ValueAndGradOp::create(
      builder, entry.getLoc(), results,
      FlatSymbolRefAttr::get(entry.getNameAttr()), body->getArguments(),
      builder.getDenseI64ArrayAttr(arguments));
  func::ReturnOp::create(builder, entry.getLoc(), gradients.getResults());
  return step;
}
