//===- BlockDp.cpp - Dynamic programme over a chain of blocks -------------===//
#include "Search/BlockDp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace ckpt::planner {

static constexpr float kImpossible = std::numeric_limits<float>::infinity();

BlockDp::BlockDp(const Graph &g, const BlockChain &chain,
                 const BlockLevels &levels, const BlockDpOptions &options)
    : g(g), chain(chain), levels(levels), profile(g, chain, levels),
      last(chain.numBlocks()), numLevels(levels.count),
      keptBefore(numLevels, std::vector<int64_t>(last + 1, 0)),
      outputsFrom(last + 2, 0) {
  for (int32_t level = 0; level < numLevels; ++level)
    for (int32_t b = 0; b < last; ++b)
      keptBefore[level][b + 1] =
          keptBefore[level][b] + profile.blocks()[b].keptBytes[level];
  findAlike();
  const int64_t rows = std::max(1, numLevels * numTables);
  const int64_t firstRuns = static_cast<int64_t>(last) * (last + 1) / 2;
  const int64_t steps =
      std::max<int64_t>(1, numLevels * (sumOfLengths + firstRuns));
  const int64_t maxUnits = std::min(
      {options.maxUnits, options.maxCells / rows - 1, options.maxWork / steps});
  constexpr int64_t fewestUnits = 40;
  if (maxUnits < fewestUnits)
    return;
  chooseUnit(options.budget, maxUnits);
  fillKept();
  complete = fillTables(options.deadline);
}

/// Numbers the blocks so that equal ones, in all that the tables depend on,
/// have the same number.
std::vector<int32_t> BlockDp::findTypes() const {
  std::map<std::vector<int64_t>, int32_t> known;
  std::vector<int32_t> types;
  for (int32_t b = 0; b < last; ++b) {
    const BlockProfile::Block &block = profile.blocks()[b];
    std::vector<int64_t> key = block.keptBytes;
    for (const std::vector<BlockProfile::Cost> *costs :
         {&block.again, &block.backward[0], &block.backward[1]})
      for (BlockProfile::Cost cost : *costs) {
        key.push_back(cost.time);
        key.push_back(cost.peak);
      }
    key.push_back(block.outputBytes);
    key.push_back(profile.blocks()[b + 1].gradientBytes);
    for (int32_t next = b + 1; next <= last; ++next) {
      const int64_t bytes =
          profile.enteringBytes(b, next) - profile.enteringBytes(b + 1, next);
      if (bytes == 0)
        break;
      key.push_back(bytes);
    }
    types.push_back(
        known.emplace(std::move(key), static_cast<int32_t>(known.size()))
            .first->second);
  }
  return types;
}

/// Gives segments of the same types in the same order the same table.
void BlockDp::findAlike() {
  const std::vector<int32_t> types = findTypes();
  tableOf.assign(static_cast<size_t>(last) * last, kNone);
  // alike[i][p]: over how many blocks what begins with i and with p is alike.
  std::vector<std::vector<int32_t>> alike(last + 1,
                                          std::vector<int32_t>(last + 1, 0));
  for (int32_t i = last - 1; i >= 0; --i)
    for (int32_t p = last - 1; p > i; --p)
      alike[i][p] = types[i] == types[p] ? 1 + alike[i + 1][p + 1] : 0;
  for (int32_t i = last - 1; i >= 0; --i) {
    // Of each length the last segment that is alike.
    int32_t longest = 0;
    for (int32_t p = last - 1; p > i; --p)
      for (; longest < alike[i][p]; ++longest)
        tableOf[segment(i, i + longest)] = tableOf[segment(p, p + longest)];
    for (int32_t j = i + longest; j < last; ++j) {
      tableOf[segment(i, j)] = numTables++;
      distinct.push_back({i, j});
      sumOfLengths += j - i + 1;
    }
  }
}

/// Sizes are rounded up: the number of units, among those within a third of the
/// most, with which what single blocks keep loses least. Where most sizes are
/// multiples of one, that is it, and nothing is lost.
void BlockDp::chooseUnit(int64_t budget, int64_t maxUnits) {
  std::vector<int64_t> sizes;
  for (int32_t b = 0; b < last; ++b)
    for (int64_t kept : profile.blocks()[b].keptBytes)
      sizes.push_back(kept + profile.enteringBytes(b, b + 1));
  const double most = kMostPart * static_cast<double>(budget);
  double least = std::numeric_limits<double>::infinity();
  for (int64_t count = (2 * maxUnits + 2) / 3; count <= maxUnits; ++count) {
    const double size =
        std::max(1.0, std::ceil(most / static_cast<double>(count)));
    double lost = 0;
    for (int64_t bytes : sizes) {
      const double exact = static_cast<double>(bytes) / size;
      lost += (std::ceil(exact) - exact) * size;
    }
    if (lost < least) {
      least = lost;
      unit = size;
    }
  }
  unitsPerByte = 1 / unit;
  amount = static_cast<int32_t>(most / unit);
  inBudget = static_cast<double>(budget) / unit;
}

void BlockDp::fillKept() {
  int64_t outputs = 0;
  for (int32_t b = last; b >= 0; --b) {
    outputs += profile.blocks()[b].outputBytes;
    outputsFrom[b] = units(outputs);
  }
  keptTable.assign(static_cast<size_t>(numLevels) * (last + 1) * (last + 1), 0);
  for (int32_t level = 0; level < numLevels; ++level)
    for (int32_t i = 0; i < last; ++i)
      for (int32_t k = i + 1; k <= last; ++k)
        keptUnits(level, i, k) =
            units(profile.enteringBytes(i, k) + kept(level, i, k));
}

/// Calls `fn` for `way`, and before, where it goes forward one block only, for
/// that in which this block's backward ops come at once.
template <typename Fn>
void BlockDp::offerWays(Way way, int32_t i, size_t before, Fn fn) const {
  if (way.next == i + 1) {
    const BlockProfile::Cost &back =
        profile.blocks()[i].backward[true][way.level];
    Way direct = way;
    direct.need = std::max(way.need, units(back.peak) + way.lessBefore);
    direct.time += static_cast<float>(back.time);
    direct.atLeast += static_cast<float>(back.time);
    fn(direct);
  }
  way.before = row(before);
  way.atLeast += least[before];
  fn(way);
}

template <typename Fn>
void BlockDp::forEachWay(int32_t level, int32_t i, int32_t j, Fn fn) const {
  const std::vector<BlockProfile::Block> &blocks = profile.blocks();
  for (int32_t to = level; to < numLevels; ++to) {
    const int32_t *keptRow =
        &keptTable[(static_cast<size_t>(to) * (last + 1) + i) * (last + 1)];
    // More than before is kept of one block at a time only.
    const int32_t end = to == level ? j : i + 1;
    int64_t need = 0, time = 0;
    for (int32_t next = i + 1; next <= end; ++next) {
      const int32_t b = next - 1;
      const BlockProfile::Cost &again = blocks[b].again[level * numLevels + to];
      // Gradients and what the blocks to the right keep are there already.
      need = std::max(need, blocks[j + 1].gradientBytes + kept(to, i, b) +
                                kept(level, next, j + 1) +
                                profile.enteringBytes(i, b) + again.peak);
      time += again.time;
      Way way;
      way.next = next;
      way.level = to;
      way.need = units(need);
      if (way.need > amount)
        break;
      way.time = static_cast<float>(time);
      way.less = keptRow[next];
      way.lessBefore = outputsFrom[next] - outputsFrom[j + 1];
      const size_t after = table(level, next, j);
      way.after = row(after);
      way.atLeast = way.time + least[after];
      offerWays(way, i, table(to, i, b), fn);
    }
  }
}

template <typename Fn>
void BlockDp::forEachFirstWay(int32_t i, Fn fn) const {
  const std::vector<BlockProfile::Block> &blocks = profile.blocks();
  for (int32_t to = 0; to < numLevels; ++to) {
    const int32_t *keptRow =
        &keptTable[(static_cast<size_t>(to) * (last + 1) + i) * (last + 1)];
    int64_t need = 0;
    for (int32_t next = i + 1; next <= last; ++next) {
      const int32_t b = next - 1;
      need = std::max(need, kept(to, i, b) + profile.enteringBytes(i, b) +
                                blocks[b].forwardPeak[to]);
      Way way;
      way.next = next;
      way.level = to;
      way.need = units(need);
      if (way.need > amount)
        break;
      way.less = keptRow[next];
      way.lessBefore = outputsFrom[next];
      way.after = top[next].data();
      way.atLeast = top[next].back();
      offerWays(way, i, table(to, i, b), fn);
    }
  }
}

void BlockDp::improve(float *cells, const Way &way) const {
  const int32_t from = way.least();
  // More memory never takes more time.
  if (from > amount || !(way.atLeast < cells[from]) ||
      !(way.at(amount) < cells[from]))
    return;
  const float time = way.time;
  const float *after = way.after, *before = way.before;
  const int32_t less = way.less, lessBefore = way.lessBefore;
  if (!before) {
    for (int32_t m = from; m <= amount; ++m)
      cells[m] = std::min(cells[m], time + after[m - less]);
    return;
  }
  for (int32_t m = from; m <= amount; ++m)
    cells[m] =
        std::min(cells[m], time + after[m - less] + before[m - lessBefore]);
}

bool BlockDp::fillTables(const Deadline &deadline) {
  const std::vector<BlockProfile::Block> &blocks = profile.blocks();
  const size_t tables = static_cast<size_t>(numLevels) * numTables;
  cost.assign(tables * (amount + 1), kImpossible);
  least.assign(tables, kImpossible);
  auto fill = [&](int32_t level, int32_t i, int32_t j) {
    const size_t number = table(level, i, j);
    float *cells = cost.data() + number * (amount + 1);
    if (i < j) {
      forEachWay(level, i, j, [&](const Way &way) { improve(cells, way); });
    } else {
      const BlockProfile::Cost &back = blocks[i].backward[false][level];
      for (int32_t m = units(back.peak); m <= amount; ++m)
        cells[m] = static_cast<float>(back.time);
    }
    least[number] = cells[amount];
  };
  // A segment needs shorter ones from i on, those further right, and of higher
  // levels that of block i alone. What begins with i stays in the cache.
  for (size_t first = 0, end = 0; first < distinct.size(); first = end) {
    if (deadline.passed())
      return false;
    const int32_t i = distinct[first].first;
    while (end < distinct.size() && distinct[end].first == i)
      ++end;
    for (int32_t level = numLevels - 1; level >= 0; --level)
      for (size_t k = first; k < end; ++k)
        fill(level, i, distinct[k].second);
  }
  top.assign(last + 1, std::vector<float>(amount + 1, kImpossible));
  for (int32_t m = units(blocks[last].forwardPeak[0]); m <= amount; ++m)
    top[last][m] = 0;
  for (int32_t i = last - 1; i >= 0; --i)
    forEachFirstWay(i, [&](const Way &way) { improve(top[i].data(), way); });
  return true;
}

int32_t BlockDp::unitsOf(double part) const {
  const double count = std::floor(inBudget * part);
  if (!complete || count < 0)
    return -1;
  return static_cast<int32_t>(std::min<double>(amount, count));
}

double BlockDp::extraTime(double part) const {
  const int32_t memory = unitsOf(part);
  return memory < 0 ? kImpossible : top[0][memory];
}

std::vector<OpId> BlockDp::schedule(double part) const {
  const int32_t memory = unitsOf(part);
  if (memory < 0 || !(top[0][memory] < kImpossible))
    return {};
  BlockRunner runner(g, chain, levels);
  // What is still to do, last first: run the blocks i..j, for the first time to
  // the turn or again, run the backward ops of i, or drop all but what `level`
  // keeps of the blocks i .. j - 1.
  struct Task {
    enum Kind { First, Again, Backward, Drop } kind;
    int32_t i, j, level, memory;
  };
  std::vector<Task> tasks = {{Task::First, 0, last, 0, memory}};
  while (!tasks.empty()) {
    const Task task = tasks.back();
    tasks.pop_back();
    const int32_t i = task.i;
    if (task.kind == Task::Drop) {
      runner.dropAllBut(i, task.j, task.level, /*withNext=*/false);
      continue;
    }
    if (task.kind == Task::First && i == last) {
      runner.runTurn();
      continue;
    }
    if (task.kind == Task::Backward || i == task.j) {
      runner.runBackward(i);
      continue;
    }
    Way best;
    float least = kImpossible;
    auto look = [&](const Way &way) {
      if (task.memory >= way.least() && way.at(task.memory) < least) {
        least = way.at(task.memory);
        best = way;
      }
    };
    if (task.kind == Task::First)
      forEachFirstWay(i, look);
    else
      forEachWay(task.level, i, task.j, look);
    for (int32_t b = i; b < best.next; ++b) {
      if (task.kind == Task::First)
        runner.runForward(b);
      else
        runner.runAgain(b, best.level);
    }
    runner.dropAllBut(i, best.next, best.level, /*withNext=*/true);
    if (best.before) {
      tasks.push_back({Task::Again, i, best.next - 1, best.level,
                       task.memory - best.lessBefore});
      tasks.push_back({Task::Drop, i, best.next, best.level, 0});
    } else {
      tasks.push_back({Task::Backward, i, i, 0, 0});
    }
    tasks.push_back(
        {task.kind, best.next, task.j, task.level, task.memory - best.less});
  }
  std::vector<OpId> runs;
  runs.reserve(runner.runs().size());
  for (OpId op : runner.runs())
    runs.push_back(g.problemOp[op]);
  return runs;
}

} // namespace ckpt::planner
