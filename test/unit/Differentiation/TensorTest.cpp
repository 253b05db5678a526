//===- TensorTest.cpp - Adjoints of tensor ops ----------------------------===//

#include "GradientCheck.h"

using namespace ckpt::test;

namespace {

Tensor t(std::vector<int64_t> shape) { return spread(shape, -1, 1); }

const std::vector<Case> cases = {
    {"expandShape",
     R"(
func.func private @f(%a: tensor<6x2xf64>) -> tensor<2x3x2xf64> {
  %r = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 3, 2] : tensor<6x2xf64> into tensor<2x3x2xf64>
  return %r : tensor<2x3x2xf64>
})",
     {t({6, 2})}},
    {"collapseShape",
     R"(
func.func private @f(%a: tensor<2x3x2xf64>) -> tensor<6x2xf64> {
  %r = tensor.collapse_shape %a [[0, 1], [2]] : tensor<2x3x2xf64> into tensor<6x2xf64>
  return %r : tensor<6x2xf64>
})",
     {t({2, 3, 2})}},
    {"reshape",
     R"(
func.func private @f(%a: tensor<2x3xf64>) -> tensor<3x2xf64> {
  %s = arith.constant dense<[3, 2]> : tensor<2xi32>
  %r = tensor.reshape %a(%s) : (tensor<2x3xf64>, tensor<2xi32>) -> tensor<3x2xf64>
  return %r : tensor<3x2xf64>
})",
     {t({2, 3})}},
    {"extractSlice",
     R"(
func.func private @f(%a: tensor<5x7xf64>) -> tensor<2x3xf64> {
  %r = tensor.extract_slice %a[1, 0] [2, 3] [2, 3] : tensor<5x7xf64> to tensor<2x3xf64>
  return %r : tensor<2x3xf64>
})",
     {t({5, 7})}},
    {"extractSliceOfLowerRank",
     R"(
func.func private @f(%a: tensor<3x4xf64>) -> tensor<4xf64> {
  %i = arith.constant 2 : index
  %r = tensor.extract_slice %a[%i, 0] [1, 4] [1, 1] : tensor<3x4xf64> to tensor<4xf64>
  return %r : tensor<4xf64>
})",
     {t({3, 4})}},
    {"overlappingSlices",
     R"(
func.func private @f(%a: tensor<6xf64>) -> (tensor<4xf64>, tensor<3xf64>, tensor<2xf64>) {
  %r = tensor.extract_slice %a[0] [4] [1] : tensor<6xf64> to tensor<4xf64>
  %s = tensor.extract_slice %a[2] [3] [1] : tensor<6xf64> to tensor<3xf64>
  %t = tensor.extract_slice %a[4] [2] [1] : tensor<6xf64> to tensor<2xf64>
  return %r, %s, %t : tensor<4xf64>, tensor<3xf64>, tensor<2xf64>
})",
     {t({6})}},
    {"slicesThatCover",
     R"(
func.func private @f(%a: tensor<3x6xf64>) -> (tensor<3x2xf64>, tensor<3x4xf64>) {
  %r = tensor.extract_slice %a[0, 0] [3, 2] [1, 1] : tensor<3x6xf64> to tensor<3x2xf64>
  %s = tensor.extract_slice %a[0, 2] [3, 4] [1, 1] : tensor<3x6xf64> to tensor<3x4xf64>
  return %r, %s : tensor<3x2xf64>, tensor<3x4xf64>
})",
     {t({3, 6})}},
    {"slicesAndAnotherUse",
     R"(
func.func private @f(%a: tensor<6xf64>) -> (tensor<2xf64>, tensor<6xf64>, tensor<2xf64>) {
  %r = tensor.extract_slice %a[0] [2] [1] : tensor<6xf64> to tensor<2xf64>
  %e = math.exp %a : tensor<6xf64>
  %s = tensor.extract_slice %a[4] [2] [1] : tensor<6xf64> to tensor<2xf64>
  return %r, %e, %s : tensor<2xf64>, tensor<6xf64>, tensor<2xf64>
})",
     {t({6})}},
    {"insertSlice",
     R"(
func.func private @f(%a: tensor<2x2xf64>, %b: tensor<4x5xf64>) -> tensor<4x5xf64> {
  %r = tensor.insert_slice %a into %b[1, 0] [2, 2] [2, 3] : tensor<2x2xf64> into tensor<4x5xf64>
  return %r : tensor<4x5xf64>
})",
     {t({2, 2}), t({4, 5})}},
    {"insertSliceOfLowerRank",
     R"(
func.func private @f(%a: tensor<5xf64>, %b: tensor<4x5xf64>) -> tensor<4x5xf64> {
  %r = tensor.insert_slice %a into %b[1, 0] [1, 5] [1, 1] : tensor<5xf64> into tensor<4x5xf64>
  return %r : tensor<4x5xf64>
})",
     {t({5}), t({4, 5})}},
    {"padWithConstant",
     R"(
func.func private @f(%a: tensor<2x3xf64>) -> tensor<5x4xf64> {
  %z = arith.constant 2.0 : f64
  %r = tensor.pad %a low[1, 0] high[2, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f64
  } : tensor<2x3xf64> to tensor<5x4xf64>
  return %r : tensor<5x4xf64>
})",
     {t({2, 3})}},
    {"padWithValue",
     R"(
func.func private @f(%a: tensor<2x3xf64>, %s: tensor<f64>) -> tensor<5x4xf64> {
  %z = tensor.extract %s[] : tensor<f64>
  %r = tensor.pad %a low[1, 0] high[2, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f64
  } : tensor<2x3xf64> to tensor<5x4xf64>
  return %r : tensor<5x4xf64>
})",
     {t({2, 3}), t({})}},
    {"concat",
     R"(
func.func private @f(%a: tensor<2x3xf64>, %b: tensor<2x1xf64>) -> tensor<2x7xf64> {
  %r = tensor.concat dim(1) %a, %b, %a : (tensor<2x3xf64>, tensor<2x1xf64>, tensor<2x3xf64>) -> tensor<2x7xf64>
  return %r : tensor<2x7xf64>
})",
     {t({2, 3}), t({2, 1})}},
    {"splat",
     R"(
func.func private @f(%s: tensor<f64>) -> tensor<2x3xf64> {
  %z = tensor.extract %s[] : tensor<f64>
  %r = tensor.splat %z : tensor<2x3xf64>
  return %r : tensor<2x3xf64>
})",
     {t({})}},
    {"fromElements",
     R"(
func.func private @f(%a: tensor<f64>, %b: tensor<f64>) -> tensor<2x2xf64> {
  %x = tensor.extract %a[] : tensor<f64>
  %y = tensor.extract %b[] : tensor<f64>
  %p = arith.mulf %x, %y : f64
  %r = tensor.from_elements %x, %p, %y, %x : tensor<2x2xf64>
  return %r : tensor<2x2xf64>
})",
     {t({}), spread({}, 1, 2)}},
    {"extract",
     R"(
func.func private @f(%a: tensor<3x4xf64>) -> tensor<f64> {
  %i = arith.constant 1 : index
  %j = arith.constant 2 : index
  %x = tensor.extract %a[%i, %j] : tensor<3x4xf64>
  %y = math.exp %x : f64
  %r = tensor.from_elements %y : tensor<f64>
  return %r : tensor<f64>
})",
     {t({3, 4})}},
    {"insert",
     R"(
func.func private @f(%a: tensor<3xf64>, %s: tensor<f64>) -> tensor<3xf64> {
  %i = arith.constant 1 : index
  %x = tensor.extract %s[] : tensor<f64>
  %r = tensor.insert %x into %a[%i] : tensor<3xf64>
  return %r : tensor<3xf64>
})",
     {t({3}), t({})}},
    {"castAndBack",
     R"(
func.func private @f(%a: tensor<3xf64>) -> tensor<3xf64> {
  %0 = tensor.cast %a : tensor<3xf64> to tensor<3xf64>
  %r = math.sin %0 : tensor<3xf64>
  return %r : tensor<3xf64>
})",
     {t({3})}},
    {"scalarsInBetween",
     R"(
func.func private @f(%a: tensor<1xf64>) -> tensor<2xf64> {
  %i = arith.constant 0 : index
  %x = tensor.extract %a[%i] : tensor<1xf64>
  %y = math.exp %x : f64
  %z = arith.divf %x, %y : f64
  %r = tensor.from_elements %y, %z : tensor<2xf64>
  return %r : tensor<2xf64>
})",
     {t({1})}},
};

class TensorTest : public testing::TestWithParam<Case> {};

TEST_P(TensorTest, MatchesFiniteDifferences) {
  checkGradients(GetParam().text, GetParam().arguments);
}

INSTANTIATE_TEST_SUITE_P(Ops, TensorTest, testing::ValuesIn(cases),
                         [](const auto &info) { return info.param.name; });

} // namespace
