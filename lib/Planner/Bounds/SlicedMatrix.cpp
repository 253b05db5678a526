//===- SlicedMatrix.cpp - Sparse matrix-vector products -------------------===//
#include "Bounds/SlicedMatrix.h"

#include <algorithm>
#include <numeric>

namespace ckpt::planner {

SlicedMatrix::SlicedMatrix(const std::vector<int32_t> &starts,
                           const std::vector<int32_t> &columns,
                           const std::vector<double> &coefficients)
    : numRows(static_cast<int32_t>(starts.size()) - 1), order(numRows),
      sliceStart(1, 0) {
  auto length = [&](int32_t r) { return starts[r + 1] - starts[r]; };
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return length(a) != length(b) ? length(a) > length(b) : a < b;
  });
  for (int32_t first = 0; first < numRows; first += kWidth) {
    const int32_t lanes = std::min(kWidth, numRows - first);
    for (int32_t k = 0; k < length(order[first]); ++k)
      for (int32_t lane = 0; lane < kWidth; ++lane) {
        // What a shorter or missing row lacks adds 0 times the first item.
        const bool there = lane < lanes && k < length(order[first + lane]);
        const int32_t entry = there ? starts[order[first + lane]] + k : 0;
        column.push_back(there ? columns[entry] : 0);
        coefficient.push_back(there ? coefficients[entry] : 0);
      }
    sliceStart.push_back(static_cast<int32_t>(column.size()));
  }
}

void SlicedMatrix::multiply(const std::vector<double> &x,
                            std::vector<double> &y) const {
  for (size_t slice = 0; slice + 1 < sliceStart.size(); ++slice) {
    double sum[kWidth] = {};
    for (int32_t e = sliceStart[slice]; e < sliceStart[slice + 1]; e += kWidth)
      for (int32_t lane = 0; lane < kWidth; ++lane)
        sum[lane] += coefficient[e + lane] * x[column[e + lane]];
    const int32_t first = static_cast<int32_t>(slice) * kWidth;
    const int32_t lanes = std::min(kWidth, numRows - first);
    for (int32_t lane = 0; lane < lanes; ++lane)
      y[order[first + lane]] = sum[lane];
  }
}

} // namespace ckpt::planner
