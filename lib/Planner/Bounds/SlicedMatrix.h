//===- SlicedMatrix.h - Sparse matrix-vector products -----------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_BOUNDS_SLICEDMATRIX_H
#define CKPT_LIB_PLANNER_BOUNDS_SLICEDMATRIX_H

#include <cstdint>
#include <vector>

namespace ckpt::planner {

/// A sparse matrix in sliced ELLPACK form (Monakov, Lokhmotov, Avetisyan 2010):
/// rows of equal lengths side by side, so that their sums, of few entries each,
/// do not wait for each other.
class SlicedMatrix {
public:
  /// Row r holds the entries starts[r] to starts[r + 1].
  SlicedMatrix(const std::vector<int32_t> &starts,
               const std::vector<int32_t> &columns,
               const std::vector<double> &coefficients);

  /// y = A x, with `y` as long as there are rows. The order of summation within
  /// a row is that of its entries.
  void multiply(const std::vector<double> &x, std::vector<double> &y) const;

private:
  static constexpr int32_t kWidth = 8;
  int32_t numRows;
  /// Rows by falling length, in slices of kWidth.
  std::vector<int32_t> order;
  /// Of each slice: where its entries start, kWidth at a time.
  std::vector<int32_t> sliceStart;
  std::vector<int32_t> column;
  std::vector<double> coefficient;
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_BOUNDS_SLICEDMATRIX_H
