//===- GradientCheck.h - Executes functions and their gradients -*- C++ -*-===//
//
// Differentiates a function given as text, lowers it with upstream passes
// alone, and executes it, so that gradients can be compared with finite
// differences.
//
//===----------------------------------------------------------------------===//

#ifndef CKPT_TEST_DIFFERENTIATION_GRADIENTCHECK_H
#define CKPT_TEST_DIFFERENTIATION_GRADIENTCHECK_H

#include "gtest/gtest.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ckpt::test {

/// A tensor of f64, in row-major order.
struct Tensor {
  std::vector<int64_t> shape;
  std::vector<double> data;
};

/// A tensor with elements spread over [`low`, `high`], the same in every run.
Tensor spread(std::vector<int64_t> shape, double low, double high);
/// A tensor of rank 1.
Tensor list(std::vector<double> data);

/// Executes `@f` of the module `text`, whose arguments and results are tensors
/// of f64 (other results are ignored), and its adjoint.
///
/// Returns the gradient by each argument of the sum of all results, each
/// multiplied by an element of `weights` of the same number (cyclically). Fails
/// the running test if the module does not compile; then returns nothing.
std::vector<Tensor> computeGradients(const std::string &text,
                                     const std::vector<Tensor> &arguments,
                                     const std::vector<double> &weights);

/// Compares those gradients, for weights that differ from element to element,
/// with central differences of the function. The relative error must be below
/// `tolerance`.
void checkGradients(const std::string &text,
                    const std::vector<Tensor> &arguments,
                    double tolerance = 1e-6);

/// Checks that the gradients, all weights being 1, are `expected`, within
/// 1e-12.
void expectGradients(const std::string &text,
                     const std::vector<Tensor> &arguments,
                     const std::vector<std::vector<double>> &expected);

/// A case of a parametrised test, printed by its name.
struct Case {
  std::string name;
  std::string text;
  std::vector<Tensor> arguments;
};
inline void PrintTo(const Case &value, std::ostream *os) { *os << value.name; }

/// How an elementwise function is written: in the body of a `linalg.generic`,
/// or with ops on tensors.
enum class Form { Body, Tensor };

/// The text of a function `@f` of `arity` tensors of `size` elements, whose
/// result `%y` is computed from `%x0`, `%x1`, ... by `expression`. There, `T`
/// stands for the type of floats, `B` for that of conditions, `I` for i32.
std::string writeElementwise(const std::string &expression, size_t arity,
                             size_t size, Form form);

} // namespace ckpt::test

#endif // CKPT_TEST_DIFFERENTIATION_GRADIENTCHECK_H
