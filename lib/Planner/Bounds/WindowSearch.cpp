//===- WindowSearch.cpp - Bounds from several moments ---------------------===//
#include "Bounds/WindowSearch.h"

#include "Bounds/WindowModel.h"

#include <algorithm>
#include <map>
#include <memory>

namespace ckpt::planner {

//===----------------------------------------------------------------------===//
// Which moments
//===----------------------------------------------------------------------===//

/// Bytes in memory at the first run of each op, its own included.
static std::vector<int64_t> bytesAtFirstRun(const Problem &problem,
                                            const Plan &plan) {
  std::vector<int64_t> bytes(problem.numOps(), -1);
  std::vector<char> live(problem.numValues(), false);
  int64_t inMemory = 0;
  auto set = [&](ValueId v, bool on) {
    if (live[v] != on)
      inMemory += on ? problem.values[v].bytes : -problem.values[v].bytes;
    live[v] = on;
  };
  for (Event event : plan.events) {
    if (event.isFree()) {
      set(event.id, false);
      continue;
    }
    const Op &op = problem.ops[event.id];
    for (int32_t i = 0; i < op.numResults; ++i) {
      ValueId v = op.firstResult + i;
      if (event.kind == Event::Kind::ComputeInPlace &&
          problem.values[v].inPlaceOf != kNone)
        set(problem.values[v].inPlaceOf, false);
      set(v, true);
    }
    if (bytes[event.id] < 0)
      bytes[event.id] = inMemory + op.workspace;
  }
  return bytes;
}

static void addAllWindows(WindowGrid &grid) {
  const int32_t count = static_cast<int32_t>(grid.moments.size());
  grid.windows.clear();
  for (int32_t first = 0; first < count; ++first)
    for (int32_t last = first + 1; last <= count; ++last)
      grid.windows.push_back({first, last});
}

/// Ops whose first runs find little room in `plan`, in an order of time with
/// `always`, of which most is known what runs before and what after; at most
/// so many, spread evenly.
static std::vector<OpId> scarceMoments(const Problem &problem, const Graph &g,
                                       const MomentModel &model, int64_t budget,
                                       const Plan &plan, OpId always) {
  constexpr size_t most = 80;
  const std::vector<int64_t> bytes = bytesAtFirstRun(problem, plan);
  const std::vector<MomentModel::Side> side = model.sides(always);
  struct Moment {
    OpId op;
    int64_t used, unknown;
  };
  std::vector<Moment> scarce;
  std::vector<int64_t> unknowns;
  for (OpId op = 0; op < g.numOps; ++op) {
    const int64_t used = bytes[g.problemOp[op]];
    if (op == always || side[op] == MomentModel::Unknown || used <= budget / 2)
      continue;
    const std::vector<MomentModel::Side> sides = model.sides(op);
    scarce.push_back(
        {op, used,
         std::count(sides.begin(), sides.end(), MomentModel::Unknown)});
    unknowns.push_back(scarce.back().unknown);
  }
  if (scarce.empty())
    return {};
  auto middle = unknowns.begin() + unknowns.size() / 2;
  std::nth_element(unknowns.begin(), middle, unknowns.end());
  const int64_t mostUnknown = *middle + g.numOps / 20;
  scarce.erase(std::remove_if(scarce.begin(), scarce.end(),
                              [&](const Moment &moment) {
                                return moment.unknown > mostUnknown;
                              }),
               scarce.end());
  std::vector<OpId> result;
  const size_t groups = std::min(most, scarce.size());
  for (size_t i = 0; i < groups; ++i) {
    auto first = scarce.begin() + scarce.size() * i / groups;
    auto last = scarce.begin() + scarce.size() * (i + 1) / groups;
    result.push_back(std::max_element(first, last, [](Moment a, Moment b) {
                       return a.used < b.used;
                     })->op);
  }
  return result;
}

/// Sizes that many values have: rounded to multiples of one, memory rows cut
/// off what no set of values can fill. 0, for bytes, comes first.
static std::vector<int64_t> commonSizes(const Graph &g, int64_t budget) {
  constexpr size_t most = 6;
  std::map<int64_t, int64_t> counts;
  for (int64_t bytes : g.bytes)
    if (bytes > budget / 200)
      ++counts[bytes];
  std::vector<std::pair<int64_t, int64_t>> ranked;
  for (auto [bytes, count] : counts)
    ranked.push_back({-count, bytes});
  std::sort(ranked.begin(), ranked.end());
  std::vector<int64_t> sizes = {0};
  for (size_t i = 0; i < std::min(most, ranked.size()); ++i)
    sizes.push_back(ranked[i].second);
  return sizes;
}

namespace {
/// The windows of a grid and the iterates of their linear program.
struct Relaxation {
  Relaxation(const Graph &g, const MomentModel &model, int64_t budget,
             WindowGrid moments)
      : grid(std::move(moments)), windows(g, model, budget, grid),
        solver(windows.program()) {}

  const WindowGrid grid;
  const WindowModel windows;
  PrimalDual solver;
};

/// Branch and bound: the least of the bounds of the cases is raised, by more
/// moments where the program answers every question of its case, else by
/// distinguishing what it answers least clearly.
class WindowSearch {
public:
  WindowSearch(const Graph &g, const MomentModel &model, int64_t budget,
               std::vector<OpId> candidates, const WindowSearchOptions &options)
      : g(g), model(model), budget(budget), candidates(std::move(candidates)),
        options(options) {}

  WindowBound run(OpId always) {
    WindowGrid first;
    first.granularities = commonSizes(g, budget);
    first.moments = {always};
    addAllWindows(first);
    nodes.emplace_back();
    nodes[0].relaxation = relax(std::move(first));
    solve(nodes[0], kRootIterations);
    addMoments(nodes[0]);
    addMomentsByDiving(nodes[0]);
    while (!finished()) {
      Node &worst = worstNode();
      if (worst.bound >= options.knownTime)
        break;
      if (worst.split >= 0)
        branch(worst);
      else if (!addMoments(worst))
        break;
    }
    return result();
  }

private:
  using SharedRelaxation = std::shared_ptr<Relaxation>;
  /// A case.
  struct Node {
    std::vector<Fact> facts;
    /// What proves the bound.
    SharedRelaxation proof;
    std::vector<double> multipliers;
    int64_t bound = 0;
    /// From where the search goes on.
    SharedRelaxation relaxation;
    PrimalDual::Point point;
    /// Index of the question to branch on; -1: all have an answer.
    int32_t split = -1;
  };
  static constexpr int64_t kRootIterations = 2000;
  static constexpr int64_t kIterations = 400;
  /// To compare questions: how many, and how long for each answer.
  static constexpr size_t kTried = 4;
  static constexpr int64_t kQuickIterations = 40;
  /// To compare moments.
  static constexpr int64_t kMomentIterations = 160;
  static constexpr size_t kMostMoments = 16;
  /// Of the gap: less is not worth a moment.
  static constexpr double kWorth = 0.01;
  static constexpr int64_t kMostBytes = 200'000'000;

  const Graph &g;
  const MomentModel &model;
  const int64_t budget;
  const std::vector<OpId> candidates;
  const WindowSearchOptions &options;
  std::vector<Node> nodes;
  std::vector<StoredAt> diveHint;
  int64_t work = 0, bytes = 0;

  bool finished() const {
    return work >= options.maxWork || options.deadline.passed() ||
           bytes > kMostBytes;
  }

  SharedRelaxation relax(WindowGrid grid) {
    auto result =
        std::make_shared<Relaxation>(g, model, budget, std::move(grid));
    work += result->solver.size();
    return result;
  }

  Node &worstNode() {
    return *std::min_element(
        nodes.begin(), nodes.end(),
        [](const Node &a, const Node &b) { return a.bound < b.bound; });
  }

  WindowBound result() {
    WindowBound result;
    result.time = worstNode().bound;
    result.infeasible = result.time == MomentModel::kInfeasible;
    result.hints = hints();
    std::vector<const Relaxation *> grids;
    for (Node &node : nodes) {
      result.certificate.cases.emplace_back();
      BoundCase &which = result.certificate.cases.back();
      which.facts = std::move(node.facts);
      which.multipliers = std::move(node.multipliers);
      auto place = std::find(grids.begin(), grids.end(), node.proof.get());
      which.grid = static_cast<int32_t>(place - grids.begin());
      if (place != grids.end())
        continue;
      grids.push_back(node.proof.get());
      result.certificate.grids.push_back(node.proof->grid);
    }
    return result;
  }

  /// Of the leaf of the last dive, and of the cases that prove least.
  std::vector<std::vector<StoredAt>> hints() const {
    constexpr size_t most = 4;
    std::vector<const Node *> cheapest;
    for (const Node &node : nodes)
      cheapest.push_back(&node);
    std::sort(cheapest.begin(), cheapest.end(),
              [](const Node *a, const Node *b) {
                return a->bound != b->bound ? a->bound < b->bound : a < b;
              });
    std::vector<std::vector<StoredAt>> result;
    if (!diveHint.empty())
      result.push_back(diveHint);
    for (size_t i = 0; i < std::min(most, cheapest.size()); ++i)
      result.push_back(
          cheapest[i]->relaxation->windows.stored(cheapest[i]->point.primal));
    return result;
  }

  //===--------------------------------------------------------------------===//
  // Bounds of one case
  //===--------------------------------------------------------------------===//

  /// A bound on time in the units of the program.
  double asBound(int64_t time) const {
    return static_cast<double>(time - g.totalTime) /
           static_cast<double>(std::max<int64_t>(1, g.totalTime));
  }

  /// The bound of the program from which on nothing more can be proven.
  double target() const {
    if (options.knownTime == INT64_MAX)
      return 1e300;
    return asBound(options.knownTime) -
           0.5 / static_cast<double>(std::max<int64_t>(1, g.totalTime));
  }

  double iterate(Relaxation &relaxation, const std::vector<Fact> &facts,
                 PrimalDual::Point &point, int64_t iterations) {
    std::vector<double> lower, upper;
    relaxation.windows.boundColumns(facts, lower, upper);
    work += iterations * relaxation.solver.size();
    return relaxation.solver.run(point, lower, upper, iterations, target());
  }

  /// From the node's point; keeps what it has proven so far if that is more.
  void solve(Node &node, int64_t iterations) {
    Relaxation &relaxation = *node.relaxation;
    constexpr int64_t chunk = 200;
    double before = -1e300;
    for (int64_t done = 0; done < iterations; done += chunk) {
      double bound = iterate(relaxation, node.facts, node.point, chunk);
      std::vector<double> multipliers =
          relaxation.windows.unscaled(relaxation.solver.bestDual());
      int64_t proven = relaxation.windows.evaluate(multipliers, node.facts);
      if (!node.proof || proven > node.bound) {
        node.bound = proven;
        node.proof = node.relaxation;
        node.multipliers = std::move(multipliers);
      }
      if (bound >= target() || finished() || bound < before + 1e-6)
        break;
      before = bound;
    }
    if (node.bound < options.knownTime)
      chooseSplit(node);
  }

  //===--------------------------------------------------------------------===//
  // Moments
  //===--------------------------------------------------------------------===//

  /// Adds the moments that raise the bound of the node, one after the other; if
  /// none does alone, the three that come nearest to it. Returns whether there
  /// were any.
  bool addMoments(Node &node) {
    double best = asBound(node.bound);
    std::vector<std::pair<double, OpId>> gains;
    WindowGrid grid = node.relaxation->grid;
    for (OpId op : candidates) {
      WindowGrid larger = grid;
      if (!finished() && insert(larger, op))
        gains.push_back({-momentBound(node, larger), op});
    }
    std::sort(gains.begin(), gains.end());
    bool added = false;
    for (auto [gain, op] : gains) {
      WindowGrid larger = grid;
      if (finished() || !insert(larger, op))
        continue;
      double bound = added ? momentBound(node, larger) : -gain;
      if (bound < best + worth(node))
        continue;
      best = bound;
      grid = std::move(larger);
      added = true;
    }
    constexpr size_t together = 3;
    for (size_t i = 0; !added && i < gains.size() && i < together; ++i)
      insert(grid, gains[i].second);
    if (grid.moments.size() == node.relaxation->grid.moments.size())
      return false;
    extend(node, std::move(grid));
    return true;
  }

  /// What a program leaves open at the root hides what other moments would rule
  /// out: answers all questions in the way that costs least, looks for the
  /// moment that this cannot stand, adds that to the root, and again.
  void addMomentsByDiving(Node &root) {
    while (!finished() && root.split >= 0 && root.bound < options.knownTime) {
      Node leaf = root;
      while (leaf.split >= 0 && !finished()) {
        const bool holds = answerBound(leaf, leaf.split, true) <
                           answerBound(leaf, leaf.split, false);
        leaf.facts = factsWith(leaf, leaf.split, holds);
        solve(leaf, kIterations);
        if (leaf.bound >= options.knownTime)
          return;
      }
      diveHint = leaf.relaxation->windows.stored(leaf.point.primal);
      double best = asBound(leaf.bound) + worth(leaf);
      WindowGrid grid;
      for (OpId op : candidates) {
        WindowGrid larger = leaf.relaxation->grid;
        if (finished() || !insert(larger, op))
          continue;
        double bound = momentBound(leaf, larger);
        if (bound <= best)
          continue;
        best = bound;
        grid = std::move(larger);
      }
      if (grid.moments.empty())
        return;
      extend(root, std::move(grid));
    }
  }

  /// A moment must raise a bound by so much for the program to grow.
  double worth(const Node &node) const {
    return std::clamp(kWorth * (target() - asBound(node.bound)), 1e-5, 1e-2);
  }

  void extend(Node &node, WindowGrid grid) {
    SharedRelaxation larger = relax(std::move(grid));
    node.point = larger->windows.extended(node.relaxation->windows, node.point);
    node.relaxation = std::move(larger);
    solve(node, kRootIterations);
  }

  /// False where the grid is full or `op` is in no order of time with it.
  bool insert(WindowGrid &grid, OpId op) const {
    auto place = std::lower_bound(grid.moments.begin(), grid.moments.end(), op);
    if (grid.moments.size() >= kMostMoments ||
        (place != grid.moments.end() && *place == op))
      return false;
    if (place != grid.moments.begin() && !model.ordered(place[-1], op))
      return false;
    if (place != grid.moments.end() && !model.ordered(op, *place))
      return false;
    grid.moments.insert(place, op);
    addAllWindows(grid);
    return true;
  }

  double momentBound(const Node &node, const WindowGrid &grid) {
    SharedRelaxation relaxation = relax(grid);
    PrimalDual::Point point =
        relaxation->windows.extended(node.relaxation->windows, node.point);
    return iterate(*relaxation, node.facts, point, kMomentIterations);
  }

  //===--------------------------------------------------------------------===//
  // Branching
  //===--------------------------------------------------------------------===//

  /// The questions that the program answers least clearly, by the bytes that
  /// depend on them; tries some and takes the one after which the worse of both
  /// answers proves most.
  void chooseSplit(Node &node) {
    const std::vector<WindowModel::Question> &questions =
        node.relaxation->windows.questions();
    node.split = -1;
    std::vector<std::pair<double, int32_t>> unclear;
    for (size_t i = 0; i < questions.size(); ++i) {
      double x = node.point.primal[questions[i].column];
      double score = std::min(x, 1 - x);
      if (score < 0.02)
        continue;
      score *= static_cast<double>(questions[i].bytes);
      unclear.push_back({-score, static_cast<int32_t>(i)});
    }
    const size_t tried = std::min<size_t>(kTried, unclear.size());
    std::partial_sort(unclear.begin(), unclear.begin() + tried, unclear.end());
    double best = -1e300;
    for (size_t i = 0; i < tried; ++i) {
      double worse = 1e300;
      if (tried > 1)
        for (bool holds : {false, true})
          worse = std::min(worse, answerBound(node, unclear[i].second, holds));
      if (node.split >= 0 && worse <= best)
        continue;
      best = worse;
      node.split = unclear[i].second;
    }
  }

  std::vector<Fact> factsWith(const Node &node, int32_t question,
                              bool holds) const {
    std::vector<Fact> facts = node.facts;
    facts.push_back(node.relaxation->windows.questions()[question].fact);
    facts.back().holds = holds;
    return facts;
  }

  double answerBound(const Node &node, int32_t question, bool holds) {
    PrimalDual::Point point = node.point;
    return iterate(*node.relaxation, factsWith(node, question, holds), point,
                   kQuickIterations);
  }

  void branch(Node &parent) {
    Node children[2];
    for (bool holds : {false, true}) {
      Node &child = children[holds];
      child.facts = factsWith(parent, parent.split, holds);
      child.relaxation = parent.relaxation;
      child.proof = parent.proof;
      child.multipliers = parent.multipliers;
      child.bound =
          child.proof->windows.evaluate(child.multipliers, child.facts);
      child.point = parent.point;
      solve(child, kIterations);
    }
    bytes += 8 * static_cast<int64_t>(parent.multipliers.size() +
                                      parent.point.dual.size() +
                                      parent.point.primal.size());
    parent = std::move(children[0]);
    nodes.push_back(std::move(children[1]));
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
