//===- ValueAndGrad.cpp - Expands ckpt.value_and_grad ---------------------===//

#include "ckpt/Differentiation/Differentiation.h"
#include "ckpt/IR/Locations.h"
#include "ckpt/IR/Regions.h"
#include "ckpt/Interfaces/DifferentiableOpInterface.h"
#include "ckpt/Interfaces/DifferentiableTypeInterface.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace ckpt;

//===----------------------------------------------------------------------===//
// Which functions refer to which
//===----------------------------------------------------------------------===//

/// The function that `call` calls, seen from `from`; null if it is not known or
/// has no body.
static FunctionOpInterface findCallee(CallOpInterface call, Operation *from,
                                      SymbolTableCollection &symbols) {
  auto name = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
  if (!name)
    return nullptr;
  auto callee =
      symbols.lookupNearestSymbolFrom<FunctionOpInterface>(from, name);
  return callee && !callee.isExternal() ? callee : nullptr;
}

static FlatSymbolRefAttr getCustomGradient(FunctionOpInterface function) {
  return function->getAttrOfType<FlatSymbolRefAttr>(customGradientAttrName);
}

namespace {
/// A reference that expansion follows, by a call or by value_and_grad.
struct Reference {
  Operation *op;
  FunctionOpInterface function;
};
} // namespace

/// The functions that are inlined into `function` once it is differentiated.
static SmallVector<Reference> getReferences(FunctionOpInterface function,
                                            SymbolTableCollection &symbols) {
  SmallVector<Reference> references;
  function->walk([&](Operation *op) {
    FunctionOpInterface callee;
    if (auto call = dyn_cast<CallOpInterface>(op))
      callee = findCallee(call, op, symbols);
    else if (auto gradient = dyn_cast<ValueAndGradOp>(op))
      callee = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
          op, gradient.getCalleeAttr());
    if (!callee)
      return;
    references.push_back({op, callee});
    if (FlatSymbolRefAttr name = getCustomGradient(callee))
      if (auto custom = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
              callee, name))
        references.push_back({op, custom});
  });
  return references;
}

/// The functions reachable from `start`, those that others refer to first. An
/// error if there is a cycle.
static FailureOr<SmallVector<FunctionOpInterface>>
getPostOrder(FunctionOpInterface start, SymbolTableCollection &symbols) {
  struct Frame {
    FunctionOpInterface function;
    SmallVector<Reference> references;
    size_t next = 0;
  };
  SmallVector<FunctionOpInterface> order;
  DenseMap<Operation *, bool> finished;
  std::vector<Frame> stack;
  auto enter = [&](FunctionOpInterface function) {
    finished.try_emplace(function, false);
    stack.push_back({function, getReferences(function, symbols)});
  };
  enter(start);
  while (!stack.empty()) {
    Frame &frame = stack.back();
    if (frame.next == frame.references.size()) {
      finished[frame.function] = true;
      order.push_back(frame.function);
      stack.pop_back();
      continue;
    }
    Reference reference = frame.references[frame.next++];
    auto it = finished.find(reference.function);
    if (it == finished.end())
      enter(reference.function);
    else if (!it->second)
      return reference.op->emitOpError(
          "cannot be differentiated: the function that it refers to is "
          "recursive");
  }
  return order;
}

//===----------------------------------------------------------------------===//
// Inlining
//===----------------------------------------------------------------------===//

/// An error at `function` if it has control flow between blocks.
static LogicalResult verifyStraightLine(FunctionOpInterface function) {
  if (llvm::hasSingleElement(function.getFunctionBody()))
    return success();
  return function->emitOpError("cannot be differentiated: it has control flow "
                               "between blocks");
}

/// Inlines all calls in `root`, seen from `from`, of functions that `isInlined`
/// accepts, and the calls in what was inlined.
static LogicalResult
inlineCalls(Operation *root, Operation *from, SymbolTableCollection &symbols,
            RewriterBase &rewriter,
            function_ref<bool(FunctionOpInterface)> isInlined) {
  SmallVector<CallOpInterface> calls;
  auto collect = [&](Operation *op) {
    op->walk([&](CallOpInterface call) { calls.push_back(call); });
  };
  collect(root);
  while (!calls.empty()) {
    CallOpInterface call = calls.pop_back_val();
    FunctionOpInterface callee = findCallee(call, from, symbols);
    if (!callee || !isInlined(callee))
      continue;
    if (failed(verifyStraightLine(callee)))
      return failure();
    Block &body = callee.getFunctionBody().front();
    IRMapping mapping;
    mapping.map(body.getArguments(), call.getArgOperands());
    rewriter.setInsertionPoint(call);
    for (Operation &op : body.without_terminator()) {
      Operation *clone = rewriter.clone(op, mapping);
      clone->walk([&](Operation *inner) {
        inner->setLoc(CallSiteLoc::get(inner->getLoc(), call->getLoc()));
      });
      collect(clone);
    }
    SmallVector<Value> results;
    for (Value value : body.getTerminator()->getOperands())
      results.push_back(mapping.lookupOrDefault(value));
    rewriter.replaceOp(call, results);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Expansion
//===----------------------------------------------------------------------===//

LogicalResult ckpt::expandValueAndGrad(RewriterBase &rewriter,
                                       ValueAndGradOp op,
                                       SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      op, op.getCalleeAttr());
  assert(callee && "verified by ckpt.value_and_grad");
  if (getCustomGradient(callee))
    return op.emitOpError("cannot be differentiated: ")
           << op.getCalleeAttr() << " has a '" << customGradientAttrName
           << "', which applies to calls; name a function that calls it";
  if (failed(verifyStraightLine(callee)))
    return failure();

  // Everything happens in a copy of the callee, whose arguments are distinct
  // values even where the operands are not. It stands in the module, so that
  // rules can look up symbols.
  Operation *copy = callee->clone();
  SymbolTable &table = symbols.getSymbolTable(
      SymbolTable::getNearestSymbolTable(callee->getParentOp()));
  table.insert(copy, callee->getIterator());
  llvm::scope_exit eraseCopy([&] { table.erase(copy); });
  Block &body = copy->getRegion(0).front();
  if (failed(inlineCalls(copy, op, symbols, rewriter,
                         [](FunctionOpInterface function) {
                           return !getCustomGradient(function);
                         })))
    return failure();
  inlineRegions(copy);

  SmallVector<Operation *> ops;
  for (Operation &inner : body.without_terminator())
    ops.push_back(&inner);
  SmallVector<Value> wrt;
  for (int64_t index : op.getWrt())
    wrt.push_back(body.getArgument(index));
  Operation *terminator = body.getTerminator();
  Value loss = terminator->getOperand(0);
  rewriter.setInsertionPoint(terminator);
  Value seed = cast<DifferentiableTypeInterface>(loss.getType())
                   .createSplat(rewriter, markGradient(loss.getLoc()), 1.0);
  FailureOr<SmallVector<Value>> gradients =
      emitGradients(rewriter, ops, loss, seed, wrt);
  if (failed(gradients))
    return failure();
  terminator->insertOperands(terminator->getNumOperands(), *gradients);

  // Functions with custom gradients have been differentiated: they can go.
  if (failed(inlineCalls(copy, op, symbols, rewriter,
                         [](FunctionOpInterface) { return true; })))
    return failure();
  inlineRegions(copy);
  for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&inner))
      rewriter.eraseOp(&inner);

  Operation *end = body.getTerminator();
  SmallVector<Value> results(end->getOperands());
  for (auto [value, operand] :
       llvm::zip_equal(body.getArguments(), op.getOperands()))
    llvm::replace(results, Value(value), operand);
  rewriter.eraseOp(end);
  rewriter.inlineBlockBefore(&body, op, op.getOperands());
  rewriter.replaceOp(op, results);
  return success();
}

LogicalResult ckpt::differentiate(Operation *root) {
  SymbolTableCollection symbols;
  IRRewriter rewriter(root->getContext());
  DenseSet<Operation *> expanded; // ops, and functions without such ops now
  auto expand = [&](ValueAndGradOp op) -> LogicalResult {
    if (!expanded.insert(op).second)
      return success();
    return expandValueAndGrad(rewriter, op, symbols);
  };
  auto collect = [](Operation *parent) {
    SmallVector<ValueAndGradOp> ops;
    parent->walk([&](ValueAndGradOp op) { ops.push_back(op); });
    return ops;
  };

  for (ValueAndGradOp op : collect(root)) {
    if (expanded.contains(op))
      continue;
    auto callee = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
        op, op.getCalleeAttr());
    FailureOr<SmallVector<FunctionOpInterface>> order =
        getPostOrder(callee, symbols);
    if (failed(order))
      return failure();
    for (FunctionOpInterface function : *order)
      if (expanded.insert(function).second)
        for (ValueAndGradOp inner : collect(function))
          if (failed(expand(inner)))
            return failure();
    if (failed(expand(op)))
      return failure();
  }
  return success();
}
