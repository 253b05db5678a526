//===- BlockLevels.cpp - What is kept of the blocks of a chain ------------===//
#include "Search/BlockLevels.h"

#include "Bounds/MaxFlow.h"
#include "Bounds/MomentNetwork.h"

#include <algorithm>

namespace ckpt::planner {

namespace {
/// A cut between the passes: what it keeps beyond what crosses between blocks,
/// and the time of what runs again.
struct Cut {
  int64_t bytes = 0, time = 0;
  std::vector<char> stored;
};

class LevelFinder {
public:
  LevelFinder(const Graph &g, const BlockChain &chain)
      : g(g), chain(chain), end(g.firstResult[chain.forward.back()]),
        crosses(g.numValues, false), always(g.numValues, false) {
    for (int32_t b = 0; b < chain.numBlocks(); ++b)
      for (OpId op = chain.forward[b]; op < chain.forward[b + 1]; ++op)
        for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v) {
          crosses[v] = entersBlock(g, chain, v, b + 1);
          always[v] = g.pinned(v) || leavesBlock(g, chain, v, b);
        }
  }

  BlockLevels run(int32_t most, const Deadline &deadline) {
    findCuts(deadline);
    BlockLevels levels;
    levels.firstLevel.assign(g.numValues, BlockLevels::kNever);
    for (ValueId v = 0; v < end; ++v)
      if (always[v])
        levels.firstLevel[v] = 0;
    levels.count = 1;
    for (size_t i : chooseCuts(most + 1)) {
      if (cuts[i].bytes == 0)
        continue;
      const uint8_t level = static_cast<uint8_t>(levels.count++);
      for (ValueId v = 0; v < end; ++v)
        if (cuts[i].stored[v] && !crosses[v])
          levels.firstLevel[v] = std::min(levels.firstLevel[v], level);
    }
    return levels;
  }

private:
  const Graph &g;
  const BlockChain &chain;
  /// Of the values made in blocks.
  const ValueId end;
  /// Does it enter the block after its own? Is it in level 0?
  std::vector<char> crosses, always;
  /// By increasing bytes and decreasing time; the first one is level 0 where
  /// prices went so high.
  std::vector<Cut> cuts;

  /// The cuts at prices from where all that is read is kept to where nothing
  /// is: around the time that an average byte takes.
  void findCuts(const Deadline &deadline) {
    const OpId moment = chain.forward.back();
    const TimeScale scale(g);
    const std::vector<MomentModel::Side> sides =
        MomentModel(g, Order::Program).sides(moment);
    std::vector<char> atHand(crosses);
    double bytes = 1;
    for (ValueId v = 0; v < end; ++v) {
      atHand[v] |= always[v];
      bytes += static_cast<double>(g.bytes[v]);
    }
    MomentNetwork network(
        g, scale,
        MomentNetwork::Setup{moment, sides, 0, {}, {}, &atHand, nullptr});
    const double average = static_cast<double>(g.totalTime + 1) / bytes;
    for (double price = average / 256; price < average * 256; price *= 1.5) {
      MomentCut found;
      if (deadline.passed() ||
          network.solve(price, deadline, found) >= MaxFlow::kInfinite)
        break;
      Cut cut;
      for (ValueId v = 0; v < end; ++v)
        if (found.stored[v] && !atHand[v])
          cut.bytes += g.bytes[v];
      if (!cuts.empty() && cut.bytes >= cuts.back().bytes)
        continue;
      for (OpId op = 0; op < moment; ++op)
        if (found.again[op])
          cut.time += g.time[op];
      cut.stored = std::move(found.stored);
      cuts.push_back(std::move(cut));
      if (cuts.back().bytes == 0)
        break;
    }
    std::reverse(cuts.begin(), cuts.end());
  }

  /// The ends, and one by one the cut that is farthest below the line through
  /// its chosen neighbours.
  std::vector<size_t> chooseCuts(int32_t most) const {
    if (cuts.empty())
      return {};
    std::vector<size_t> chosen = {0};
    if (cuts.size() > 1)
      chosen.push_back(cuts.size() - 1);
    while (static_cast<int32_t>(chosen.size()) < most) {
      size_t best = 0;
      double farthest = 0;
      for (size_t k = 0; k + 1 < chosen.size(); ++k) {
        const Cut &left = cuts[chosen[k]], &right = cuts[chosen[k + 1]];
        const double slope = static_cast<double>(right.time - left.time) /
                             static_cast<double>(right.bytes - left.bytes);
        for (size_t i = chosen[k] + 1; i < chosen[k + 1]; ++i) {
          const double below =
              slope * static_cast<double>(cuts[i].bytes - left.bytes) -
              static_cast<double>(cuts[i].time - left.time);
          if (below > farthest) {
            farthest = below;
            best = i;
          }
        }
      }
      if (best == 0)
        break;
      chosen.insert(std::lower_bound(chosen.begin(), chosen.end(), best), best);
    }
    return chosen;
  }
};
} // namespace

BlockLevels findBlockLevels(const Graph &g, const BlockChain &chain,
                            int32_t most, const Deadline &deadline) {
  return LevelFinder(g, chain).run(most, deadline);
}

} // namespace ckpt::planner
