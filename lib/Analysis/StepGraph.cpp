//===- StepGraph.cpp - A training step as a planning problem --------------===//

#include "ckpt/Analysis/StepGraph.h"

#include "ckpt/IR/Buffers.h"
#include "ckpt/Interfaces/RematerializableOpInterface.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ckpt;
using planner::kNone;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

std::optional<int64_t> ckpt::getTensorBytes(Type type) {
  return isa<TensorType>(type) ? getContentBytes(cast<ShapedType>(type)) : 0;
}

std::optional<int64_t> ckpt::getBufferBytes(Type type) {
  return isa<TensorType>(type) ? getAlignedBytes(cast<ShapedType>(type)) : 0;
}

//===----------------------------------------------------------------------===//
// Which ops are planned
//===----------------------------------------------------------------------===//

static bool ownsBuffer(OpResult result) {
  if (!isa<TensorType>(result.getType()))
    return false;
  Storage::Kind kind = getStorage(result).kind;
  return kind == Storage::Kind::Fresh || kind == Storage::Kind::InPlace;
}

static bool isPlannedOp(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>() ||
      op->hasTrait<OpTrait::ConstantLike>())
    return false;
  return llvm::any_of(op->getResults(), ownsBuffer) ||
         !hasNoObservableEffect(op);
}

/// All values from outside `op` that it reads.
static void collectReads(Operation *op, SetVector<Value> &reads) {
  reads.insert(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), reads);
}

SmallVector<Value> StepGraph::getBuffers(Value value) const {
  SetVector<Value> buffers;
  SmallVector<Value> stack{value};
  llvm::SmallPtrSet<Value, 8> seen;
  while (!stack.empty()) {
    Value current = stack.pop_back_val();
    if (!seen.insert(current).second)
      continue;
    auto result = dyn_cast<OpResult>(current);
    if (!result) {
      if (isa<TensorType>(current.getType()))
        buffers.insert(current);
      continue;
    }
    Operation *op = result.getOwner();
    if (isPlanned(op)) {
      buffers.insert(current);
      continue;
    }
    if (!isa<TensorType>(current.getType())) {
      SetVector<Value> reads;
      collectReads(op, reads);
      stack.append(reads.rbegin(), reads.rend());
      continue;
    }
    if (Value source = viewSources.lookup(current))
      stack.push_back(source);
  }
  return buffers.takeVector();
}

//===----------------------------------------------------------------------===//
// Extraction
//===----------------------------------------------------------------------===//

namespace {
class Extraction {
public:
  Extraction(FunctionOpInterface step, const CostModel &costs)
      : step(step), costs(costs) {}

  FailureOr<StepGraph> run();

private:
  void addViews(Operation *op);
  LogicalResult addOp(Operation *op);
  LogicalResult addResults(Operation *op);
  LogicalResult markOutputs();
  void markForward();

  FunctionOpInterface step;
  const CostModel &costs;
  StepGraph graph;
  DenseMap<Value, planner::ValueId> ids;
};
} // namespace

void Extraction::addViews(Operation *op) {
  for (OpResult result : op->getResults()) {
    if (!isa<TensorType>(result.getType()))
      continue;
    Storage storage = getStorage(result);
    if (storage.kind == Storage::Kind::View)
      graph.viewSources[result] = op->getOperand(storage.operand);
  }
}

LogicalResult Extraction::addOp(Operation *op) {
  SetVector<Value> reads;
  collectReads(op, reads);
  SetVector<planner::ValueId> inputs;
  for (Value read : reads)
    for (Value buffer : graph.getBuffers(read))
      if (auto id = ids.find(buffer); id != ids.end())
        inputs.insert(id->second);

  graph.problem.addOp(costs.getTime(op), {inputs.begin(), inputs.end()});
  planner::Op &planned = graph.problem.ops.back();
  // A clone of an op without operands could not be told from the original.
  planned.recomputable = isRecomputable(op) && op->getNumOperands() != 0;
  planned.movable = hasNoObservableEffect(op) || planned.recomputable;
  graph.problem.opNames.push_back(op->getName().getStringRef().str());
  graph.ops.push_back(op);
  return addResults(op);
}

LogicalResult Extraction::addResults(Operation *op) {
  for (OpResult result : op->getResults()) {
    int64_t bytes = 0;
    if (isa<TensorType>(result.getType())) {
      std::optional<int64_t> known = getBufferBytes(result.getType());
      if (!known)
        return op->emitOpError()
               << "result " << result.getResultNumber() << " of type "
               << result.getType()
               << " has no static size: planning needs static shapes and "
                  "elements that are numbers";
      bytes = *known;
    }
    planner::ValueId id = graph.problem.addResult(bytes);
    graph.values.push_back(result);
    ids[result] = id;

    Storage storage = getStorage(result);
    if (storage.kind != Storage::Kind::InPlace)
      continue;
    // Only a buffer of the step itself may be overwritten.
    SmallVector<Value> buffers =
        graph.getBuffers(op->getOperand(storage.operand));
    if (buffers.size() != 1)
      continue;
    // Nor one that the op also reads in another way.
    bool readElsewhere =
        llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
          return operand.getOperandNumber() != storage.operand &&
                 llvm::is_contained(graph.getBuffers(operand.get()),
                                    buffers.front());
        });
    auto source = ids.find(buffers.front());
    if (!readElsewhere && source != ids.end() &&
        graph.problem.values[source->second].bytes >= bytes)
      graph.problem.values[id].inPlaceOf = source->second;
  }
  return success();
}

/// A returned buffer is the caller's: it takes no bytes of the step's own and
/// is there to the end.
LogicalResult Extraction::markOutputs() {
  Operation *terminator = step.getFunctionBody().front().getTerminator();
  for (Value returned : terminator->getOperands()) {
    std::optional<int64_t> bytes = getTensorBytes(returned.getType());
    if (!bytes)
      return terminator->emitOpError("returns a tensor without a static size");
    if (llvm::AddOverflow(graph.resultBytes, *bytes, graph.resultBytes))
      return terminator->emitOpError("returns more bytes than can be counted");
    for (Value buffer : graph.getBuffers(returned)) {
      auto id = ids.find(buffer);
      if (id == ids.end())
        continue;
      planner::Value &value = graph.problem.values[id->second];
      value.bytes = 0;
      value.output = true;
      value.mustStay = true;
      value.inPlaceOf = kNone;
    }
  }
  // What is overwritten in place must have a buffer at least as large.
  for (planner::Value &value : graph.problem.values)
    if (value.inPlaceOf != kNone &&
        (graph.problem.values[value.inPlaceOf].mustStay ||
         graph.problem.values[value.inPlaceOf].bytes < value.bytes))
      value.inPlaceOf = kNone;
  return success();
}

void Extraction::markForward() {
  graph.isForward.assign(graph.ops.size(), false);
  Operation *terminator = step.getFunctionBody().front().getTerminator();
  if (terminator->getNumOperands() == 0)
    return;
  for (Value buffer : graph.getBuffers(terminator->getOperand(0)))
    if (auto id = ids.find(buffer); id != ids.end())
      graph.isForward[graph.problem.values[id->second].producer] = true;
  for (int32_t op = graph.problem.numOps() - 1; op >= 0; --op)
    if (graph.isForward[op])
      for (planner::ValueId input : graph.problem.ops[op].inputs)
        graph.isForward[graph.problem.values[input].producer] = true;
}

FailureOr<StepGraph> Extraction::run() {
  if (!step.getFunctionBody().hasOneBlock())
    return emitError(
        step.getLoc(),
        "must have a body of one block: control flow between blocks is not "
        "planned");
  Block &body = step.getFunctionBody().front();
  for (BlockArgument argument : body.getArguments()) {
    std::optional<int64_t> bytes = getTensorBytes(argument.getType());
    if (!bytes)
      return emitError(step.getLoc())
             << "argument " << argument.getArgNumber() << " has no static size";
    if (llvm::AddOverflow(graph.argumentBytes, *bytes, graph.argumentBytes))
      return step->emitOpError("takes more bytes than can be counted");
  }
  for (Operation &op : body.without_terminator()) {
    if (!isPlannedOp(&op)) {
      addViews(&op);
      continue;
    }
    graph.planned.insert(&op);
    if (failed(addOp(&op)))
      return failure();
  }
  if (failed(markOutputs()))
    return failure();
  markForward();
  graph.problem.name = SymbolTable::getSymbolName(step).str();
  if (llvm::AddOverflow(graph.argumentBytes, graph.resultBytes,
                        graph.problem.fixedBytes))
    return step->emitOpError("takes and returns more bytes than can be "
                             "counted");
  if (std::string error = graph.problem.check(); !error.empty())
    return emitError(step.getLoc()) << "cannot be planned: " << error;
  return std::move(graph);
}

FailureOr<StepGraph> ckpt::extractStepGraph(FunctionOpInterface step,
                                            const CostModel &costs) {
  return Extraction(step, costs).run();
}
