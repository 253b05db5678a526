//===- LinearProgram.cpp - First-order linear programming -----------------===//
#include "Bounds/LinearProgram.h"

#include <algorithm>
#include <cmath>

namespace ckpt::planner {

int32_t LinearProgram::addColumn(double columnCost, double from, double to) {
  cost.push_back(columnCost);
  lower.push_back(from);
  upper.push_back(to);
  return numColumns() - 1;
}

void LinearProgram::closeRow(double rowRhs) {
  rhs.push_back(rowRhs);
  rowStart.push_back(static_cast<int32_t>(column.size()));
}

/// The columns of `program` as rows.
static SlicedMatrix transposed(const LinearProgram &program) {
  std::vector<int32_t> starts(program.numColumns() + 1, 0);
  for (int32_t c : program.column)
    ++starts[c + 1];
  for (int32_t c = 0; c < program.numColumns(); ++c)
    starts[c + 1] += starts[c];
  std::vector<int32_t> next(starts.begin(), starts.end() - 1);
  std::vector<int32_t> row(program.column.size());
  std::vector<double> coefficient(program.column.size());
  for (int32_t r = 0; r < program.numRows(); ++r)
    for (int32_t e = program.rowStart[r]; e < program.rowStart[r + 1]; ++e) {
      const int32_t at = next[program.column[e]]++;
      row[at] = r;
      coefficient[at] = program.coefficient[e];
    }
  return SlicedMatrix(starts, row, coefficient);
}

PrimalDual::PrimalDual(const LinearProgram &program)
    : program(program),
      rows(program.rowStart, program.column, program.coefficient),
      columns(transposed(program)), columnStep(program.numColumns(), 0),
      rowStep(program.numRows(), 0), activity(program.numRows()),
      paid(program.numColumns()) {
  for (int32_t r = 0; r < program.numRows(); ++r)
    for (int32_t e = program.rowStart[r]; e < program.rowStart[r + 1]; ++e) {
      columnStep[program.column[e]] += std::abs(program.coefficient[e]);
      rowStep[r] += std::abs(program.coefficient[e]);
    }
  for (std::vector<double> *steps : {&columnStep, &rowStep})
    for (double &step : *steps)
      step = step > 0 ? 1 / step : 1;
  double costNorm = 0, rhsNorm = 0;
  for (double c : program.cost)
    costNorm += c * c;
  for (double r : program.rhs)
    rhsNorm += r * r;
  if (costNorm > 0 && rhsNorm > 0)
    weight = std::sqrt(costNorm / rhsNorm);
  for (double &step : columnStep)
    step /= weight;
  for (double &step : rowStep)
    step *= weight;
}

double PrimalDual::bound(const Point &point, const std::vector<double> &lower,
                         const std::vector<double> &upper) {
  double result = 0;
  columns.multiply(point.dual, paid);
  for (int32_t c = 0; c < program.numColumns(); ++c) {
    const double reduced = program.cost[c] - paid[c];
    result += reduced > 0 ? reduced * lower[c] : reduced * upper[c];
  }
  for (int32_t r = 0; r < program.numRows(); ++r)
    result += program.rhs[r] * point.dual[r];
  return result;
}

double PrimalDual::distance(const Point &from, const Point &to) const {
  double sum = 0;
  for (int32_t c = 0; c < program.numColumns(); ++c) {
    const double moved = to.primal[c] - from.primal[c];
    sum += moved * moved / columnStep[c];
  }
  for (int32_t r = 0; r < program.numRows(); ++r) {
    const double moved = to.dual[r] - from.dual[r];
    sum += moved * moved / rowStep[r];
  }
  return std::sqrt(sum);
}

namespace {
/// What one step reads and writes. The arrays do not overlap, so that the
/// compiler can vectorise the loops. With the operator T of the method, a point
/// z becomes keep (2 T(z) - z) + (1 - keep) anchor.
struct PrimalStep {
  const double *__restrict cost, *__restrict paid, *__restrict step;
  const double *__restrict lower, *__restrict upper, *__restrict anchor;
  double *__restrict z, *__restrict image, *__restrict reflected;

  void run(int32_t size, double keep) const {
    for (int32_t c = 0; c < size; ++c) {
      double next = z[c] - step[c] * (cost[c] - paid[c]);
      next = next < lower[c] ? lower[c] : next;
      next = next > upper[c] ? upper[c] : next;
      image[c] = next;
      reflected[c] = 2 * next - z[c];
      z[c] = keep * reflected[c] + (1 - keep) * anchor[c];
    }
  }
};
struct DualStep {
  const double *__restrict rhs, *__restrict activity, *__restrict step;
  const double *__restrict anchor;
  double *__restrict z, *__restrict image;

  void run(int32_t size, double keep) const {
    for (int32_t r = 0; r < size; ++r) {
      double next = z[r] + step[r] * (rhs[r] - activity[r]);
      next = next < 0 ? 0 : next;
      image[r] = next;
      z[r] = keep * (2 * next - z[r]) + (1 - keep) * anchor[r];
    }
  }
};
} // namespace

double PrimalDual::run(Point &start, const std::vector<double> &lower,
                       const std::vector<double> &upper, int64_t iterations,
                       double target) {
  constexpr int64_t boundEvery = 40, measureEvery = 10;
  const int32_t numColumns = program.numColumns();
  const int32_t numRows = program.numRows();
  Point now = std::move(start);
  now.primal.resize(numColumns, 0);
  now.dual.resize(numRows, 0);
  for (int32_t c = 0; c < numColumns; ++c)
    now.primal[c] = std::clamp(now.primal[c], lower[c], upper[c]);
  // Of one size each, so that assignments keep the storage.
  Point anchor = now, image = now, before = now;
  std::vector<double> reflected(numColumns);
  const PrimalStep primalStep = {
      program.cost.data(), paid.data(),         columnStep.data(),
      lower.data(),        upper.data(),        anchor.primal.data(),
      now.primal.data(),   image.primal.data(), reflected.data()};
  const DualStep dualStep = {program.rhs.data(), activity.data(),
                             rowStep.data(),     anchor.dual.data(),
                             now.dual.data(),    image.dual.data()};

  double bestBound = -1e300;
  auto record = [&](const Point &point) {
    const double value = bound(point, lower, upper);
    // Not a number, or infinite: the steps have run away.
    if (!(value > bestBound) || std::isinf(value))
      return;
    bestBound = value;
    best = point.dual;
  };
  record(now);
  double errorAtRestart = 0, lastError = 0;
  int64_t sinceRestart = 0;
  for (int64_t i = 1; i <= iterations && bestBound < target; ++i) {
    const bool measure = sinceRestart % measureEvery == 0;
    if (measure)
      before = now;
    const double keep = static_cast<double>(sinceRestart + 1) /
                        static_cast<double>(sinceRestart + 2);
    columns.multiply(now.dual, paid);
    primalStep.run(numColumns, keep);
    rows.multiply(reflected, activity);
    dualStep.run(numRows, keep);
    if (i % boundEvery == 0 || i == iterations)
      record(image);
    if (measure) {
      const double error = distance(before, image);
      if (sinceRestart == 0)
        errorAtRestart = error;
      const bool good =
          error <= 0.2 * errorAtRestart ||
          (error <= 0.8 * errorAtRestart && error > lastError) ||
          static_cast<double>(sinceRestart) >= 0.36 * static_cast<double>(i);
      lastError = error;
      if (sinceRestart > 0 && good) {
        now = image;
        anchor = image;
        sinceRestart = 0;
        continue;
      }
    }
    ++sinceRestart;
  }
  start = std::move(image);
  return bestBound;
}

} // namespace ckpt::planner
