//===- WindowTest.cpp - Adjoints of convolutions and poolings -------------===//

#include "GradientCheck.h"

using namespace ckpt::test;

namespace {

std::string type(const Tensor &tensor) {
  std::string text = "tensor<";
  for (int64_t size : tensor.shape)
    text += std::to_string(size) + "x";
  return text + "f64>";
}

/// `op` with strides and dilations, of an image, a filter and an output.
Case convolution(const std::string &name, const std::string &op,
                 const std::string &strides, const std::string &dilations,
                 const Tensor &image, const Tensor &filter,
                 const Tensor &output) {
  return {name,
          "func.func private @f(%x: " + type(image) + ", %w: " + type(filter) +
              ", %o: " + type(output) + ") -> " + type(output) +
              " {\n  %r = linalg." + op + " {strides = dense<" + strides +
              "> : tensor<2xi64>, dilations = dense<" + dilations +
              "> : tensor<2xi64>} ins(%x, %w : " + type(image) + ", " +
              type(filter) + ") outs(%o : " + type(output) + ") -> " +
              type(output) + "\n  return %r : " + type(output) + "\n}\n",
          {image, filter, output}};
}

/// `op` over windows of 3 x 2.
Case pooling(const std::string &name, const std::string &op,
             const std::string &strides, const Tensor &image,
             const Tensor &output) {
  return {name,
          "func.func private @f(%x: " + type(image) + ", %o: " + type(output) +
              ") -> " + type(output) +
              " {\n  %w = tensor.empty() : tensor<3x2xf64>\n  %r = linalg." +
              op + " {strides = dense<" + strides +
              "> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} "
              "ins(%x, %w : " +
              type(image) + ", tensor<3x2xf64>) outs(%o : " + type(output) +
              ") -> " + type(output) + "\n  return %r : " + type(output) +
              "\n}\n",
          {image, output}};
}

Tensor t(std::vector<int64_t> shape) { return spread(shape, -1, 1); }

const std::vector<Case> cases = {
    convolution("convNhwc", "conv_2d_nhwc_hwcf", "1", "1", t({1, 5, 4, 2}),
                t({3, 2, 2, 3}), t({1, 3, 3, 3})),
    convolution("convNhwcStrided", "conv_2d_nhwc_hwcf", "[2, 1]", "[1, 2]",
                t({1, 6, 5, 2}), t({3, 2, 2, 2}), t({1, 2, 3, 2})),
    convolution("convNchw", "conv_2d_nchw_fchw", "2", "1", t({2, 2, 5, 5}),
                t({3, 2, 2, 3}), t({2, 3, 2, 2})),
    convolution("convOneByOne", "conv_2d_nhwc_hwcf", "2", "1", t({1, 3, 4, 2}),
                t({1, 1, 2, 3}), t({1, 2, 2, 3})),
    convolution("depthwise", "depthwise_conv_2d_nhwc_hwc", "1", "1",
                t({1, 4, 4, 2}), t({2, 3, 2}), t({1, 3, 2, 2})),
    pooling("sum", "pooling_nhwc_sum", "[2, 1]", t({1, 5, 4, 2}),
            t({1, 2, 3, 2})),
    pooling("maximum", "pooling_nhwc_max", "1", t({1, 5, 4, 2}),
            spread({1, 3, 3, 2}, -3, -2)),
    pooling("maximumNchw", "pooling_nchw_max", "2", t({2, 1, 5, 4}),
            spread({2, 1, 2, 2}, -3, -2)),
    {"flippedFilter",
     R"(
func.func private @f(%x: tensor<7xf64>, %w: tensor<3xf64>, %o: tensor<5xf64>) -> tensor<5xf64> {
  %n = tensor.empty() : tensor<3xf64>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (-k + 2)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x, %w, %n : tensor<7xf64>, tensor<3xf64>, tensor<3xf64>) outs(%o : tensor<5xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64, %s: f64):
    %0 = arith.mulf %a, %b : f64
    %1 = arith.addf %s, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<5xf64>
  return %r : tensor<5xf64>
})",
     {t({7}), t({3}), t({5})}},
};

class WindowTest : public testing::TestWithParam<Case> {};

TEST_P(WindowTest, MatchesFiniteDifferences) {
  checkGradients(GetParam().text, GetParam().arguments);
}

INSTANTIATE_TEST_SUITE_P(Linalg, WindowTest, testing::ValuesIn(cases),
                         [](const auto &info) { return info.param.name; });

} // namespace
