//===- WindowCase.cpp - Bounds of one case by windows ---------------------===//
#include "Bounds/WindowCase.h"

#include <algorithm>

namespace ckpt::planner {

/// To compare questions: how many, and how long for each answer.
static constexpr size_t kTried = 4;
static constexpr int64_t kQuickIterations = 20;
static constexpr size_t kMostMoments = 16;

std::vector<Fact> WindowCase::factsWith(int32_t question, bool holds) const {
  std::vector<Fact> result = facts;
  result.push_back(relaxation->windows.questions()[question].fact);
  result.back().holds = holds;
  return result;
}

std::vector<Fact> WindowCase::answers() const {
  std::vector<Fact> result = facts;
  for (const WindowModel::Question &question :
       relaxation->windows.questions()) {
    const bool known = std::any_of(facts.begin(), facts.end(), [&](Fact fact) {
      return fact.kind == question.fact.kind &&
             fact.moment == question.fact.moment && fact.id == question.fact.id;
    });
    if (known)
      continue;
    result.push_back(question.fact);
    result.back().holds = point.primal[question.column] >= 0.5;
  }
  return result;
}

double WindowProver::target() const {
  if (options.knownTime == INT64_MAX)
    return 1e300;
  return asBound(options.knownTime) -
         0.5 / static_cast<double>(std::max<int64_t>(1, g.totalTime));
}

double WindowProver::worth(const WindowCase &which) const {
  // Less of the gap is not worth a moment.
  constexpr double part = 0.01;
  return std::clamp(part * (target() - asBound(which.bound)), 1e-5, 1e-2);
}

SharedRelaxation WindowProver::relax(WindowGrid grid) {
  auto result = std::make_shared<Relaxation>(g, model, budget, std::move(grid));
  workDone += result->solver.size();
  return result;
}

bool WindowProver::insert(WindowGrid &grid, OpId op) const {
  auto place = std::lower_bound(grid.moments.begin(), grid.moments.end(), op);
  if (grid.moments.size() >= kMostMoments ||
      (place != grid.moments.end() && *place == op))
    return false;
  if (place != grid.moments.begin() && !model.ordered(place[-1], op))
    return false;
  if (place != grid.moments.end() && !model.ordered(op, *place))
    return false;
  grid.moments.insert(place, op);
  const int32_t count = static_cast<int32_t>(grid.moments.size());
  grid.windows.clear();
  for (int32_t first = 0; first < count; ++first)
    for (int32_t last = first + 1; last <= count; ++last)
      grid.windows.push_back({first, last});
  return true;
}

double WindowProver::iterate(Relaxation &relaxation,
                             const std::vector<Fact> &facts,
                             PrimalDual::Point &point, int64_t iterations) {
  std::vector<double> lower, upper;
  relaxation.windows.boundColumns(facts, lower, upper);
  workDone += iterations * relaxation.solver.size();
  return relaxation.solver.run(point, lower, upper, iterations, target());
}

void WindowProver::solve(WindowCase &which, int64_t iterations) {
  Relaxation &relaxation = *which.relaxation;
  constexpr int64_t chunk = 200;
  double before = -1e300;
  for (int64_t done = 0; done < iterations; done += chunk) {
    double bound = iterate(relaxation, which.facts, which.point, chunk);
    std::vector<double> multipliers =
        relaxation.windows.unscaled(relaxation.solver.bestDual());
    int64_t proven = relaxation.windows.evaluate(multipliers, which.facts);
    if (!which.proof || proven > which.bound) {
      which.bound = proven;
      which.proof = which.relaxation;
      which.multipliers = std::move(multipliers);
    }
    if (bound >= target() || finished() || bound < before + 1e-6)
      break;
    before = bound;
  }
  if (which.bound < options.knownTime)
    chooseSplit(which);
}

/// The questions that the program answers least clearly, by the bytes that
/// depend on them; tries some and takes the one after which the worse of both
/// answers proves most.
void WindowProver::chooseSplit(WindowCase &which) {
  const std::vector<WindowModel::Question> &questions =
      which.relaxation->windows.questions();
  which.split = -1;
  std::vector<std::pair<double, int32_t>> unclear;
  for (size_t i = 0; i < questions.size(); ++i) {
    double x = which.point.primal[questions[i].column];
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
        worse = std::min(worse, answerBound(which, unclear[i].second, holds));
    if (which.split >= 0 && worse <= best)
      continue;
    best = worse;
    which.split = unclear[i].second;
  }
}

int32_t WindowProver::leastClear(const WindowCase &which) {
  const std::vector<WindowModel::Question> &questions =
      which.relaxation->windows.questions();
  int32_t result = -1;
  double most = 0;
  for (size_t i = 0; i < questions.size(); ++i) {
    const double x = which.point.primal[questions[i].column];
    const double score =
        std::min(x, 1 - x) * static_cast<double>(questions[i].bytes);
    if (score <= most)
      continue;
    most = score;
    result = static_cast<int32_t>(i);
  }
  return result;
}

double WindowProver::answerBound(const WindowCase &which, int32_t question,
                                 bool holds) {
  PrimalDual::Point point = which.point;
  return iterate(*which.relaxation, which.factsWith(question, holds), point,
                 kQuickIterations);
}

double WindowProver::momentBound(const WindowCase &which,
                                 const WindowGrid &larger,
                                 const std::vector<Fact> &facts,
                                 const PrimalDual::Point &point,
                                 int64_t iterations) {
  SharedRelaxation relaxation = relax(larger);
  PrimalDual::Point from =
      relaxation->windows.extended(which.relaxation->windows, point);
  return iterate(*relaxation, facts, from, iterations);
}

} // namespace ckpt::planner
