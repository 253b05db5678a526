//===- WindowSearch.cpp - Bounds from several moments ---------------------===//
#include "Bounds/WindowSearch.h"

#include "Bounds/ScarceMoments.h"
#include "Bounds/WindowCase.h"

#include <algorithm>

namespace ckpt::planner {

namespace {
/// Branch and bound: the least of the bounds of the cases is raised, by
/// distinguishing what the program of its case answers least clearly, and by
/// more moments where it answers every question.
class WindowSearch {
public:
  WindowSearch(const Graph &g, const MomentModel &model, int64_t budget,
               std::vector<OpId> candidates, const WindowSearchOptions &options)
      : granularities(commonSizes(g, budget)),
        candidates(std::move(candidates)), options(options),
        prover(g, model, budget, options) {}

  WindowBound run(OpId always) {
    WindowGrid first;
    first.granularities = granularities;
    prover.insert(first, always);
    root.relaxation = prover.relax(std::move(first));
    prover.solve(root, kRootIterations);
    addMoments(root);
    startTree();
    while (!finished()) {
      WindowCase &worst = worstCase();
      if (worst.bound >= options.knownTime)
        break;
      if (stalled() && timeToStartAgain() && startAgain())
        continue;
      if (worst.split >= 0)
        branch(worst);
      else if (!doubt(worst))
        break;
    }
    if (!earlier.empty() && leastBound(earlier) > leastBound(cases))
      cases.swap(earlier);
    return result();
  }

private:
  static constexpr int64_t kRootIterations = 2000;
  static constexpr int64_t kIterations = 400;
  /// To compare moments, first and last, and how many are compared closely.
  static constexpr int64_t kMomentIterations = 160;
  static constexpr int64_t kFirstMomentIterations = 40;
  static constexpr size_t kMomentsTried = 8;
  /// The tree has stalled when so many cases, and half as many as there were,
  /// do not raise its bound by what a moment is worth; so many dives say then
  /// which moments it lacks.
  static constexpr size_t kCasesToStall = 16;
  static constexpr size_t kDives = 3;
  /// Of a tree; there are two at most.
  static constexpr int64_t kMostBytes = 200'000'000;

  const std::vector<int64_t> granularities;
  const std::vector<OpId> candidates;
  const WindowSearchOptions &options;
  WindowProver prover;
  /// What the tree grows from, its leaves, and those of the best tree before.
  WindowCase root;
  std::vector<WindowCase> cases, earlier;
  /// The cheapest leaves that answer every question: their costs, and what they
  /// hold at their moments.
  std::vector<std::pair<double, std::vector<StoredAt>>> cheapLeaves;
  int64_t bytes = 0;
  int64_t workAtStart = 0;
  double secondsAtStart = 0;
  /// When the bound of the tree last rose.
  size_t casesAtRise = 0;
  double boundAtRise = 0;

  bool finished() const { return prover.finished() || bytes > kMostBytes; }

  WindowCase &worstCase() {
    return *std::min_element(cases.begin(), cases.end(),
                             [](const WindowCase &a, const WindowCase &b) {
                               return a.bound < b.bound;
                             });
  }

  static int64_t leastBound(const std::vector<WindowCase> &tree) {
    int64_t least = INT64_MAX;
    for (const WindowCase &leaf : tree)
      least = std::min(least, leaf.bound);
    return least;
  }

  WindowBound result() {
    WindowBound result;
    result.time = leastBound(cases);
    result.infeasible = result.time == MomentModel::kInfeasible;
    result.hints = hints();
    std::vector<const Relaxation *> grids;
    for (WindowCase &leaf : cases) {
      result.certificate.cases.emplace_back();
      BoundCase &which = result.certificate.cases.back();
      which.facts = std::move(leaf.facts);
      which.multipliers = std::move(leaf.multipliers);
      auto place = std::find(grids.begin(), grids.end(), leaf.proof.get());
      which.grid = static_cast<int32_t>(place - grids.begin());
      if (place != grids.end())
        continue;
      grids.push_back(leaf.proof.get());
      result.certificate.grids.push_back(leaf.proof->grid);
    }
    return result;
  }

  /// Of the cheapest leaves that answer every question, and of the cases that
  /// prove least.
  std::vector<std::vector<StoredAt>> hints() const {
    constexpr size_t most = 4;
    std::vector<const WindowCase *> cheapest;
    for (const WindowCase &leaf : cases)
      cheapest.push_back(&leaf);
    std::sort(cheapest.begin(), cheapest.end(),
              [](const WindowCase *a, const WindowCase *b) {
                return a->bound != b->bound ? a->bound < b->bound : a < b;
              });
    std::vector<std::vector<StoredAt>> result;
    for (const auto &[cost, held] : cheapLeaves)
      result.push_back(held);
    for (size_t i = 0; i < std::min(most, cheapest.size()); ++i)
      result.push_back(
          cheapest[i]->relaxation->windows.stored(cheapest[i]->point.primal));
    return result;
  }

  //===--------------------------------------------------------------------===//
  // Moments
  //===--------------------------------------------------------------------===//

  double momentBound(const WindowCase &which, const WindowGrid &larger) {
    return prover.momentBound(which, larger, which.facts, which.point,
                              kMomentIterations);
  }

  void extend(WindowCase &which, WindowGrid grid) {
    SharedRelaxation larger = prover.relax(std::move(grid));
    which.point =
        larger->windows.extended(which.relaxation->windows, which.point);
    which.relaxation = std::move(larger);
    prover.solve(which, kRootIterations);
  }

  /// Adds the moments that raise the bound of the case, one after the other; if
  /// none does alone, the three that come nearest to it. Returns whether there
  /// were any.
  bool addMoments(WindowCase &which) {
    double best = prover.asBound(which.bound);
    std::vector<std::pair<double, OpId>> gains;
    WindowGrid grid = which.relaxation->grid;
    for (OpId op : candidates) {
      WindowGrid larger = grid;
      if (!finished() && prover.insert(larger, op))
        gains.push_back({-momentBound(which, larger), op});
    }
    std::sort(gains.begin(), gains.end());
    bool added = false;
    for (auto [gain, op] : gains) {
      WindowGrid larger = grid;
      if (finished() || !prover.insert(larger, op))
        continue;
      double bound = added ? momentBound(which, larger) : -gain;
      if (bound < best + prover.worth(which))
        continue;
      best = bound;
      grid = std::move(larger);
      added = true;
    }
    constexpr size_t together = 3;
    for (size_t i = 0; !added && i < gains.size() && i < together; ++i)
      prover.insert(grid, gains[i].second);
    if (grid.moments.size() == which.relaxation->grid.moments.size())
      return false;
    extend(which, std::move(grid));
    return true;
  }

  /// Answers all questions in the way that costs least. Returns false where
  /// that rules out everything, or for want of time.
  bool dive(WindowCase &leaf) {
    while (leaf.split >= 0) {
      const int32_t question = leaf.split;
      const bool cheaper = prover.answerBound(leaf, question, true) <
                           prover.answerBound(leaf, question, false);
      WindowCase next = answered(leaf, question, cheaper);
      if (next.bound >= options.knownTime)
        next = answered(leaf, question, !cheaper);
      leaf = std::move(next);
      if (finished() || leaf.bound >= options.knownTime)
        return false;
    }
    return true;
  }

  //===--------------------------------------------------------------------===//
  // Leaves without questions
  //===--------------------------------------------------------------------===//

  /// A leaf of least cost answers every question, so that its moments prove no
  /// more: looks for the moment that its answers cannot stand, and adds it to
  /// the leaf. Returns whether there was one.
  bool doubt(WindowCase &leaf) {
    const int64_t before = leaf.bound;
    const std::vector<Fact> facts = leaf.answers();
    PrimalDual::Point point = leaf.point;
    const double cost =
        prover.iterate(*leaf.relaxation, facts, point, kIterations);
    const double least = prover.worth(leaf);
    if (cost > prover.asBound(leaf.bound) + least) {
      // The program was not near its optimum, and asks other questions.
      prover.solve(leaf, kRootIterations);
      if (leaf.split < 0 && leaf.bound == before)
        leaf.split = WindowProver::leastClear(leaf);
      if (leaf.split >= 0 || leaf.bound > before)
        return true;
    }
    noteLeaf(leaf, cost);
    const std::vector<double> gains = gainsAtLeaf(leaf, facts, point, cost);
    const size_t best =
        std::max_element(gains.begin(), gains.end()) - gains.begin();
    if (best == gains.size() || gains[best] < least)
      return addMoments(leaf);
    WindowGrid grid = leaf.relaxation->grid;
    prover.insert(grid, candidates[best]);
    extend(leaf, std::move(grid));
    return true;
  }

  /// A leaf may be a plan, or near one.
  void noteLeaf(const WindowCase &leaf, double cost) {
    constexpr size_t most = 3;
    auto place = std::upper_bound(
        cheapLeaves.begin(), cheapLeaves.end(), cost,
        [](double a, const auto &other) { return a < other.first; });
    if (place - cheapLeaves.begin() == most)
      return;
    cheapLeaves.insert(
        place, {cost, leaf.relaxation->windows.stored(leaf.point.primal)});
    if (cheapLeaves.size() > most)
      cheapLeaves.pop_back();
  }

  /// By how much each candidate raises the cost of a leaf with the answers that
  /// its point gives; empty where these contradict each other.
  std::vector<double> gainsAtLeaf(const WindowCase &leaf) {
    const std::vector<Fact> facts = leaf.answers();
    PrimalDual::Point point = leaf.point;
    const double cost =
        prover.iterate(*leaf.relaxation, facts, point, kIterations);
    if (cost >= prover.target())
      return {};
    noteLeaf(leaf, cost);
    return gainsAtLeaf(leaf, facts, point, cost);
  }

  /// By how much each candidate raises the cost of a leaf with these answers.
  std::vector<double> gainsAtLeaf(const WindowCase &leaf,
                                  const std::vector<Fact> &facts,
                                  const PrimalDual::Point &point, double cost) {
    std::vector<double> gains(candidates.size(), 0);
    auto tryMoment = [&](size_t i, int64_t iterations) {
      WindowGrid larger = leaf.relaxation->grid;
      if (!finished() && prover.insert(larger, candidates[i]))
        gains[i] =
            std::min(prover.momentBound(leaf, larger, facts, point, iterations),
                     prover.target()) -
            cost;
    };
    std::vector<size_t> order(candidates.size());
    for (size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
      tryMoment(i, kFirstMomentIterations);
    }
    const size_t tried = std::min(kMomentsTried, order.size());
    std::partial_sort(order.begin(), order.begin() + tried, order.end(),
                      [&](size_t a, size_t b) {
                        return gains[a] != gains[b] ? gains[a] > gains[b]
                                                    : a < b;
                      });
    for (size_t i = 0; i < tried; ++i)
      tryMoment(order[i], kIterations);
    return gains;
  }

  /// The root's grid with moments that raise the cost of several leaves by
  /// `least` or more, one for each leaf; those for most leaves come first.
  WindowGrid coveringMoments(const std::vector<std::vector<double>> &leafGains,
                             double least) const {
    WindowGrid grid = root.relaxation->grid;
    std::vector<const std::vector<double> *> open;
    for (const std::vector<double> &gains : leafGains)
      open.push_back(&gains);
    while (!open.empty()) {
      size_t best = 0;
      std::pair<size_t, double> most = {0, 0};
      for (size_t i = 0; i < candidates.size(); ++i) {
        WindowGrid larger = grid;
        if (!prover.insert(larger, candidates[i]))
          continue;
        std::pair<size_t, double> here = {0, 0};
        for (const std::vector<double> *gains : open)
          if ((*gains)[i] >= least) {
            ++here.first;
            here.second += (*gains)[i];
          }
        if (here > most) {
          most = here;
          best = i;
        }
      }
      // What one leaf lacks, it gets alone.
      if (most.first < 2)
        break;
      prover.insert(grid, candidates[best]);
      open.erase(std::remove_if(open.begin(), open.end(),
                                [&](const std::vector<double> *gains) {
                                  return (*gains)[best] >= least;
                                }),
                 open.end());
    }
    return grid;
  }

  //===--------------------------------------------------------------------===//
  // The tree
  //===--------------------------------------------------------------------===//

  void startTree() {
    cases = {root};
    bytes = 0;
    workAtStart = prover.work();
    secondsAtStart = options.deadline.elapsed();
    casesAtRise = 0;
    boundAtRise = prover.asBound(root.bound);
  }

  /// Is there time for the tree to grow again?
  bool timeToStartAgain() const {
    const int64_t work = prover.work();
    if (options.maxWork - work < work - workAtStart)
      return false;
    return !options.deadline.limited() ||
           options.deadline.left() >
               options.deadline.elapsed() - secondsAtStart;
  }

  bool stalled() {
    const WindowCase &worst = worstCase();
    const double bound = prover.asBound(worst.bound);
    if (bound >= boundAtRise + prover.worth(worst)) {
      boundAtRise = bound;
      casesAtRise = cases.size();
    }
    return cases.size() >=
           casesAtRise + std::max(kCasesToStall, casesAtRise / 2);
  }

  /// The moments that the leaves below the cheapest cases cannot stand are
  /// added to the root, and the tree grows again. Returns false where there are
  /// none.
  bool startAgain() {
    casesAtRise = cases.size();
    std::vector<size_t> cheapest(cases.size());
    for (size_t i = 0; i < cheapest.size(); ++i)
      cheapest[i] = i;
    const size_t dives = std::min(kDives, cheapest.size());
    std::partial_sort(cheapest.begin(), cheapest.begin() + dives,
                      cheapest.end(), [&](size_t a, size_t b) {
                        return cases[a].bound != cases[b].bound
                                   ? cases[a].bound < cases[b].bound
                                   : a < b;
                      });
    const double least = prover.worth(cases[cheapest[0]]);
    std::vector<std::vector<double>> leafGains;
    for (size_t i = 0; i < dives; ++i) {
      WindowCase leaf = cases[cheapest[i]];
      if (!dive(leaf))
        continue;
      if (std::vector<double> gains = gainsAtLeaf(leaf); !gains.empty())
        leafGains.push_back(std::move(gains));
    }
    WindowGrid grid = coveringMoments(leafGains, least);
    if (finished() ||
        grid.moments.size() == root.relaxation->grid.moments.size())
      return false;
    extend(root, std::move(grid));
    if (earlier.empty() || leastBound(cases) > leastBound(earlier))
      earlier = std::move(cases);
    startTree();
    return true;
  }

  WindowCase answered(const WindowCase &parent, int32_t question, bool holds) {
    WindowCase child;
    child.facts = parent.factsWith(question, holds);
    child.relaxation = parent.relaxation;
    child.proof = parent.proof;
    child.multipliers = parent.multipliers;
    child.bound = child.proof->windows.evaluate(child.multipliers, child.facts);
    child.point = parent.point;
    prover.solve(child, kIterations);
    return child;
  }

  void branch(WindowCase &parent) {
    bytes += 8 * static_cast<int64_t>(parent.multipliers.size() +
                                      parent.point.dual.size() +
                                      parent.point.primal.size());
    WindowCase other = answered(parent, parent.split, true);
    parent = answered(parent, parent.split, false);
    cases.push_back(std::move(other));
  }
};
} // namespace

WindowBound searchWindows(const Problem &problem, const Graph &g,
                          const MomentModel &model, int64_t budget,
                          const Plan &plan, OpId always,
                          const WindowSearchOptions &options) {
  return WindowSearch(g, model, budget,
                      scarceMoments(problem, g, model, budget, plan, always),
                      options)
      .run(always);
}

} // namespace ckpt::planner
