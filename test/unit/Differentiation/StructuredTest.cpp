//===- StructuredTest.cpp - Adjoints of linalg ops ------------------------===//

#include "GradientCheck.h"

using namespace ckpt::test;

namespace {

const std::vector<Case> cases = {
    //===-- Maps ----------------------------------------------------------===//
    {"transposedAndBroadcastOperands",
     R"(
func.func private @f(%a: tensor<3x4xf64>, %b: tensor<4xf64>, %c: tensor<f64>) -> tensor<4x3xf64> {
  %e = tensor.empty() : tensor<4x3xf64>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a, %b, %c : tensor<3x4xf64>, tensor<4xf64>, tensor<f64>) outs(%e : tensor<4x3xf64>) {
  ^bb0(%x: f64, %y: f64, %z: f64, %o: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = math.sin %z : f64
    %2 = arith.mulf %0, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<4x3xf64>
  return %r : tensor<4x3xf64>
})",
     {spread({3, 4}, -1, 1), spread({4}, 0.5, 2), spread({}, 0, 1)}},
    {"constantMaps",
     R"(
func.func private @f(%a: tensor<3x1xf64>, %b: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %e = tensor.empty() : tensor<3x4xf64>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<3x1xf64>, tensor<3x4xf64>) outs(%e : tensor<3x4xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %0 = arith.divf %y, %x : f64
    linalg.yield %0 : f64
  } -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
})",
     {spread({3, 1}, 1, 2), spread({3, 4}, -1, 1)}},
    {"constantMapIntoLargerTensor",
     R"(
func.func private @f(%a: tensor<3x2xf64>) -> tensor<3x4xf64> {
  %e = tensor.empty() : tensor<3x4xf64>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<3x2xf64>) outs(%e : tensor<3x4xf64>) {
  ^bb0(%x: f64, %o: f64):
    %0 = math.exp %x : f64
    linalg.yield %0 : f64
  } -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
})",
     {spread({3, 2}, -1, 1)}},
    {"sameOperandTwice",
     R"(
func.func private @f(%a: tensor<3x3xf64>) -> tensor<3x3xf64> {
  %e = tensor.empty() : tensor<3x3xf64>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a, %a, %a : tensor<3x3xf64>, tensor<3x3xf64>, tensor<3x3xf64>) outs(%e : tensor<3x3xf64>) {
  ^bb0(%x: f64, %y: f64, %z: f64, %o: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = math.cos %z : f64
    %2 = arith.addf %0, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<3x3xf64>
  return %r : tensor<3x3xf64>
})",
     {spread({3, 3}, -1, 1)}},
    {"indexAndIntegersInBody",
     R"(
func.func private @f(%a: tensor<4x3xf64>) -> tensor<4x3xf64> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4x3xf64>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x3xf64>) outs(%e : tensor<4x3xf64>) {
  ^bb0(%x: f64, %o: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.addi %i, %j : index
    %c = arith.cmpi sge, %i, %j : index
    %l = arith.index_cast %k : index to i64
    %s = arith.sitofp %l : i64 to f64
    %0 = arith.mulf %x, %s : f64
    %1 = arith.select %c, %0, %zero : f64
    linalg.yield %1 : f64
  } -> tensor<4x3xf64>
  return %r : tensor<4x3xf64>
})",
     {spread({4, 3}, -1, 1)}},
    {"severalResults",
     R"(
func.func private @f(%a: tensor<4xf64>, %b: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xi32>, tensor<4xf64>) {
  %e = tensor.empty() : tensor<4xf64>
  %n = tensor.empty() : tensor<4xi32>
  %r:3 = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%a, %b : tensor<4xf64>, tensor<4xf64>) outs(%e, %n, %e : tensor<4xf64>, tensor<4xi32>, tensor<4xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64, %p: i32, %q: f64):
    %0 = math.exp %x : f64
    %1 = arith.mulf %0, %y : f64
    %2 = arith.fptosi %x : f64 to i32
    linalg.yield %0, %2, %1 : f64, i32, f64
  } -> (tensor<4xf64>, tensor<4xi32>, tensor<4xf64>)
  return %r#0, %r#1, %r#2 : tensor<4xf64>, tensor<4xi32>, tensor<4xf64>
})",
     {spread({4}, -1, 1), spread({4}, 0, 1)}},
    {"capturedScalar",
     R"(
func.func private @f(%a: tensor<4xf64>, %s: tensor<f64>) -> tensor<4xf64> {
  %c = tensor.extract %s[] : tensor<f64>
  %e = tensor.empty() : tensor<4xf64>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%a : tensor<4xf64>) outs(%e : tensor<4xf64>) {
  ^bb0(%x: f64, %o: f64):
    %0 = arith.mulf %x, %c : f64
    %1 = math.sin %0 : f64
    linalg.yield %1 : f64
  } -> tensor<4xf64>
  return %r : tensor<4xf64>
})",
     {spread({4}, -1, 1), spread({}, 1, 2)}},
    {"scalarOperand",
     R"(
func.func private @f(%a: tensor<4xf64>, %s: tensor<f64>) -> tensor<4xf64> {
  %c = tensor.extract %s[] : tensor<f64>
  %e = tensor.empty() : tensor<4xf64>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%a, %c : tensor<4xf64>, f64) outs(%e : tensor<4xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %0 = arith.divf %x, %y : f64
    linalg.yield %0 : f64
  } -> tensor<4xf64>
  return %r : tensor<4xf64>
})",
     {spread({4}, -1, 1), spread({}, 1, 2)}},
    //===-- Outs ----------------------------------------------------------===//
    {"outIsRead",
     R"(
func.func private @f(%a: tensor<4xf64>, %b: tensor<4xf64>) -> tensor<4xf64> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%a : tensor<4xf64>) outs(%b : tensor<4xf64>) {
  ^bb0(%x: f64, %o: f64):
    %0 = arith.mulf %x, %o : f64
    %1 = arith.addf %0, %o : f64
    linalg.yield %1 : f64
  } -> tensor<4xf64>
  return %r : tensor<4xf64>
})",
     {spread({4}, -1, 1), spread({4}, 1, 2)}},
    {"outIsOverwritten",
     R"(
func.func private @f(%a: tensor<4xf64>, %b: tensor<4xf64>) -> tensor<4xf64> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%a : tensor<4xf64>) outs(%b : tensor<4xf64>) {
  ^bb0(%x: f64, %o: f64):
    %0 = math.exp %x : f64
    linalg.yield %0 : f64
  } -> tensor<4xf64>
  return %r : tensor<4xf64>
})",
     {spread({4}, -1, 1), spread({4}, 1, 2)}},
    {"outIsOverwrittenInPart",
     R"(
func.func private @f(%a: tensor<4xf64>, %b: tensor<4x3xf64>) -> tensor<4x3xf64> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, 0)>],
      iterator_types = ["parallel"]}
      ins(%a : tensor<4xf64>) outs(%b : tensor<4x3xf64>) {
  ^bb0(%x: f64, %o: f64):
    %0 = math.exp %x : f64
    linalg.yield %0 : f64
  } -> tensor<4x3xf64>
  return %r : tensor<4x3xf64>
})",
     {spread({4}, -1, 1), spread({4, 3}, 1, 2)}},
    {"outIsReadAndOverwrittenInPart",
     R"(
func.func private @f(%a: tensor<4xf64>, %b: tensor<4x3xf64>) -> tensor<4x3xf64> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, 0)>],
      iterator_types = ["parallel"]}
      ins(%a : tensor<4xf64>) outs(%b : tensor<4x3xf64>) {
  ^bb0(%x: f64, %o: f64):
    %0 = arith.mulf %x, %o : f64
    linalg.yield %0 : f64
  } -> tensor<4x3xf64>
  return %r : tensor<4x3xf64>
})",
     {spread({4}, -1, 1), spread({4, 3}, 1, 2)}},
    {"outOfOneResultInAnother",
     R"(
func.func private @f(%a: tensor<4xf64>, %b: tensor<4xf64>, %c: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
  %r:2 = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%a : tensor<4xf64>) outs(%b, %c : tensor<4xf64>, tensor<4xf64>) {
  ^bb0(%x: f64, %o: f64, %p: f64):
    %0 = arith.mulf %x, %p : f64
    %1 = math.sin %o : f64
    linalg.yield %0, %1 : f64, f64
  } -> (tensor<4xf64>, tensor<4xf64>)
  return %r#0, %r#1 : tensor<4xf64>, tensor<4xf64>
})",
     {spread({4}, -1, 1), spread({4}, 1, 2), spread({4}, 0, 1)}},
    //===-- Gathers -------------------------------------------------------===//
    {"gatherRows",
     R"(
func.func private @f(%t: tensor<5x3xf64>) -> tensor<4x3xf64> {
  %n = arith.constant dense<[3, 0, 3, 9]> : tensor<4xi32>
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4x3xf64>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<4x3xf64>) {
  ^bb0(%o: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = tensor.extract %n[%i] : tensor<4xi32>
    %l = arith.index_cast %k : i32 to index
    %m = arith.maxsi %l, %c0 : index
    %p = arith.minsi %m, %c4 : index
    %x = tensor.extract %t[%p, %j] : tensor<5x3xf64>
    %y = math.sin %x : f64
    linalg.yield %y : f64
  } -> tensor<4x3xf64>
  return %r : tensor<4x3xf64>
})",
     {spread({5, 3}, -1, 1)}},
    {"gatherElementsWithAssertion",
     R"(
func.func private @f(%t: tensor<4x5xf64>) -> tensor<4xf64> {
  %n = arith.constant dense<[3, 0, 3, 1]> : tensor<4xi64>
  %c5 = arith.constant 5 : i64
  %e = tensor.empty() : tensor<4xf64>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%n : tensor<4xi64>) outs(%e : tensor<4xf64>) {
  ^bb0(%k: i64, %o: f64):
    %i = linalg.index 0 : index
    %c = arith.cmpi slt, %k, %c5 : i64
    cf.assert %c, "out of range"
    %l = arith.index_cast %k : i64 to index
    %x = tensor.extract %t[%i, %l] : tensor<4x5xf64>
    linalg.yield %x : f64
  } -> tensor<4xf64>
  return %r : tensor<4xf64>
})",
     {spread({4, 5}, -1, 1)}},
    {"flip",
     R"(
func.func private @f(%t: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<3x4xf64>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<3x4xf64>) {
  ^bb0(%o: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.subi %c2, %i : index
    %l = arith.subi %c3, %j : index
    %x = tensor.extract %t[%k, %l] : tensor<3x4xf64>
    linalg.yield %x : f64
  } -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
})",
     {spread({3, 4}, -1, 1)}},
    {"diagonal",
     R"(
func.func private @f(%t: tensor<4x4xf64>) -> tensor<4xf64> {
  %e = tensor.empty() : tensor<4xf64>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      outs(%e : tensor<4xf64>) {
  ^bb0(%o: f64):
    %i = linalg.index 0 : index
    %x = tensor.extract %t[%i, %i] : tensor<4x4xf64>
    linalg.yield %x : f64
  } -> tensor<4xf64>
  return %r : tensor<4xf64>
})",
     {spread({4, 4}, -1, 1)}},
    {"gatherPartAndSum",
     R"(
func.func private @f(%t: tensor<5x4xf64>, %a: tensor<3x4xf64>) -> tensor<3xf64> {
  %zero = arith.constant 0.0 : f64
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<3xf64>
  %s = linalg.fill ins(%zero : f64) outs(%e : tensor<3xf64>) -> tensor<3xf64>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<3x4xf64>) outs(%s : tensor<3xf64>) {
  ^bb0(%y: f64, %o: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.addi %i, %c1 : index
    %x = tensor.extract %t[%k, %j] : tensor<5x4xf64>
    %z = tensor.extract %t[%i, %j] : tensor<5x4xf64>
    %0 = arith.mulf %x, %y : f64
    %1 = arith.mulf %0, %z : f64
    %2 = arith.addf %o, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<3xf64>
  return %r : tensor<3xf64>
})",
     {spread({5, 4}, -1, 1), spread({3, 4}, -1, 1)}},
};

class StructuredTest : public testing::TestWithParam<Case> {};

TEST_P(StructuredTest, MatchesFiniteDifferences) {
  checkGradients(GetParam().text, GetParam().arguments);
}

INSTANTIATE_TEST_SUITE_P(Generic, StructuredTest, testing::ValuesIn(cases),
                         [](const auto &info) { return info.param.name; });

} // namespace
