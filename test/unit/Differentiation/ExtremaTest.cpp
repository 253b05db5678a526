//===- ExtremaTest.cpp - Ties, masks and zeros in reductions --------------===//

#include "GradientCheck.h"

#include <limits>

using namespace ckpt::test;

namespace {

/// A reduction of rows of three by `combiner`, which yields `%v` from the
/// element `%x` and the accumulator `%o`.
std::string writeReduction(const std::string &combiner) {
  return R"(
func.func private @f(%a: tensor<4x3xf64>, %b: tensor<4xf64>) -> tensor<4xf64> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x3xf64>) outs(%b : tensor<4xf64>) {
  ^bb0(%x: f64, %o: f64):
    )" + combiner +
         R"(
    linalg.yield %v : f64
  } -> tensor<4xf64>
  return %r : tensor<4xf64>
})";
}

TEST(TieTest, TheFirstOfEqualElementsGetsAll) {
  Tensor rows{{4, 3}, {1, 2, 2, 3, 3, 3, 1, 0, 1, 5, 4, 5}};
  Tensor inits = list({0, 0, 1, 7}); // a tie with the init, and a greater one
  std::vector<std::vector<double>> expected = {
      {0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0}, {0, 0, 0, 1}};
  // Whatever the order of the operands.
  expectGradients(writeReduction("%v = arith.maximumf %o, %x : f64"),
                  {rows, inits}, expected);
  expectGradients(writeReduction("%v = arith.maximumf %x, %o : f64"),
                  {rows, inits}, expected);
  expectGradients(writeReduction("%c = arith.cmpf oge, %x, %o : f64\n"
                                 "%v = arith.select %c, %x, %o : f64"),
                  {rows, inits}, expected);
}

TEST(TieTest, TheChosenIndexGetsAll) {
  // The first of the greatest, as the op itself chooses.
  expectGradients(R"(
func.func private @f(%a: tensor<2x3xf64>) -> (tensor<2xf64>, tensor<2xindex>) {
  %low = arith.constant 0xFFF0000000000000 : f64
  %z = arith.constant 0 : index
  %e = tensor.empty() : tensor<2xf64>
  %n = tensor.empty() : tensor<2xindex>
  %i = linalg.fill ins(%low : f64) outs(%e : tensor<2xf64>) -> tensor<2xf64>
  %m = linalg.fill ins(%z : index) outs(%n : tensor<2xindex>) -> tensor<2xindex>
  %r:2 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<2x3xf64>) outs(%i, %m : tensor<2xf64>, tensor<2xindex>) {
  ^bb0(%x: f64, %o: f64, %p: index):
    %j = linalg.index 1 : index
    %c = arith.cmpf ogt, %x, %o : f64
    %v = arith.select %c, %x, %o : f64
    %w = arith.select %c, %j, %p : index
    linalg.yield %v, %w : f64, index
  } -> (tensor<2xf64>, tensor<2xindex>)
  return %r#0, %r#1 : tensor<2xf64>, tensor<2xindex>
})",
                  {{{2, 3}, {1, 2, 2, 3, 3, 3}}}, {{0, 1, 0, 1, 0, 0}});
}

TEST(TieTest, TheFirstInTheOrderOfSeveralLoops) {
  expectGradients(R"(
func.func private @f(%a: tensor<3x2x2xf64>) -> tensor<2xf64> {
  %low = arith.constant 0xFFF0000000000000 : f64
  %e = tensor.empty() : tensor<2xf64>
  %i = linalg.fill ins(%low : f64) outs(%e : tensor<2xf64>) -> tensor<2xf64>
  %r = linalg.reduce {arith.maximumf} ins(%a : tensor<3x2x2xf64>) outs(%i : tensor<2xf64>) dimensions = [0, 2]
  return %r : tensor<2xf64>
})",
                  {{{3, 2, 2}, {0, 1, 5, 5, 2, 2, 5, 1, 2, 0, 0, 0}}},
                  {{0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0}});
}

TEST(TieTest, FullyMaskedRowHasNoNaN) {
  const double low = -std::numeric_limits<double>::infinity();
  expectGradients(writeReduction("%v = arith.maximumf %o, %x : f64"),
                  {{{4, 3}, {low, low, low, 1, low, 0, 2, 1, 1, 0, 0, 1}},
                   list({low, low, low, low})},
                  {{1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1}, {0, 0, 0, 0}});
}

TEST(ProductTest, ZerosAreNoDivisors) {
  expectGradients(
      writeReduction("%v = arith.mulf %o, %x : f64"),
      {{{4, 3}, {0, 2, 3, 0, 0, 3, 0, 0, 0, 1, 2, 3}}, list({1, 1, 1, 2})},
      {{6, 0, 0, 0, 0, 0, 0, 0, 0, 12, 6, 4}, {0, 0, 0, 6}});
}

} // namespace
