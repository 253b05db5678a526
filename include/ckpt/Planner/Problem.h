//===- Problem.h - What is to be planned ------------------------*- C++ -*-===//
//
// A rematerialisation problem: a DAG of ops in a base order, each with a time,
// a workspace and results of known sizes. Knows nothing of any compiler.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_PLANNER_PROBLEM_H
#define CKPT_PLANNER_PROBLEM_H

#include <cstdint>
#include <string>
#include <vector>

namespace ckpt::planner {

/// Dense ids. The base ("program") order of the ops is the order of their ids.
using OpId = int32_t;
using ValueId = int32_t;
inline constexpr int32_t kNone = -1;

/// A result of an op: one buffer, or a view of one.
struct Value {
  OpId producer = kNone;
  /// Size in bytes; 0 for a view.
  int64_t bytes = 0;
  /// The value whose buffer this one is a view of. A view costs no memory; who
  /// reads it needs the buffer as well. Views are rebuilt, for free, on the
  /// current copy of their buffer: recomputing the buffer does not end them.
  ValueId aliasOf = kNone;
  /// An input of the producer whose buffer this result may take over when that
  /// input has no use left (in-place update). Never larger than that buffer.
  ValueId inPlaceOf = kNone;
  /// Must be in memory when the schedule ends.
  bool output = false;
  /// Never freed once computed.
  bool mustStay = false;
};

/// An operation. Its inputs must be in memory while it runs, together with all
/// its results and its workspace.
struct Op {
  /// Run time, in any unit that is the same for all ops.
  int64_t time = 0;
  /// Scratch bytes that only this op needs, while it runs.
  int64_t workspace = 0;
  std::vector<ValueId> inputs;
  /// Ops whose first run must come before the first run of this one, although
  /// no value flows: the order of effects.
  std::vector<OpId> after;
  /// Its results are the values firstResult, ..., firstResult+numResults-1.
  ValueId firstResult = 0;
  int32_t numResults = 0;
  /// May run more than once.
  bool recomputable = true;
  /// Unmovable ops keep their base order among themselves.
  bool movable = true;
};

/// Room left for later, without a change to what is here: alternatives per op
/// (another kernel, or a loop with its curve of slots against time) would be a
/// table of (time, workspace) rows beside `time` and `workspace`; values that
/// readers may recompute in registers a flag of Value; offload and compression
/// prices fields of Value, their events kinds of Event (see Plan.h).
struct Problem {
  std::string name;
  std::vector<Op> ops;
  std::vector<Value> values;
  /// Bytes that are there all the time (parameters, arguments). No budget and
  /// no peak of this library includes them.
  int64_t fixedBytes = 0;
  /// Optional: empty, or one name per op, for messages.
  std::vector<std::string> opNames;

  /// Appends an op; its results are added by addResult() before the next op.
  OpId addOp(int64_t time, std::vector<ValueId> inputs, int64_t workspace = 0);
  /// Appends a result to the last op.
  ValueId addResult(int64_t bytes);

  int32_t numOps() const { return static_cast<int32_t>(ops.size()); }
  int32_t numValues() const { return static_cast<int32_t>(values.size()); }
  /// Time of one run of every op.
  int64_t totalTime() const;
  std::string opName(OpId op) const;

  /// What is wrong with this problem, in one line, or an empty string: ids out
  /// of range, an op that reads what comes later in the base order, negative
  /// sizes, sums past 2^63-1, a view with bytes, and so on. Every function of
  /// this library but this one assumes a problem that passed. O(size).
  std::string check() const;
};

} // namespace ckpt::planner

#endif // CKPT_PLANNER_PROBLEM_H
