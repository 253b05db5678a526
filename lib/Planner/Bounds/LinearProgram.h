//===- LinearProgram.h - First-order linear programming ---------*- C++ -*-===//
//
// Linear programs with bounded columns, and the primal-dual hybrid gradient
// method (Chambolle and Pock 2011) as a reflected Halpern iteration with
// restarts (Lu and Yang 2024, "Restarted Halpern PDHG for linear programming").
// Every dual iterate gives a bound, which is all that the planner wants: no
// factorisation, linear memory, warm starts.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_LIB_PLANNER_BOUNDS_LINEARPROGRAM_H
#define CKPT_LIB_PLANNER_BOUNDS_LINEARPROGRAM_H

#include "Bounds/SlicedMatrix.h"

#include <cstdint>
#include <vector>

namespace ckpt::planner {

/// Minimise cost x subject to A x >= rhs and lower <= x <= upper.
struct LinearProgram {
  std::vector<double> cost, lower, upper;
  /// Row r holds the entries rowStart[r] to rowStart[r + 1].
  std::vector<int32_t> rowStart = {0};
  std::vector<int32_t> column;
  std::vector<double> coefficient;
  std::vector<double> rhs;

  int32_t numColumns() const { return static_cast<int32_t>(cost.size()); }
  int32_t numRows() const { return static_cast<int32_t>(rhs.size()); }
  int32_t addColumn(double columnCost, double from, double to);
  /// Entries of the row that closeRow() ends.
  void add(int32_t toColumn, double value) {
    column.push_back(toColumn);
    coefficient.push_back(value);
  }
  void closeRow(double rowRhs);
};

/// The iterates of one program, whose bounds of columns may change between
/// runs. Deterministic.
class PrimalDual {
public:
  explicit PrimalDual(const LinearProgram &program);

  struct Point {
    /// One per column, and one per row (never negative).
    std::vector<double> primal, dual;
  };

  /// Continues from `start` (empty: from zero) with these bounds of columns,
  /// for at most `iterations` or until the dual bound is at least `target`.
  /// Leaves the point from which to continue in `start`. Returns the best dual
  /// bound seen; its multipliers are bestDual().
  double run(Point &start, const std::vector<double> &lower,
             const std::vector<double> &upper, int64_t iterations,
             double target);

  const std::vector<double> &bestDual() const { return best; }
  /// Entries of the matrix: the work of an iteration.
  int64_t size() const { return static_cast<int64_t>(program.column.size()); }

private:
  const LinearProgram &program;
  /// The matrix and its transpose.
  SlicedMatrix rows, columns;
  /// Step sizes per column and row (Pock and Chambolle 2011).
  std::vector<double> columnStep, rowStep;
  std::vector<double> best;

  /// Ratio of dual to primal step lengths. Chosen anew at each restart, as PDLP
  /// does, it varies by factors of hundreds, and warm starts are worse than
  /// none.
  double weight = 1;
  /// Scratch: the products of the matrix and its transpose with a point.
  std::vector<double> activity, paid;

  /// The dual bound of a point.
  double bound(const Point &point, const std::vector<double> &lower,
               const std::vector<double> &upper);
  /// The distance of a step, in the norm in which the method contracts.
  double distance(const Point &from, const Point &to) const;
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_BOUNDS_LINEARPROGRAM_H
