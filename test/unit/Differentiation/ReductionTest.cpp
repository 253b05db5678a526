//===- ReductionTest.cpp - Adjoints of sums, products and extrema ---------===//

#include "GradientCheck.h"

using namespace ckpt::test;

namespace {

const std::vector<Case> cases = {
    //===-- Sums ----------------------------------------------------------===//
    {"sumOntoData",
     R"(
func.func private @f(%a: tensor<3x4xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<3x4xf64>) outs(%b : tensor<3xf64>) {
  ^bb0(%x: f64, %o: f64):
    %0 = math.exp %x : f64
    %1 = arith.addf %o, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<3xf64>
  return %r : tensor<3xf64>
})",
     {spread({3, 4}, -1, 1), spread({3}, 0, 1)}},
    {"differenceOfSums",
     R"(
func.func private @f(%a: tensor<3x4xf64>, %b: tensor<4xf64>, %c: tensor<3xf64>) -> tensor<3xf64> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<3x4xf64>, tensor<4xf64>) outs(%c : tensor<3xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.subf %o, %0 : f64
    %2 = arith.addf %y, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<3xf64>
  return %r : tensor<3xf64>
})",
     {spread({3, 4}, -1, 1), spread({4}, 0, 1), spread({3}, 0, 1)}},
    {"maskedSum",
     R"(
func.func private @f(%a: tensor<3x4xf64>, %c: tensor<3xf64>) -> tensor<3xf64> {
  %zero = arith.constant 0.0 : f64
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<3x4xf64>) outs(%c : tensor<3xf64>) {
  ^bb0(%x: f64, %o: f64):
    %0 = arith.cmpf ogt, %x, %zero : f64
    %1 = math.sqrt %x : f64
    %2 = arith.addf %o, %1 : f64
    %3 = arith.select %0, %2, %o : f64
    linalg.yield %3 : f64
  } -> tensor<3xf64>
  return %r : tensor<3xf64>
})",
     {spread({3, 4}, -1, 1), spread({3}, 0, 1)}},
    {"sumOverLoopsOfTheResult",
     R"(
func.func private @f(%a: tensor<3xf64>, %b: tensor<3x4xf64>, %c: tensor<3xf64>) -> tensor<3xf64> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<3xf64>, tensor<3x4xf64>) outs(%c : tensor<3xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %0 = arith.addf %x, %y : f64
    %1 = arith.addf %o, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<3xf64>
  return %r : tensor<3xf64>
})",
     {spread({3}, -1, 1), spread({3, 4}, -1, 1), spread({3}, 0, 1)}},
    {"twoSums",
     R"(
func.func private @f(%a: tensor<3x4xf64>) -> (tensor<3xf64>, tensor<4xf64>) {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<3xf64>
  %g = tensor.empty() : tensor<4xf64>
  %s = linalg.fill ins(%zero : f64) outs(%e : tensor<3xf64>) -> tensor<3xf64>
  %t = linalg.fill ins(%zero : f64) outs(%g : tensor<4xf64>) -> tensor<4xf64>
  %r:2 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>],
      iterator_types = ["reduction", "reduction"]}
      ins(%a : tensor<3x4xf64>) outs(%s, %t : tensor<3xf64>, tensor<4xf64>) {
  ^bb0(%x: f64, %o: f64, %p: f64):
    %0 = arith.mulf %x, %x : f64
    %1 = arith.addf %o, %0 : f64
    %2 = arith.addf %p, %x : f64
    linalg.yield %1, %2 : f64, f64
  } -> (tensor<3xf64>, tensor<4xf64>)
  return %r#0, %r#1 : tensor<3xf64>, tensor<4xf64>
})",
     {spread({3, 4}, -1, 1)}},
    //===-- Products ------------------------------------------------------===//
    {"product",
     R"(
func.func private @f(%a: tensor<3x4xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<3x4xf64>) outs(%b : tensor<3xf64>) {
  ^bb0(%x: f64, %o: f64):
    %0 = arith.mulf %o, %x : f64
    linalg.yield %0 : f64
  } -> tensor<3xf64>
  return %r : tensor<3xf64>
})",
     {{{3, 4}, {0, 2, 3, 4, 0, 0, 2, 3, 1, -1, 2, 0.5}}, spread({3}, 1, 2)}},
    {"productOfTerms",
     R"(
func.func private @f(%a: tensor<2x3x4xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %one = arith.constant 1.0 : f64
  %e = tensor.empty() : tensor<3xf64>
  %i = linalg.fill ins(%one : f64) outs(%e : tensor<3xf64>) -> tensor<3xf64>
  %r = linalg.generic {
      indexing_maps = [affine_map<(k, i, j) -> (k, i, j)>, affine_map<(k, i, j) -> (i)>, affine_map<(k, i, j) -> (i)>],
      iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x3x4xf64>, tensor<3xf64>) outs(%i : tensor<3xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %n = linalg.index 2 : index
    %m = arith.index_cast %n : index to i64
    %s = arith.sitofp %m : i64 to f64
    %0 = arith.mulf %x, %y : f64
    %1 = arith.addf %0, %s : f64
    %2 = arith.mulf %1, %o : f64
    linalg.yield %2 : f64
  } -> tensor<3xf64>
  return %r : tensor<3xf64>
})",
     {spread({2, 3, 4}, -1, 1), spread({3}, 1, 2)}},
    //===-- Extrema -------------------------------------------------------===//
    {"maximum",
     R"(
func.func private @f(%a: tensor<3x4xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<3x4xf64>) outs(%b : tensor<3xf64>) {
  ^bb0(%x: f64, %o: f64):
    %0 = arith.maximumf %o, %x : f64
    linalg.yield %0 : f64
  } -> tensor<3xf64>
  return %r : tensor<3xf64>
})",
     {spread({3, 4}, -1, 1), {{3}, {2, -2, 0.1}}}},
    {"minimumOfTerms",
     R"(
func.func private @f(%a: tensor<3x4xf64>, %b: tensor<4xf64>) -> tensor<3xf64> {
  %inf = arith.constant 0x7FF0000000000000 : f64
  %e = tensor.empty() : tensor<3xf64>
  %i = linalg.fill ins(%inf : f64) outs(%e : tensor<3xf64>) -> tensor<3xf64>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<3x4xf64>, tensor<4xf64>) outs(%i : tensor<3xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.minnumf %0, %o : f64
    linalg.yield %1 : f64
  } -> tensor<3xf64>
  return %r : tensor<3xf64>
})",
     {spread({3, 4}, -1, 1), spread({4}, 1, 2)}},
    {"maximumBySelect",
     R"(
func.func private @f(%a: tensor<3x4xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<3x4xf64>) outs(%b : tensor<3xf64>) {
  ^bb0(%x: f64, %o: f64):
    %0 = arith.cmpf olt, %x, %o : f64
    %1 = arith.select %0, %o, %x : f64
    linalg.yield %1 : f64
  } -> tensor<3xf64>
  return %r : tensor<3xf64>
})",
     {spread({3, 4}, -1, 1), {{3}, {2, -2, 0.1}}}},
    {"maximumWithIndex",
     R"(
func.func private @f(%a: tensor<3x4xf64>) -> (tensor<3xf64>, tensor<3xi64>) {
  %low = arith.constant 0xFFF0000000000000 : f64
  %z = arith.constant 0 : i64
  %e = tensor.empty() : tensor<3xf64>
  %n = tensor.empty() : tensor<3xi64>
  %i = linalg.fill ins(%low : f64) outs(%e : tensor<3xf64>) -> tensor<3xf64>
  %m = linalg.fill ins(%z : i64) outs(%n : tensor<3xi64>) -> tensor<3xi64>
  %r:2 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<3x4xf64>) outs(%i, %m : tensor<3xf64>, tensor<3xi64>) {
  ^bb0(%x: f64, %o: f64, %p: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %0 = arith.maximumf %x, %o : f64
    %1 = arith.cmpf ogt, %x, %o : f64
    %2 = arith.select %1, %k, %p : i64
    linalg.yield %0, %2 : f64, i64
  } -> (tensor<3xf64>, tensor<3xi64>)
  return %r#0, %r#1 : tensor<3xf64>, tensor<3xi64>
})",
     {spread({3, 4}, -1, 1)}},
};

class ReductionTest : public testing::TestWithParam<Case> {};

TEST_P(ReductionTest, MatchesFiniteDifferences) {
  checkGradients(GetParam().text, GetParam().arguments);
}

INSTANTIATE_TEST_SUITE_P(Generic, ReductionTest, testing::ValuesIn(cases),
                         [](const auto &info) { return info.param.name; });

} // namespace
