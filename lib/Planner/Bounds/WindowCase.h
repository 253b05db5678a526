//===- WindowCase.h - Bounds of one case by windows -------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_BOUNDS_WINDOWCASE_H
#define CKPT_LIB_PLANNER_BOUNDS_WINDOWCASE_H

#include "Bounds/WindowModel.h"
#include "Bounds/WindowSearch.h"

#include <memory>

namespace ckpt::planner {

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
using SharedRelaxation = std::shared_ptr<Relaxation>;

/// A case: the plans of which some facts are true.
struct WindowCase {
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

  std::vector<Fact> factsWith(int32_t question, bool holds) const;
  /// The facts, and what the point says to all other questions.
  std::vector<Fact> answers() const;
};

/// Raises bounds of cases by first-order steps; counts the work of all.
class WindowProver {
public:
  WindowProver(const Graph &g, const MomentModel &model, int64_t budget,
               const WindowSearchOptions &options)
      : g(g), model(model), budget(budget), options(options) {}

  bool finished() const {
    return workDone >= options.maxWork || options.deadline.passed();
  }
  int64_t work() const { return workDone; }

  /// A bound on time in the units of the program.
  double asBound(int64_t time) const {
    return static_cast<double>(time - g.totalTime) /
           static_cast<double>(std::max<int64_t>(1, g.totalTime));
  }
  /// The bound of the program from which on nothing more can be proven.
  double target() const;
  /// A moment must raise a bound by so much for the program to grow.
  double worth(const WindowCase &which) const;

  SharedRelaxation relax(WindowGrid grid);
  /// Adds a moment and all windows with it. False where the grid is full or
  /// `op` is in no order of time with it.
  bool insert(WindowGrid &grid, OpId op) const;

  /// Steps of `relaxation` under `facts` from `point`; returns the bound.
  double iterate(Relaxation &relaxation, const std::vector<Fact> &facts,
                 PrimalDual::Point &point, int64_t iterations);
  /// Steps from the point of the case, which keeps what it has proven so far if
  /// that is more; chooses what to branch on.
  void solve(WindowCase &which, int64_t iterations);
  /// Of all questions but those that the facts answer, the one of which the
  /// point is least sure, if only by rounding errors; -1: there is none.
  static int32_t leastClear(const WindowCase &which);
  /// The bound after some steps with one more answer.
  double answerBound(const WindowCase &which, int32_t question, bool holds);
  /// The bound of the case's relaxation with one more moment, under `facts`,
  /// after steps from `point`.
  double momentBound(const WindowCase &which, const WindowGrid &larger,
                     const std::vector<Fact> &facts,
                     const PrimalDual::Point &point, int64_t iterations);

private:
  const Graph &g;
  const MomentModel &model;
  const int64_t budget;
  const WindowSearchOptions &options;
  int64_t workDone = 0;

  void chooseSplit(WindowCase &which);
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_BOUNDS_WINDOWCASE_H
