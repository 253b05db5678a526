//===- ScheduleState.h - A schedule that moves can change -------*- C++ -*-===//
//
// The state of all heuristic solvers. Time is cut into stages, one per op of
// the base order: stage t holds recomputed ops, sorted, and then the first run
// of op t; a last stage numOps is the end. Each value is live on disjoint
// intervals of stages, each of which begins where its producer runs and ends
// at a use. Memory inside a stage is simulated op by op, but only for stages
// that a move touched ("dirty"); stages strictly inside an interval get its
// bytes through a segment tree. An undo log gives nested rollback.
//
// A change costs O((degree + ops in the stage) log n).
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_LIB_PLANNER_SEARCH_SCHEDULESTATE_H
#define CKPT_LIB_PLANNER_SEARCH_SCHEDULESTATE_H

#include "Graph.h"
#include "Random.h"
#include "Search/InlineVector.h"
#include "Search/StagePeaks.h"

namespace ckpt::planner {

struct Interval {
  int32_t start, end;
};

class ScheduleState {
public:
  /// Stores everything. `g` must outlive the state.
  ScheduleState(const Graph &g, int64_t budget);
  /// The schedule of `runs`, ops of the Problem, whose first runs are in the
  /// base order of `g`. Runs that nothing needs are left out.
  ScheduleState(const Graph &g, int64_t budget, const std::vector<OpId> &runs);

  const Graph &graph() const { return g; }
  int64_t budget() const { return limit; }
  void setBudget(int64_t bytes) { limit = bytes; }

  //===--------------------------------------------------------------------===//
  // Looking
  //===--------------------------------------------------------------------===//

  /// Valid after flush().
  const StagePeaks &peaks() const { return memory; }
  bool fits() const { return memory.max() <= limit; }
  /// Runs simulated and values looked at so far: effort that does not depend on
  /// the machine.
  int64_t work() const { return workDone; }
  /// Of each stage, and of the end: how many stages before it are above the
  /// budget. O(n).
  std::vector<int32_t> violationsBefore() const;
  /// Sum over the stages of what each is above the budget.
  int64_t excess() const;
  /// Time of all runs; 128 bits, for runs are many and times may be large.
  __int128 cost() const { return totalCost; }
  int64_t numRecomputed() const { return recomputed; }
  const InlineVector<Interval> &intervals(ValueId v) const { return lives[v]; }
  /// Ops recomputed in `stage`, sorted.
  const InlineVector<OpId> &recomputedIn(int32_t stage) const {
    return groups[stage];
  }
  /// Stages with recomputed ops, in no particular but reproducible order.
  const std::vector<int32_t> &activeStages() const { return active; }
  /// Index of the interval of `v` that covers `stage`, or -1-k where k is the
  /// last interval before it.
  int32_t find(ValueId v, int32_t stage) const;
  bool liveAt(ValueId v, int32_t stage) const { return find(v, stage) >= 0; }
  /// Next stage after `stage` with a use of `v`; INT32_MAX: none.
  int32_t nextUse(ValueId v, int32_t stage) const;
  /// Last stage <= `stage` with a use; -1: none.
  int32_t previousUse(ValueId v, int32_t stage) const;
  /// Where a value waits in memory: from a use, or its run, to the next use.
  struct Gap {
    int32_t from = 0, to = -1;
    explicit operator bool() const { return to >= 0; }
  };
  /// The gap of `v` with from <= `stage` < to, if it is live there and used
  /// again.
  Gap gapAt(ValueId v, int32_t stage) const;
  /// The same if evicting `v` there frees it in `stage`: from < `stage`.
  Gap gapAcross(ValueId v, int32_t stage) const {
    const Gap gap = gapAt(v, stage);
    return gap && gap.from < stage ? gap : Gap();
  }
  /// The runs in order, as ops of the Problem.
  std::vector<OpId> runs() const;

  //===--------------------------------------------------------------------===//
  // Moves. Call flush() before the next look at peaks().
  //===--------------------------------------------------------------------===//

  /// How evict() may treat inputs that are dead where they are needed.
  struct EvictOptions {
    /// Bytes that older copies of such inputs may occupy, from the gap on, even
    /// where memory is full: credit from the value that was just freed.
    int64_t credit = 0;
    /// Values (by id) that are kept rather than recomputed, wherever needed.
    const std::vector<char> *keep = nullptr;
    /// Probability to ignore the credit, and a third of it to ignore later
    /// recomputations that could be pulled forward; drawn from `dice`.
    double ignore = 0;
    Random *dice = nullptr;
  };
  /// Frees `v` after stage `from` (live there) and recomputes it in stage `to`,
  /// both in one interval; inputs that are dead there are extended, their next
  /// recomputation pulled forward, or recomputed as well. Returns false and
  /// does nothing where that makes no sense.
  bool evict(ValueId v, int32_t from, int32_t to, const EvictOptions &options);
  /// Joins interval k of `v` with the one after it.
  void merge(ValueId v, int32_t k);
  /// Joins all intervals of `v`.
  void mergeAll(ValueId v);
  /// Drops the run of `op` in `stage` if everything that it makes can be kept
  /// from before within the budget. Returns whether it did. Flushes.
  bool tryDropRun(OpId op, int32_t stage);
  /// Removes what no use needs any more. Every move ends with it.
  void trim();
  /// Simulates the dirty stages.
  void flush();

  /// What it costs to have `v` again in stage `to` after a gap from `from`.
  struct Estimate {
    double cost;
    /// Credit left of what was given.
    int64_t creditLeft;
  };
  /// With credit, dead inputs may be kept instead of recomputed. Looks at no
  /// more than `estimateLimit` values; beyond: kHopeless.
  Estimate estimate(ValueId v, int32_t from, int32_t to, int64_t credit);
  static constexpr double kHopeless = 1e300;
  int32_t estimateLimit = 3000;
  /// The last stage in which every input of `v`'s producer that is dead in
  /// stage `to` is still live, if that is after `from`; else -1.
  int32_t earlyStage(ValueId v, int32_t from, int32_t to) const;

  //===--------------------------------------------------------------------===//
  // Undo
  //===--------------------------------------------------------------------===//

  /// Switches logging; switching it off forgets the log.
  void setLogging(bool on) {
    logging = on;
    if (!on)
      log.clear();
  }
  bool isLogging() const { return logging; }
  size_t mark() const { return log.size(); }
  void rollback(size_t mark);
  void commit() { log.clear(); }

private:
  struct Use {
    int32_t stage, count;
  };
  struct Change {
    enum Kind : uint8_t {
      AddMemory,
      SetInterval,
      InsertInterval,
      EraseInterval,
      AddUse,
      InsertRun,
      EraseRun,
      SetPeak
    } kind;
    int32_t a, b, c;
    int64_t x;
  };

  const Graph &g;
  int64_t limit;
  std::vector<InlineVector<Interval>> lives;
  std::vector<InlineVector<Use>> uses;
  std::vector<InlineVector<OpId>> groups;
  /// Peak inside each stage of what is not strictly inside an interval.
  std::vector<int64_t> stagePeak;
  StagePeaks memory;
  __int128 totalCost;
  int64_t recomputed = 0;
  int64_t workDone = 0;
  std::vector<int32_t> active, activePosition;
  std::vector<Change> log;
  bool logging = false;

  std::vector<int32_t> dirty;
  std::vector<char> isDirty;
  // Scratch of simulateStage().
  std::vector<int32_t> lastReader, readerStamp;
  int32_t stamp = 0;
  // Scratch of trim(), evict() and estimate().
  std::vector<ValueId> toTrim, pending;
  std::vector<char> inTrim;
  std::vector<int32_t> seen;
  int32_t seenStamp = 0;

  /// Stores everything, but knows nothing of memory yet.
  struct WithoutMemory {};
  ScheduleState(const Graph &g, int64_t budget, WithoutMemory);
  /// Simulates every stage. O(size of the schedule).
  void computeMemory();
  void record(Change change) {
    if (logging)
      log.push_back(change);
  }
  void markDirty(int32_t stage) {
    if (!isDirty[stage]) {
      isDirty[stage] = true;
      dirty.push_back(stage);
    }
  }
  void addMemory(int32_t from, int32_t to, int64_t bytes);
  void setInterval(ValueId v, int32_t k, Interval to);
  void insertInterval(ValueId v, int32_t k, Interval interval);
  void eraseInterval(ValueId v, int32_t k);
  void addUse(ValueId v, int32_t stage, int32_t count);
  void changeUse(ValueId v, int32_t stage, int32_t count);
  void insertRun(OpId op, int32_t stage);
  void eraseRun(OpId op, int32_t stage);
  void changeGroup(OpId op, int32_t stage, bool insert);
  bool hasRun(OpId op, int32_t stage) const;
  bool startsInterval(OpId op, int32_t stage) const;
  void dropRunIfIdle(OpId op, int32_t stage);
  int32_t lastUse(ValueId v, Interval interval) const;
  int64_t simulateStage(int32_t stage);

  bool canExtend(ValueId v, int32_t end, int32_t freeFrom,
                 int64_t credit) const;
  void ensurePending(int32_t stage, int32_t freeFrom, EvictOptions options);
  void ensure(ValueId v, int32_t stage, int32_t freeFrom,
              EvictOptions &options);
  void startRun(OpId op, int32_t stage);
  void queueTrim(ValueId v) {
    if (!inTrim[v]) {
      inTrim[v] = true;
      toTrim.push_back(v);
    }
  }
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SEARCH_SCHEDULESTATE_H
