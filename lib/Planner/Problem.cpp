//===- Problem.cpp - Building and checking problems -----------------------===//
#include "ckpt/Planner/Problem.h"

#include <algorithm>
#include <cassert>

namespace ckpt::planner {

OpId Problem::addOp(int64_t time, std::vector<ValueId> inputs,
                    int64_t workspace) {
  Op op;
  op.time = time;
  op.workspace = workspace;
  op.inputs = std::move(inputs);
  op.firstResult = numValues();
  ops.push_back(std::move(op));
  return numOps() - 1;
}

ValueId Problem::addResult(int64_t bytes) {
  assert(!ops.empty() && "a result needs an op");
  Op &op = ops.back();
  assert(op.firstResult + op.numResults == numValues());
  ++op.numResults;
  Value value;
  value.producer = numOps() - 1;
  value.bytes = bytes;
  values.push_back(value);
  return numValues() - 1;
}

int64_t Problem::totalTime() const {
  int64_t total = 0;
  for (const Op &op : ops)
    total += op.time;
  return total;
}

std::string Problem::opName(OpId op) const {
  std::string id = std::to_string(op);
  if (opNames.empty() || opNames[op].empty())
    return "op " + id;
  return "op " + id + " '" + opNames[op] + "'";
}

namespace {
/// Adds up non-negative numbers and remembers whether the sum fits.
class CheckedSum {
public:
  void add(int64_t term) {
    overflowed |= __builtin_add_overflow(sum, term, &sum);
  }
  bool fits() const { return !overflowed; }

private:
  int64_t sum = 0;
  bool overflowed = false;
};
} // namespace

/// What is wrong with op `id` by itself.
static std::string checkOp(const Problem &problem, OpId id) {
  const Op &op = problem.ops[id];
  const std::string name = problem.opName(id);
  if (op.time < 0)
    return name + " has a negative time";
  if (op.workspace < 0)
    return name + " has a negative workspace";
  if (op.firstResult < 0 || op.numResults < 0 ||
      op.firstResult > problem.numValues() - op.numResults)
    return name + " has results that do not exist";
  for (ValueId value : op.inputs) {
    if (value < 0 || value >= problem.numValues())
      return name + " reads value " + std::to_string(value) +
             ", which does not exist";
    OpId producer = problem.values[value].producer;
    if (producer >= id)
      return name + " reads a result of " + problem.opName(producer) +
             ", which does not come before it";
  }
  for (OpId before : op.after)
    if (before < 0 || before >= id)
      return name + " must come after op " + std::to_string(before) +
             ", which is not before it";
  return "";
}

/// What is wrong with value `id`, whose producer's results are in range.
static std::string checkValue(const Problem &problem, ValueId id) {
  const Value &value = problem.values[id];
  const std::string name = "value " + std::to_string(id);
  if (value.producer < 0 || value.producer >= problem.numOps())
    return name + " has no producer";
  const Op &op = problem.ops[value.producer];
  if (id < op.firstResult || id - op.firstResult >= op.numResults)
    return name + " is no result of its producer";
  const std::string where = "result " + std::to_string(id - op.firstResult) +
                            " of " + problem.opName(value.producer);
  if (value.bytes < 0)
    return where + " has a negative size";
  if (value.aliasOf != kNone) {
    if (value.aliasOf < 0 || value.aliasOf >= id)
      return where + " is a view of a value that does not come before it";
    if (value.bytes != 0)
      return where + " is a view and has bytes of its own";
    if (value.inPlaceOf != kNone)
      return where + " is both a view and updated in place";
  }
  if (value.inPlaceOf == kNone)
    return "";
  if (std::find(op.inputs.begin(), op.inputs.end(), value.inPlaceOf) ==
      op.inputs.end())
    return where + " is in place of a value that its op does not read";
  const Value &old = problem.values[value.inPlaceOf];
  if (old.aliasOf != kNone)
    return where + " is in place of a view";
  if (old.bytes < value.bytes)
    return where + " is larger than the buffer that it takes over";
  if (old.output || old.mustStay)
    return where + " is in place of a value that must stay";
  for (ValueId other = op.firstResult; other < id; ++other)
    if (problem.values[other].inPlaceOf == value.inPlaceOf)
      return where + " takes over the same buffer as another result";
  return "";
}

std::string Problem::check() const {
  constexpr size_t maxCount = size_t(1) << 30;
  if (ops.size() > maxCount || values.size() > maxCount)
    return "more than 2^30 ops or values";
  if (!opNames.empty() && opNames.size() != ops.size())
    return "as many names as ops are needed, or none";
  if (fixedBytes < 0)
    return "the fixed bytes are negative";
  CheckedSum bytes, time;
  bytes.add(fixedBytes);
  ValueId nextResult = 0;
  for (OpId id = 0; id < numOps(); ++id) {
    if (std::string error = checkOp(*this, id); !error.empty())
      return error;
    if (ops[id].firstResult != nextResult)
      return opName(id) + " has results that are not numbered in order";
    nextResult += ops[id].numResults;
    bytes.add(ops[id].workspace);
    time.add(ops[id].time);
  }
  size_t closedInputs = 0;
  std::vector<uint32_t> aliasDepth(values.size(), 0);
  for (ValueId id = 0; id < numValues(); ++id) {
    if (std::string error = checkValue(*this, id); !error.empty())
      return error;
    bytes.add(values[id].bytes);
    // A second copy may be scratch while a sibling result is recomputed.
    if (ops[values[id].producer].numResults > 1)
      bytes.add(values[id].bytes);
    if (values[id].aliasOf != kNone)
      aliasDepth[id] = aliasDepth[values[id].aliasOf] + 1;
  }
  for (const Op &op : ops)
    for (ValueId value : op.inputs)
      closedInputs += 1 + aliasDepth[value];
  if (closedInputs > maxCount)
    return "the ops read more than 2^30 values and buffers below views";
  if (!bytes.fits())
    return "the sizes add up to more than 2^63-1 bytes";
  if (!time.fits())
    return "the times add up to more than 2^63-1";
  return "";
}

} // namespace ckpt::planner
