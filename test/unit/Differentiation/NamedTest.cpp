//===- NamedTest.cpp - Adjoints of named linalg ops -----------------------===//

#include "GradientCheck.h"

using namespace ckpt::test;

namespace {

/// A function `@f(%a, %b, %c)` that applies an op to `a` and `b` (or `a` alone,
/// if `b` is empty), with `c` as its output.
Case named(const std::string &name, const std::string &op, const Tensor &a,
           const Tensor &b, const Tensor &c, const std::string &attributes = "",
           const std::string &suffix = "") {
  auto type = [](const Tensor &tensor) {
    std::string text = "tensor<";
    for (int64_t size : tensor.shape)
      text += std::to_string(size) + "x";
    return text + "f64>";
  };
  bool isUnary = b.data.empty();
  std::string parameters = "%a: " + type(a), inputs = "%a", types = type(a);
  if (!isUnary) {
    parameters += ", %b: " + type(b);
    inputs += ", %b";
    types += ", " + type(b);
  }
  bool returnsType = op != "linalg.transpose" && op != "linalg.broadcast" &&
                     op != "linalg.reduce" && op != "linalg.map";
  std::string text = "func.func private @f(" + parameters + ", %c: " + type(c) +
                     ") -> " + type(c) + " {\n  %r = " + op + " " +
                     (op == "linalg.map" ? suffix : attributes) + " ins(" +
                     inputs + " : " + types + ") outs(%c : " + type(c) + ") " +
                     (op == "linalg.map" ? "" : suffix) +
                     (returnsType ? " -> " + type(c) : "") +
                     "\n  return %r : " + type(c) + "\n}\n";
  std::vector<Tensor> arguments{a};
  if (!isUnary)
    arguments.push_back(b);
  arguments.push_back(c);
  return {name, text, arguments};
}

Tensor t(std::vector<int64_t> shape) { return spread(shape, -1, 1); }

const std::vector<Case> cases = {
    named("matmul", "linalg.matmul", t({3, 4}), t({4, 2}), t({3, 2})),
    named("matmulTransposedA", "linalg.matmul", t({4, 3}), t({4, 2}), t({3, 2}),
          "indexing_maps = [affine_map<(i, j, k) -> (k, i)>, "
          "affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]"),
    named("matmulTransposedB", "linalg.matmul", t({3, 4}), t({2, 4}), t({3, 2}),
          "indexing_maps = [affine_map<(i, j, k) -> (i, k)>, "
          "affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]"),
    named("batchMatmul", "linalg.batch_matmul", t({2, 3, 4}), t({2, 4, 2}),
          t({2, 3, 2})),
    named("batchReduceMatmul", "linalg.batch_reduce_matmul", t({2, 3, 4}),
          t({2, 4, 2}), t({3, 2})),
    named("matvec", "linalg.matvec", t({3, 4}), t({4}), t({3})),
    named("vecmat", "linalg.vecmat", t({4}), t({4, 3}), t({3})),
    named("batchMatvec", "linalg.batch_matvec", t({2, 3, 4}), t({2, 4}),
          t({2, 3})),
    named("dot", "linalg.dot", t({4}), t({4}), t({})),
    named("contract", "linalg.contract", t({2, 3, 4}), t({4, 2, 5}), t({3, 5}),
          "indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, "
          "affine_map<(b, m, n, k) -> (k, b, n)>, "
          "affine_map<(b, m, n, k) -> (m, n)>]"),
    named("transpose", "linalg.transpose", t({2, 3, 4}), {}, t({4, 2, 3}), "",
          "permutation = [2, 0, 1]"),
    named("broadcast", "linalg.broadcast", t({3}), {}, t({2, 3, 4}), "",
          "dimensions = [0, 2]"),
    named("reduce", "linalg.reduce", t({2, 3, 4}), {}, t({3}), "{arith.addf}",
          "dimensions = [0, 2]"),
    named("map", "linalg.map", t({3}), t({3}), t({3}), "", "{arith.mulf}"),
    named("add", "linalg.add", t({3}), t({3}), t({3})),
    named("sub", "linalg.sub", t({3}), t({3}), t({3})),
    named("mul", "linalg.mul", t({3}), t({3}), t({3})),
    named("div", "linalg.div", t({3}), spread({3}, 1, 2), t({3})),
    named("max", "linalg.max", t({3}), spread({3}, 0, 0.5), t({3})),
    named("exp", "linalg.exp", t({3}), {}, t({3})),
    named("tanh", "linalg.tanh", t({3}), {}, t({3})),
    named("square", "linalg.square", t({3}), {}, t({3})),
    named("copy", "linalg.copy", t({3}), {}, t({3})),
    named("elementwise", "linalg.elementwise", t({3}), t({2, 3}), t({2, 3}),
          "kind=#linalg.elementwise_kind<mul> indexing_maps = "
          "[affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>, "
          "affine_map<(i, j) -> (i, j)>]"),
    named("softmaxRows", "linalg.softmax", t({3, 4}), {}, t({3, 4}),
          "dimension(1)"),
    named("softmaxColumns", "linalg.softmax", t({3, 4, 2}), {}, t({3, 4, 2}),
          "dimension(0)"),
    {"fill",
     R"(
func.func private @f(%s: tensor<f64>) -> tensor<2x3xf64> {
  %c = tensor.extract %s[] : tensor<f64>
  %e = tensor.empty() : tensor<2x3xf64>
  %r = linalg.fill ins(%c : f64) outs(%e : tensor<2x3xf64>) -> tensor<2x3xf64>
  return %r : tensor<2x3xf64>
})",
     {t({})}},
    {"reduceProduct",
     R"(
func.func private @f(%a: tensor<2x3xf64>, %b: tensor<2xf64>) -> tensor<2xf64> {
  %r = linalg.reduce ins(%a : tensor<2x3xf64>) outs(%b : tensor<2xf64>) dimensions = [1]
    (%x: f64, %o: f64) {
      %0 = arith.mulf %x, %o : f64
      linalg.yield %0 : f64
    }
  return %r : tensor<2xf64>
})",
     {t({2, 3}), spread({2}, 1, 2)}},
};

class NamedTest : public testing::TestWithParam<Case> {};

TEST_P(NamedTest, MatchesFiniteDifferences) {
  checkGradients(GetParam().text, GetParam().arguments);
}

INSTANTIATE_TEST_SUITE_P(Linalg, NamedTest, testing::ValuesIn(cases),
                         [](const auto &info) { return info.param.name; });

} // namespace
