//===- WindowModel.h - Memory at several moments as a linear program ------===//
//
// The relaxation behind the bounds where memory binds at many moments. Moments
// are the times just before the first runs of some ops; a window is the time
// from one moment to a later one, or to the end. For each window: what is read
// in it for certain was in memory at its beginning or is computed in it, with
// all that this needs in turn. Runs are counted in the pieces of time between
// neighbouring moments, so that windows that overlap share them.
// docs/Planner.md has the proof.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_LIB_PLANNER_BOUNDS_WINDOWMODEL_H
#define CKPT_LIB_PLANNER_BOUNDS_WINDOWMODEL_H

#include "Bounds/LinearProgram.h"
#include "Bounds/MomentModel.h"
#include "Graph.h"

namespace ckpt::planner {

/// Values (by id) in memory just before the first run of `op`.
struct StoredAt {
  OpId op;
  std::vector<char> values;
};

class WindowModel {
public:
  /// `grid` must have passed checkGrid().
  WindowModel(const Graph &g, const MomentModel &moments, int64_t budget,
              const WindowGrid &grid);

  /// What is wrong with a grid, or an empty string: moments out of order,
  /// windows outside them.
  static std::string checkGrid(const Graph &g, const MomentModel &moments,
                               const WindowGrid &grid);

  /// Times in parts of one run of every op, sizes in parts of the largest.
  const LinearProgram &program() const { return lp; }
  /// From multipliers of program() to those of evaluate().
  std::vector<double> unscaled(const std::vector<double> &dual) const;

  /// A point of this program from one of `other`'s, a grid of fewer moments:
  /// its bound is not less.
  PrimalDual::Point extended(const WindowModel &other,
                             const PrimalDual::Point &point) const;

  /// No plan exists: a moment has no room for what it must hold.
  bool infeasible() const { return noRoom; }

  /// A column that says whether a fact holds, to distinguish cases by.
  struct Question {
    int32_t column;
    Fact fact;
    /// Bytes that depend on it.
    int64_t bytes;
  };
  const std::vector<Question> &questions() const { return asked; }
  /// What the program holds in memory, by half or more, at the moments.
  std::vector<StoredAt> stored(const std::vector<double> &primal) const;
  /// The bounds of the columns where `facts` are true; what the model does not
  /// ask is ignored.
  void boundColumns(const std::vector<Fact> &facts, std::vector<double> &lower,
                    std::vector<double> &upper) const;

  /// What `multipliers`, one per row and none negative, prove about the time of
  /// the plans of which `facts` are true: in integers, rounded so that it is
  /// never too large.
  int64_t evaluate(const std::vector<double> &multipliers,
                   const std::vector<Fact> &facts) const;

private:
  /// Columns of something: kAbsent where the model has none and it may be taken
  /// as 0, kCertain where it is 1.
  static constexpr int32_t kAbsent = -1, kCertain = -2;
  static bool isColumn(int32_t column) { return column >= 0; }

  const Graph &g;
  const MomentModel &model;
  const int64_t budget;
  const WindowGrid &grid;
  LinearProgram lp;
  bool noRoom = false;
  /// Of each moment, the end included, and op: did its first run come before?
  std::vector<std::vector<int32_t>> ran;
  /// Of each moment and value: is it in memory?
  std::vector<std::vector<int32_t>> held;
  std::vector<Question> asked;
  /// Of each moment and op: does it run again before the next moment?
  std::vector<std::vector<int32_t>> again;
  /// Of each column: the op whose run it counts; kNone: it costs nothing.
  std::vector<OpId> columnOp;
  /// What columns and rows mean, whatever the other moments are: hashes.
  std::vector<uint64_t> columnKeys, rowKeys;
  /// Rows that say which runs a column for a whole window may count.
  struct RunRow {
    int32_t row, column;
    OpId op;
  };
  std::vector<RunRow> runRows;
  /// Rows that limit memory, after all others.
  struct MemoryRow {
    int32_t moment;
    int64_t granularity, room;
    double scale;
  };
  std::vector<MemoryRow> memoryRows;
  int32_t firstMemoryRow = 0;

  int32_t end() const { return static_cast<int32_t>(grid.moments.size()); }
  double unitTime() const;
  double unitOf(int32_t row) const;
  enum class Key : uint64_t {
    Ran,
    Held,
    Run,
    RanInOrder,
    RanStays,
    HeldIfMade,
    StaysIfMade,
    Always,
    FirstRun,
    AtEnd,
    Input,
    Counted,
    Memory,
  };
  /// The moment's op; the number of ops for the end.
  uint64_t momentKey(int32_t moment) const;
  int32_t addColumn(uint64_t key, OpId op = kNone);
  void closeRow(double rhs, uint64_t key);
  void addOrder();
  void addHeldColumns();
  int32_t runsAgain(int32_t moment, OpId op);
  void addWindow(Window window);
  void addMemoryRows();
  /// Adds `factor` times what `column` stands for to the open row; returns what
  /// is constant in it.
  int32_t addTerm(int32_t column, int32_t factor);
  /// Calls `fn` with the column of each fact that the model asks for.
  template <typename Fn>
  void forEachFact(const std::vector<Fact> &facts, Fn fn) const;
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_BOUNDS_WINDOWMODEL_H
