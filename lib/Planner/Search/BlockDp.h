//===- BlockDp.h - Dynamic programme over a chain of blocks -----*- C++ -*-===//
//
// The cheapest way to run a chain of blocks forwards and backwards within the
// memory, where segments, and segments within segments, run again as often as
// pays: the programme of Beaumont et al. (2019, "Optimal checkpointing for
// heterogeneous chains: how to train deep neural networks with limited
// memory"), with several choices of what to keep of a block, as in Zhao et al.
// (2023, "Rockmate"), which here may also be made for whole segments: what a
// level keeps stays in memory while the segment that it is of runs again.
//
// With levels l, blocks i <= j and memory m, C(l, i, j, m) is the least time,
// beyond the first run of every op, to get from what enters block i (not
// counted in m), what l keeps of i..j, and the gradients after j, to those
// before i. Either i = j, and the backward ops of i run, with what they need
// again; or the blocks i..k-1 run again, keeping a level l' >= l and what
// enters k, then C(l, k, j, m - what was kept) and C(l', i, k - 1, m) follow.
// While everything runs for the first time, it is the same with C(., i, m) to
// the turn, where running forward costs nothing.
//
// Segments of equal blocks have one table: what repeats is planned once.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_LIB_PLANNER_SEARCH_BLOCKDP_H
#define CKPT_LIB_PLANNER_SEARCH_BLOCKDP_H

#include "Effort.h"
#include "Search/BlockProfile.h"

namespace ckpt::planner {

struct BlockDpOptions {
  int64_t budget = 0;
  /// Most cells of all tables.
  int64_t maxCells = 40'000'000;
  /// Most steps to fill them; what costs more is not begun.
  int64_t maxWork = INT64_MAX;
  /// Most units in which memory is counted.
  int64_t maxUnits = 600;
  Deadline deadline;
};

class BlockDp {
public:
  /// Fills the tables: O(levels units) per segment that is unlike all others
  /// and way to cut it.
  BlockDp(const Graph &g, const BlockChain &chain, const BlockLevels &levels,
          const BlockDpOptions &options);

  /// The runs, as ops of the Problem, of the cheapest schedule for so much of
  /// the budget: up to kMostPart, since sizes are rounded up to units, so that
  /// the schedule may take less than it says. Empty: none, or the deadline
  /// passed before the tables were full.
  std::vector<OpId> schedule(double part) const;
  /// Time of its recomputations, as the tables have it, in single precision;
  /// infinite: none.
  double extraTime(double part) const;

  static constexpr double kMostPart = 1.1;

private:
  const Graph &g;
  const BlockChain &chain;
  const BlockLevels &levels;
  const BlockProfile profile;
  const int32_t last, numLevels;
  /// Of each segment, by segment(): the number of its table.
  std::vector<int32_t> tableOf;
  int32_t numTables = 0;
  /// The last segment of each table, in the order in which they are filled, and
  /// the sum of the lengths.
  std::vector<std::pair<int32_t, int32_t>> distinct;
  int64_t sumOfLengths = 0;
  double unit = 1, unitsPerByte = 1;
  /// Units to which the tables reach, and those of the budget.
  int32_t amount = 0;
  double inBudget = 0;
  bool complete = false;
  /// Of each level: sums of what it keeps of the blocks before b.
  std::vector<std::vector<int64_t>> keptBefore;
  /// Sums of outputs made in the blocks from b on, in units.
  std::vector<int32_t> outputsFrom;
  /// Units that running the blocks i .. k - 1 to a level keeps, what enters k
  /// included: see keptUnits().
  std::vector<int32_t> keptTable;
  /// From row(table(level, i, j)) on: C(level, i, j, .).
  std::vector<float> cost;
  /// Of each table: its last, least element. Most ways are ruled out by these,
  /// which are near each other.
  std::vector<float> least;
  std::vector<std::vector<float>> top;

  int32_t units(int64_t bytes) const {
    // Rounded up, but not because a quotient that should be whole is not quite.
    const double count = static_cast<double>(bytes) * unitsPerByte;
    return static_cast<int32_t>(
        std::min<double>(count + 0.9999, static_cast<double>(amount) + 1));
  }
  size_t segment(int32_t i, int32_t j) const {
    return static_cast<size_t>(i) * last + j;
  }
  size_t table(int32_t level, int32_t i, int32_t j) const {
    return static_cast<size_t>(level) * numTables + tableOf[segment(i, j)];
  }
  const float *row(size_t table) const {
    return cost.data() + table * (amount + 1);
  }
  int64_t kept(int32_t level, int32_t from, int32_t to) const {
    return keptBefore[level][to] - keptBefore[level][from];
  }
  int32_t &keptUnits(int32_t level, int32_t i, int32_t k) {
    return keptTable[(static_cast<size_t>(level) * (last + 1) + i) *
                         (last + 1) +
                     k];
  }

  /// One way to run the blocks i..j: forward to block `next`, keeping `level`;
  /// from there to the end and back; then what is before.
  struct Way {
    int32_t next = kNone, level = 0;
    /// Units that it needs at least, that the blocks from `next` on are not
    /// given, and that those before it are not.
    int32_t need = 0, less = 0, lessBefore = 0;
    float time = 0;
    /// Tables of the two parts; null before: only block i is, and its backward
    /// ops find what enters `next` still in memory.
    const float *after = nullptr, *before = nullptr;
    /// No more than what it takes.
    float atLeast = 0;

    int32_t least() const { return std::max({need, less, lessBefore}); }
    float at(int32_t memory) const {
      return time + after[memory - less] +
             (before ? before[memory - lessBefore] : 0.0f);
    }
  };
  template <typename Fn>
  void forEachWay(int32_t level, int32_t i, int32_t j, Fn fn) const;
  template <typename Fn>
  void forEachFirstWay(int32_t i, Fn fn) const;
  template <typename Fn>
  void offerWays(Way way, int32_t i, size_t before, Fn fn) const;
  void improve(float *cells, const Way &way) const;
  /// Units of a part of the budget; -1: none.
  int32_t unitsOf(double part) const;
  void findAlike();
  std::vector<int32_t> findTypes() const;
  void chooseUnit(int64_t budget, int64_t maxUnits);
  void fillKept();
  bool fillTables(const Deadline &deadline);
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SEARCH_BLOCKDP_H
