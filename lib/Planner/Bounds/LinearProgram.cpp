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

PrimalDual::PrimalDual(const LinearProgram &program)
    : program(program), columnStart(program.numColumns() + 1, 0),
      row(program.column.size()), columnCoefficient(program.column.size()),
      columnStep(program.numColumns(), 0), rowStep(program.numRows(), 0) {
  for (int32_t c : program.column)
    ++columnStart[c + 1];
  for (int32_t c = 0; c < program.numColumns(); ++c)
    columnStart[c + 1] += columnStart[c];
  std::vector<int32_t> next(columnStart.begin(), columnStart.end() - 1);
  for (int32_t r = 0; r < program.numRows(); ++r)
    for (int32_t e = program.rowStart[r]; e < program.rowStart[r + 1]; ++e) {
      int32_t at = next[program.column[e]]++;
      row[at] = r;
      columnCoefficient[at] = program.coefficient[e];
      columnStep[program.column[e]] += std::abs(program.coefficient[e]);
      rowStep[r] += std::abs(program.coefficient[e]);
    }
  for (std::vector<double> *steps : {&columnStep, &rowStep})
    for (double &step : *steps)
      step = step > 0 ? 1 / step : 1;
}

/// The dual bound of a point, and how far it is from optimal.
PrimalDual::Quality PrimalDual::assess(const Point &point,
                                       const std::vector<double> &lower,
                                       const std::vector<double> &upper,
                                       double weight) const {
  Quality quality;
  double value = 0, infeasibility = 0;
  for (int32_t c = 0; c < program.numColumns(); ++c) {
    double reduced = program.cost[c];
    for (int32_t e = columnStart[c]; e < columnStart[c + 1]; ++e)
      reduced -= columnCoefficient[e] * point.dual[row[e]];
    quality.bound += reduced > 0 ? reduced * lower[c] : reduced * upper[c];
    value += program.cost[c] * point.primal[c];
  }
  for (int32_t r = 0; r < program.numRows(); ++r) {
    double slack = program.rhs[r];
    for (int32_t e = program.rowStart[r]; e < program.rowStart[r + 1]; ++e)
      slack -= program.coefficient[e] * point.primal[program.column[e]];
    quality.bound += program.rhs[r] * point.dual[r];
    if (slack > 0)
      infeasibility += slack * slack;
  }
  double gap = value - quality.bound;
  quality.error = std::sqrt(weight * weight * infeasibility + gap * gap);
  return quality;
}

double PrimalDual::run(Point &start, const std::vector<double> &lower,
                       const std::vector<double> &upper, int64_t iterations,
                       double target) {
  constexpr int64_t checkEvery = 40;
  const int32_t columns = program.numColumns(), rows = program.numRows();
  Point now = std::move(start);
  now.primal.resize(columns, 0);
  now.dual.resize(rows, 0);
  for (int32_t c = 0; c < columns; ++c)
    now.primal[c] = std::clamp(now.primal[c], lower[c], upper[c]);
  Point average = now, restart = now;
  std::vector<double> extrapolated(columns);

  double costNorm = 0, rhsNorm = 0;
  for (double c : program.cost)
    costNorm += c * c;
  for (double r : program.rhs)
    rhsNorm += r * r;
  double weight = now.weight;
  if (weight == 0)
    weight = costNorm > 0 && rhsNorm > 0 ? std::sqrt(costNorm / rhsNorm) : 1;

  double bestBound = -1e300;
  auto record = [&](const Point &point, const Quality &quality) {
    // Not a number, or infinite: the steps have run away.
    if (!(quality.bound > bestBound) || std::isinf(quality.bound))
      return;
    bestBound = quality.bound;
    best = point.dual;
  };
  Quality first = assess(now, lower, upper, weight);
  record(now, first);
  double errorAtRestart = first.error, lastError = first.error;
  int64_t sinceRestart = 0;
  for (int64_t i = 1; i <= iterations && bestBound < target; ++i) {
    for (int32_t c = 0; c < columns; ++c) {
      double slope = program.cost[c];
      for (int32_t e = columnStart[c]; e < columnStart[c + 1]; ++e)
        slope -= columnCoefficient[e] * now.dual[row[e]];
      double next = std::clamp(now.primal[c] - columnStep[c] / weight * slope,
                               lower[c], upper[c]);
      extrapolated[c] = 2 * next - now.primal[c];
      now.primal[c] = next;
    }
    for (int32_t r = 0; r < rows; ++r) {
      double slack = program.rhs[r];
      for (int32_t e = program.rowStart[r]; e < program.rowStart[r + 1]; ++e)
        slack -= program.coefficient[e] * extrapolated[program.column[e]];
      now.dual[r] = std::max(0.0, now.dual[r] + rowStep[r] * weight * slack);
    }
    ++sinceRestart;
    const double share = 1.0 / static_cast<double>(sinceRestart);
    for (int32_t c = 0; c < columns; ++c)
      average.primal[c] += (now.primal[c] - average.primal[c]) * share;
    for (int32_t r = 0; r < rows; ++r)
      average.dual[r] += (now.dual[r] - average.dual[r]) * share;
    if (i % checkEvery != 0 && i != iterations)
      continue;

    Quality here = assess(now, lower, upper, weight);
    Quality mean = assess(average, lower, upper, weight);
    record(now, here);
    record(average, mean);
    const bool useMean = mean.error < here.error;
    const double error = std::min(mean.error, here.error);
    bool good = error <= 0.2 * errorAtRestart ||
                (error <= 0.8 * errorAtRestart && error > lastError);
    lastError = error;
    if (!good && 3 * sinceRestart < i)
      continue;
    // Restart, with the primal weight that balances the two distances moved.
    if (useMean)
      now = average;
    double movedPrimal = 0, movedDual = 0;
    for (int32_t c = 0; c < columns; ++c)
      movedPrimal += (now.primal[c] - restart.primal[c]) *
                     (now.primal[c] - restart.primal[c]);
    for (int32_t r = 0; r < rows; ++r)
      movedDual +=
          (now.dual[r] - restart.dual[r]) * (now.dual[r] - restart.dual[r]);
    if (movedPrimal > 0 && movedDual > 0)
      weight = std::sqrt(std::sqrt(movedDual / movedPrimal) * weight);
    average = restart = now;
    sinceRestart = 0;
    errorAtRestart = lastError = assess(now, lower, upper, weight).error;
  }
  start = std::move(now);
  start.weight = weight;
  return bestBound;
}

} // namespace ckpt::planner
