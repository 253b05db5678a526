//===- WindowModel.cpp - Memory at several moments as a linear program ----===//
#include "Bounds/WindowModel.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace ckpt::planner {

using Side = MomentModel::Side;

std::string WindowModel::checkGrid(const Graph &g, const MomentModel &moments,
                                   const WindowGrid &grid) {
  for (size_t i = 0; i < grid.moments.size(); ++i) {
    OpId op = grid.moments[i];
    if (op < 0 || op >= g.numOps)
      return "the certificate names an op that does not exist";
    if (i > 0 && !moments.ordered(grid.moments[i - 1], op))
      return "the moments of the certificate are not in order of time";
  }
  for (Window window : grid.windows)
    if (window.first < 0 || window.first >= window.last ||
        window.last > static_cast<int32_t>(grid.moments.size()))
      return "a window of the certificate lies outside its moments";
  for (int64_t granularity : grid.granularities)
    if (granularity < 0)
      return "a granularity is negative";
  return "";
}

WindowModel::WindowModel(const Graph &g, const MomentModel &moments,
                         int64_t budget, const WindowGrid &grid)
    : g(g), model(moments), budget(budget), grid(grid) {
  addOrder();
  addHeldColumns();
  for (Window window : grid.windows)
    addWindow(window);
  firstMemoryRow = lp.numRows();
  addMemoryRows();
}

double WindowModel::unitTime() const {
  return static_cast<double>(std::max<int64_t>(1, g.totalTime));
}

/// A hash of what a row or column is about.
static uint64_t keyOf(std::initializer_list<uint64_t> parts) {
  uint64_t hash = 0;
  for (uint64_t part : parts) {
    hash = (hash ^ part) * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 29;
  }
  return hash;
}

uint64_t WindowModel::momentKey(int32_t moment) const {
  return static_cast<uint64_t>(moment == end() ? g.numOps
                                               : grid.moments[moment]);
}

/// A column of 0 to 1 that costs the time of `op`; kNone: nothing.
int32_t WindowModel::addColumn(uint64_t key, OpId op) {
  columnKeys.push_back(key);
  columnOp.push_back(op);
  return lp.addColumn(
      op == kNone ? 0 : static_cast<double>(g.time[op]) / unitTime(), 0, 1);
}

void WindowModel::closeRow(double rhs, uint64_t key) {
  rowKeys.push_back(key);
  lp.closeRow(rhs);
}

int32_t WindowModel::addTerm(int32_t column, int32_t factor) {
  if (isColumn(column))
    lp.add(column, factor);
  return column == kCertain ? factor : 0;
}

/// Which ops ran before each moment: known for those that come before or after
/// in every order; a column for the others.
void WindowModel::addOrder() {
  for (int32_t j = 0; j < end(); ++j) {
    const std::vector<Side> sides = model.sides(grid.moments[j]);
    again.emplace_back(g.numOps, kAbsent);
    ran.emplace_back(g.numOps, kAbsent);
    for (OpId op = 0; op < g.numOps; ++op) {
      int32_t &here = ran[j][op];
      if (sides[op] == MomentModel::Before)
        here = kCertain;
      if (sides[op] != MomentModel::Unknown)
        continue;
      const uint64_t moment = momentKey(j);
      const uint64_t id = static_cast<uint64_t>(op);
      here = addColumn(keyOf({uint64_t(Key::Ran), moment, id}));
      int64_t bytes = 0;
      for (ValueId v : g.inputs[op])
        bytes += g.bytes[v];
      asked.push_back(
          {here, {Fact::Kind::Ran, grid.moments[j], op, true}, bytes});
      auto notBefore = [&](OpId other) {
        if (!isColumn(ran[j][other]))
          return;
        lp.add(ran[j][other], 1);
        lp.add(here, -1);
        closeRow(0, keyOf({uint64_t(Key::RanInOrder), moment, id,
                           static_cast<uint64_t>(other)}));
      };
      for (ValueId v : g.inputs[op])
        notBefore(g.producer[v]);
      for (OpId before : g.before[op])
        notBefore(before);
      if (j > 0 && isColumn(ran[j - 1][op])) {
        lp.add(here, 1);
        lp.add(ran[j - 1][op], -1);
        closeRow(0, keyOf({uint64_t(Key::RanStays), moment, id}));
      }
    }
  }
  ran.emplace_back(g.numOps, kCertain);
}

/// Values that matter at each moment: read after it, or needed to compute such
/// a value again.
void WindowModel::addHeldColumns() {
  for (int32_t j = 0; j < end(); ++j) {
    std::vector<char> useful(g.numValues, false);
    std::vector<ValueId> pending;
    auto want = [&](ValueId v) {
      if (useful[v] || ran[j][g.producer[v]] == kAbsent)
        return;
      useful[v] = true;
      pending.push_back(v);
    };
    for (OpId op = 0; op < g.numOps; ++op)
      if (ran[j][op] != kCertain)
        for (ValueId v : g.inputs[op])
          want(v);
    for (ValueId v : g.outputs)
      want(v);
    while (!pending.empty()) {
      OpId op = g.producer[pending.back()];
      pending.pop_back();
      for (ValueId v : g.inputs[op])
        want(v);
    }
    held.emplace_back(g.numValues, kAbsent);
    for (ValueId v : g.inputs[grid.moments[j]])
      held[j][v] = kCertain;
    for (ValueId v = 0; v < g.numValues; ++v) {
      const int32_t made = ran[j][g.producer[v]];
      if (g.mustStay[v] && made == kCertain)
        held[j][v] = kCertain;
      if (!useful[v] || held[j][v] == kCertain)
        continue;
      const uint64_t moment = momentKey(j);
      const uint64_t id = static_cast<uint64_t>(v);
      held[j][v] = addColumn(keyOf({uint64_t(Key::Held), moment, id}));
      asked.push_back({held[j][v],
                       {Fact::Kind::Held, grid.moments[j], v, true},
                       g.bytes[v]});
      if (!isColumn(made))
        continue;
      // Only what was made is in memory; what must stay is.
      lp.add(made, 1);
      lp.add(held[j][v], -1);
      closeRow(0, keyOf({uint64_t(Key::HeldIfMade), moment, id}));
      if (g.mustStay[v]) {
        lp.add(held[j][v], 1);
        lp.add(made, -1);
        closeRow(0, keyOf({uint64_t(Key::StaysIfMade), moment, id}));
      }
    }
  }
}

/// The column that counts runs of `op`, beyond its first, between a moment and
/// the next.
int32_t WindowModel::runsAgain(int32_t moment, OpId op) {
  int32_t &column = again[moment][op];
  if (column == kAbsent)
    column =
        addColumn(keyOf({uint64_t(Key::Run), momentKey(moment),
                         momentKey(moment + 1), static_cast<uint64_t>(op)}),
                  op);
  return column;
}

void WindowModel::addWindow(Window window) {
  const std::vector<int32_t> &ranFrom = ran[window.first];
  const std::vector<int32_t> &ranTo = ran[window.last];
  const std::vector<int32_t> &heldFrom = held[window.first];
  const bool toEnd = window.last == end();
  // What must be available in the window, if it was made before it and is not
  // in memory for certain: the inputs of what runs in it first, and what is in
  // memory at its end.
  std::vector<char> wanted(g.numValues, false);
  std::vector<ValueId> pending;
  auto ask = [&](ValueId v) {
    if (wanted[v] || ranFrom[g.producer[v]] == kAbsent ||
        heldFrom[v] == kCertain)
      return;
    wanted[v] = true;
    pending.push_back(v);
  };
  auto mayRunFirst = [&](OpId op) {
    return ranFrom[op] != kCertain && ranTo[op] != kAbsent;
  };
  for (OpId op = 0; op < g.numOps; ++op)
    if (mayRunFirst(op))
      for (ValueId v : g.inputs[op])
        ask(v);
  for (ValueId v = 0; v < g.numValues; ++v)
    if (toEnd ? g.output[v] : held[window.last][v] != kAbsent)
      ask(v);

  // Does an op run in the window? In a piece of time that is its column of
  // further runs, where it ran before.
  std::vector<int32_t> runs(g.numOps, kAbsent);
  std::vector<OpId> opsInWindow;
  std::vector<char> seen(g.numOps, false);
  const bool isPiece = window.last == window.first + 1;
  auto key = [&](Key kind, int32_t id, int32_t other = 0) {
    return keyOf({static_cast<uint64_t>(kind), momentKey(window.first),
                  momentKey(window.last), static_cast<uint64_t>(id),
                  static_cast<uint64_t>(other)});
  };
  for (size_t i = 0; i < pending.size(); ++i) {
    OpId op = g.producer[pending[i]];
    if (seen[op])
      continue;
    seen[op] = true;
    const bool before = ranFrom[op] == kCertain;
    if (before && !g.recomputable[op])
      continue;
    runs[op] = before && isPiece
                   ? runsAgain(window.first, op)
                   : addColumn(keyOf(
                         {uint64_t(Key::Run), momentKey(window.first),
                          momentKey(window.last), static_cast<uint64_t>(op)}));
    opsInWindow.push_back(op);
    for (ValueId v : g.inputs[op])
      ask(v);
  }

  // value is available >= demand - constant, with the demand's terms in the
  // row.
  auto closeAvailable = [&](ValueId v, int32_t demand, uint64_t rowKey) {
    demand -= addTerm(heldFrom[v], 1);
    addTerm(runs[g.producer[v]], 1);
    closeRow(demand, rowKey);
  };
  std::vector<char> needed(g.numValues, false);
  auto demandAlways = [&](ValueId v) {
    if (!wanted[v] || needed[v])
      return;
    needed[v] = true;
    closeAvailable(v, 1, key(Key::Always, v));
  };
  for (OpId op = 0; op < g.numOps; ++op)
    if (ranFrom[op] == kAbsent && ranTo[op] == kCertain)
      for (ValueId v : g.inputs[op])
        demandAlways(v);
  for (ValueId v = 0; v < g.numValues; ++v)
    if (toEnd ? g.output[v] : held[window.last][v] == kCertain)
      demandAlways(v);
  for (OpId op = 0; op < g.numOps; ++op) {
    if (!mayRunFirst(op) || (ranFrom[op] == kAbsent && ranTo[op] == kCertain))
      continue;
    for (ValueId v : g.inputs[op])
      if (wanted[v] && !needed[v]) {
        int32_t demand = -addTerm(ranTo[op], -1);
        demand -= addTerm(ranFrom[op], 1);
        closeAvailable(v, demand, key(Key::FirstRun, op, v));
      }
  }
  if (!toEnd)
    for (ValueId v = 0; v < g.numValues; ++v)
      if (wanted[v] && !needed[v] && isColumn(held[window.last][v])) {
        lp.add(held[window.last][v], -1);
        closeAvailable(v, 0, key(Key::AtEnd, v));
      }
  for (OpId op : opsInWindow) {
    for (ValueId v : g.inputs[op])
      if (wanted[v] && !needed[v]) {
        lp.add(runs[op], -1);
        closeAvailable(v, 0, key(Key::Input, op, v));
      }
    if (isPiece && ranFrom[op] == kCertain)
      continue;
    // Its first run, where that is in the window, or further ones.
    int32_t demand = -addTerm(ranTo[op], 1);
    demand -= addTerm(ranFrom[op], -1);
    if (g.recomputable[op])
      for (int32_t j = window.first; j < window.last; ++j)
        lp.add(runsAgain(j, op), 1);
    lp.add(runs[op], -1);
    runRows.push_back({lp.numRows(), runs[op], op});
    closeRow(demand, key(Key::Counted, op));
  }
}

void WindowModel::addMemoryRows() {
  for (int32_t j = 0; j < end(); ++j)
    for (int64_t granularity : grid.granularities) {
      const int64_t unit = std::max<int64_t>(1, granularity);
      int64_t room = model.capacity(grid.moments[j], budget);
      if (room < 0) {
        noRoom = true;
        return;
      }
      room /= unit;
      int64_t largest = 1;
      for (ValueId v = 0; v < g.numValues; ++v) {
        if (held[j][v] == kCertain)
          room -= g.bytes[v] / unit;
        else if (held[j][v] >= 0)
          largest = std::max(largest, g.bytes[v] / unit);
      }
      if (room < 0) {
        noRoom = true;
        return;
      }
      const double scale = 1 / static_cast<double>(largest);
      for (ValueId v = 0; v < g.numValues; ++v)
        if (held[j][v] >= 0 && g.bytes[v] >= unit)
          lp.add(held[j][v], -static_cast<double>(g.bytes[v] / unit) * scale);
      closeRow(-static_cast<double>(room) * scale,
               keyOf({uint64_t(Key::Memory), momentKey(j),
                      static_cast<uint64_t>(unit)}));
      memoryRows.push_back({j, unit, room, scale});
    }
}

std::vector<StoredAt>
WindowModel::stored(const std::vector<double> &primal) const {
  std::vector<StoredAt> result;
  for (int32_t j = 0; j < end(); ++j) {
    result.push_back({grid.moments[j], std::vector<char>(g.numValues, false)});
    for (ValueId v = 0; v < g.numValues; ++v)
      result.back().values[v] =
          held[j][v] == kCertain ||
          (isColumn(held[j][v]) && primal[held[j][v]] >= 0.5);
  }
  return result;
}

PrimalDual::Point WindowModel::extended(const WindowModel &other,
                                        const PrimalDual::Point &point) const {
  auto carry = [](const std::vector<uint64_t> &from,
                  const std::vector<double> &values,
                  const std::vector<uint64_t> &to, std::vector<double> &result,
                  std::vector<char> *isNew) {
    std::unordered_map<uint64_t, double> known;
    known.reserve(from.size());
    for (size_t i = 0; i < from.size(); ++i)
      known.emplace(from[i], values[i]);
    for (size_t i = 0; i < to.size(); ++i) {
      auto found = known.find(to[i]);
      if (found != known.end())
        result[i] = found->second;
      else if (isNew)
        (*isNew)[i] = true;
    }
  };
  PrimalDual::Point result;
  result.primal.resize(lp.numColumns(), 0);
  result.dual.resize(lp.numRows(), 0);
  std::vector<char> isNew(lp.numRows(), false);
  carry(other.columnKeys, point.primal, columnKeys, result.primal, nullptr);
  carry(other.rowKeys, point.dual, rowKeys, result.dual, &isNew);
  // What was a piece of time is a window now: its runs are paid for by those of
  // its pieces, at the price that they had.
  std::vector<double> paid(lp.numColumns(), 0);
  for (int32_t r = 0; r < lp.numRows(); ++r)
    for (int32_t e = lp.rowStart[r]; e < lp.rowStart[r + 1]; ++e)
      paid[lp.column[e]] += lp.coefficient[e] * result.dual[r];
  for (RunRow run : runRows)
    if (isNew[run.row])
      result.dual[run.row] =
          std::clamp(paid[run.column], 0.0,
                     static_cast<double>(g.time[run.op]) / unitTime());
  return result;
}

double WindowModel::unitOf(int32_t row) const {
  return row < firstMemoryRow
             ? unitTime()
             : unitTime() * memoryRows[row - firstMemoryRow].scale;
}

std::vector<double>
WindowModel::unscaled(const std::vector<double> &dual) const {
  std::vector<double> result(dual);
  for (int32_t r = 0; r < lp.numRows(); ++r)
    result[r] *= unitOf(r);
  return result;
}

template <typename Fn>
void WindowModel::forEachFact(const std::vector<Fact> &facts, Fn fn) const {
  for (const Fact &fact : facts)
    for (int32_t j = 0; j < end(); ++j) {
      if (grid.moments[j] != fact.moment)
        continue;
      const std::vector<int32_t> &columns =
          fact.kind == Fact::Kind::Held ? held[j] : ran[j];
      if (isColumn(columns[fact.id]))
        fn(columns[fact.id], fact.holds);
    }
}

void WindowModel::boundColumns(const std::vector<Fact> &facts,
                               std::vector<double> &lower,
                               std::vector<double> &upper) const {
  lower = lp.lower;
  upper = lp.upper;
  forEachFact(facts, [&](int32_t column, bool holds) {
    (holds ? lower : upper)[column] = holds;
  });
}

/// price * amount * 2^shift in integers, rounded down.
static __int128 product(double price, int64_t amount, int shift) {
  int exponent = 0;
  double fraction = std::frexp(price, &exponent);
  __int128 exact =
      static_cast<__int128>(static_cast<int64_t>(std::ldexp(fraction, 53))) *
      amount;
  int places = exponent - 53 + shift;
  if (places <= -120)
    return 0;
  if (places <= 0)
    return exact >> -places;
  // Larger than any sum of times: as good as infinite.
  constexpr __int128 most = static_cast<__int128>(1) << 100;
  if (exact == 0)
    return 0;
  return places > 100 || exact > (most >> places) ? most : exact << places;
}

int64_t WindowModel::evaluate(const std::vector<double> &multipliers,
                              const std::vector<Fact> &facts) const {
  if (noRoom)
    return MomentModel::kInfeasible;
  constexpr int shift = 20;
  // Of each column: cost less what the rows pay for it.
  std::vector<__int128> reduced(lp.numColumns(), 0);
  for (int32_t c = 0; c < lp.numColumns(); ++c)
    if (columnOp[c] != kNone)
      reduced[c] = static_cast<__int128>(g.time[columnOp[c]]) << shift;
  __int128 sum = 0;
  for (int32_t r = 0; r < firstMemoryRow; ++r) {
    __int128 price = product(multipliers[r], 1, shift);
    if (price == 0)
      continue;
    sum += price * static_cast<int32_t>(lp.rhs[r]);
    for (int32_t e = lp.rowStart[r]; e < lp.rowStart[r + 1]; ++e)
      reduced[lp.column[e]] += lp.coefficient[e] > 0 ? -price : price;
  }
  for (size_t i = 0; i < memoryRows.size(); ++i) {
    const MemoryRow &memory = memoryRows[i];
    double price = multipliers[firstMemoryRow + i];
    if (price == 0)
      continue;
    sum -= product(price, memory.room, shift) + 1;
    for (ValueId v = 0; v < g.numValues; ++v)
      if (int32_t c = held[memory.moment][v]; c >= 0)
        reduced[c] += product(price, g.bytes[v] / memory.granularity, shift);
  }
  std::vector<char> fixed(lp.numColumns(), false);
  forEachFact(facts, [&](int32_t column, bool holds) {
    if (!fixed[column])
      sum += holds ? reduced[column] : 0;
    fixed[column] = true;
  });
  for (int32_t c = 0; c < lp.numColumns(); ++c)
    if (!fixed[c] && reduced[c] < 0)
      sum += reduced[c];
  sum = std::max<__int128>(sum, 0);
  // Times are integers: round up.
  sum = (sum + ((__int128(1) << shift) - 1)) >> shift;
  sum += g.totalTime;
  return sum >= INT64_MAX ? INT64_MAX - 1 : static_cast<int64_t>(sum);
}

} // namespace ckpt::planner
