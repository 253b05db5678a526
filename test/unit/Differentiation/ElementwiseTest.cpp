//===- ElementwiseTest.cpp - Derivatives of arith and math ops ------------===//

#include "GradientCheck.h"

#include <algorithm>
#include <limits>

using namespace ckpt::test;

namespace {

struct Elementwise {
  std::string name;
  std::string expression;
  /// The interval of each argument.
  std::vector<std::pair<double, double>> ranges;
};

/// A unary op of the math dialect.
Elementwise unary(const std::string &name, double low, double high) {
  return {name, "%y = math." + name + " %x0 : T", {{low, high}}};
}

const std::vector<Elementwise> elementwiseCases = {
    unary("absf", -2, 2),
    unary("acos", -0.9, 0.9),
    unary("acosh", 1.1, 3),
    unary("asin", -0.9, 0.9),
    unary("asinh", -2, 2),
    unary("atan", -2, 2),
    unary("atanh", -0.9, 0.9),
    unary("cbrt", 0.3, 3),
    unary("ceil", -1.8, 1.9),
    unary("cos", -3, 3),
    unary("cosh", -2, 2),
    unary("erf", -2, 2),
    unary("erfc", -2, 2),
    unary("exp", -2, 2),
    unary("exp2", -2, 2),
    unary("expm1", -2, 2),
    unary("floor", -1.8, 1.9),
    unary("log", 0.3, 3),
    unary("log10", 0.3, 3),
    unary("log1p", -0.5, 3),
    unary("log2", 0.3, 3),
    unary("round", -1.8, 1.9),
    unary("roundeven", -1.8, 1.9),
    unary("rsqrt", 0.3, 3),
    unary("sin", -3, 3),
    unary("sinh", -2, 2),
    unary("sqrt", 0.3, 3),
    unary("tan", -1, 1),
    unary("tanh", -2, 2),
    unary("trunc", -1.8, 1.9),
    {"addf", "%y = arith.addf %x0, %x1 : T", {{-2, 2}, {-1, 3}}},
    {"subf", "%y = arith.subf %x0, %x1 : T", {{-2, 2}, {-1, 3}}},
    {"mulf", "%y = arith.mulf %x0, %x1 : T", {{-2, 2}, {-1, 3}}},
    {"divf", "%y = arith.divf %x0, %x1 : T", {{-2, 2}, {0.5, 3}}},
    {"remf", "%y = arith.remf %x0, %x1 : T", {{1.3, 8}, {0.7, 1.1}}},
    {"negf", "%y = arith.negf %x0 : T", {{-2, 2}}},
    {"maximumf", "%y = arith.maximumf %x0, %x1 : T", {{-2, 2}, {-1, 1.7}}},
    {"minimumf", "%y = arith.minimumf %x0, %x1 : T", {{-2, 2}, {-1, 1.7}}},
    {"maxnumf", "%y = arith.maxnumf %x0, %x1 : T", {{-2, 2}, {-1, 1.7}}},
    {"minnumf", "%y = arith.minnumf %x0, %x1 : T", {{-2, 2}, {-1, 1.7}}},
    {"select",
     "%c = arith.cmpf olt, %x0, %x1 : T\n"
     "%y = arith.select %c, %x1, %x0 : B, T",
     {{-2, 2}, {-1, 1.7}}},
    {"atan2", "%y = math.atan2 %x0, %x1 : T", {{-2, 2}, {0.2, 1.7}}},
    {"copysign", "%y = math.copysign %x0, %x1 : T", {{-2, 2}, {-1, 1.7}}},
    {"fma",
     "%y = math.fma %x0, %x1, %x2 : T",
     {{-2, 2}, {-1, 1.7}, {-0.5, 0.5}}},
    {"powf", "%y = math.powf %x0, %x1 : T", {{0.3, 2}, {-1, 2}}},
    {"square", "%y = arith.mulf %x0, %x0 : T", {{-2, 2}}},
    {"manyUses",
     "%a = math.exp %x0 : T\n%b = arith.mulf %a, %x0 : T\n"
     "%c = arith.addf %b, %a : T\n%y = arith.divf %c, %a : T",
     {{-1, 1}}},
    {"fpowi",
     "%n = arith.fptosi %x1 : T to I\n%y = math.fpowi %x0, %n : T, I",
     {{-2, 2}, {3.2, 3.8}}},
    {"fpowiNegative",
     "%n = arith.fptosi %x1 : T to I\n%y = math.fpowi %x0, %n : T, I",
     {{0.5, 2}, {-2.8, -2.2}}},
    {"sincos",
     "%s, %c = math.sincos %x0 : T\n%q = arith.mulf %s, %c : T\n"
     "%y = arith.addf %q, %s : T",
     {{-2, 2}}},
};

void PrintTo(const Elementwise &op, std::ostream *os) { *os << op.name; }

class ElementwiseTest
    : public testing::TestWithParam<std::tuple<Elementwise, Form>> {};

TEST_P(ElementwiseTest, MatchesFiniteDifferences) {
  const auto &[op, form] = GetParam();
  std::vector<Tensor> arguments;
  for (auto [low, high] : op.ranges)
    arguments.push_back(spread({7}, low, high));
  // Not the same points for each argument.
  for (size_t i = 1; i < arguments.size(); ++i)
    std::rotate(arguments[i].data.begin(), arguments[i].data.begin() + i,
                arguments[i].data.end());
  checkGradients(writeElementwise(op.expression, arguments.size(), 7, form),
                 arguments);
}

INSTANTIATE_TEST_SUITE_P(
    All, ElementwiseTest,
    testing::Combine(testing::ValuesIn(elementwiseCases),
                     testing::Values(Form::Body, Form::Tensor)),
    [](const auto &info) {
      return std::get<0>(info.param).name +
             (std::get<1>(info.param) == Form::Body ? "InBody" : "OnTensor");
    });

/// The derivatives at given points, where finite differences do not help.
struct Point {
  std::string name;
  std::string expression;
  std::vector<std::vector<double>> arguments;
  std::vector<std::vector<double>> expected;
};

void PrintTo(const Point &point, std::ostream *os) { *os << point.name; }

const double nan = std::numeric_limits<double>::quiet_NaN();

const std::vector<Point> points = {
    // Ties go to the right operand: a relu has derivative 0 at 0.
    {"maximumfTie",
     "%y = arith.maximumf %x0, %x1 : T",
     {{0, 1, -1}, {0, 0, 0}},
     {{0, 1, 0}, {1, 0, 1}}},
    {"minimumfTie",
     "%y = arith.minimumf %x0, %x1 : T",
     {{0, 1, -1}, {0, 0, 0}},
     {{0, 0, 1}, {1, 1, 0}}},
    // The number is chosen, not the NaN.
    {"maxnumfNaN",
     "%y = arith.maxnumf %x0, %x1 : T",
     {{nan, 1, 2, 0}, {1, nan, 1, 0}},
     {{0, 1, 1, 0}, {1, 0, 0, 1}}},
    {"minnumfNaN",
     "%y = arith.minnumf %x0, %x1 : T",
     {{nan, 1, 2, 0}, {1, nan, 1, 0}},
     {{0, 1, 0, 0}, {1, 0, 1, 1}}},
    // A bound itself is not outside: the value is chosen.
    {"clampf",
     "%y = math.clampf %x0 to [%x1, %x2] : T",
     {{-2, -1, 0, 1, 2}, {-1, -1, -1, -1, -1}, {1, 1, 1, 1, 1}},
     {{0, 1, 1, 1, 0}, {1, 0, 0, 0, 0}, {0, 0, 0, 0, 1}}},
    {"absfZero", "%y = math.absf %x0 : T", {{0, 1, -1}}, {{0, 1, -1}}},
    // x^y where a factor of the derivative is not finite.
    {"powfZero",
     "%y = math.powf %x0, %x1 : T",
     {{0, 0, 0, 2}, {2, 1, 0, 0}},
     {{0, 1, 0, 0}, {0, 0, 0, 0.69314718055994530942}}},
    {"fpowiZero",
     "%n = arith.fptosi %x1 : T to I\n%y = math.fpowi %x0, %n : T, I",
     {{0, 3, 0, 3}, {0, 0, 1, 1}},
     {{0, 0, 1, 1}, {0, 0, 0, 0}}},
    // A selection: what was not chosen has derivative 0, though the chain rule
    // has 0 x infinity.
    {"guardedSqrt",
     "%zero = arith.subf %x1, %x1 : T\n%s = math.sqrt %x0 : T\n"
     "%c = arith.cmpf ogt, %x0, %zero : T\n"
     "%y = arith.select %c, %s, %zero : B, T",
     {{0, 4, -1}, {1, 1, 1}},
     {{0, 0.25, 0}, {0, 0, 0}}},
    {"guardedDivision",
     "%zero = arith.subf %x0, %x0 : T\n%q = arith.divf %x0, %x1 : T\n"
     "%c = arith.cmpf oeq, %x1, %zero : T\n"
     "%y = arith.select %c, %zero, %q : B, T",
     {{3, 3}, {0, 2}},
     {{0, 0.5}, {0, -0.75}}},
    {"guardsOfTwoBranches", // both read sqrt(x), one where x > 1
     "%zero = arith.subf %x1, %x1 : T\n%s = math.sqrt %x0 : T\n"
     "%c = arith.cmpf ogt, %x0, %zero : T\n"
     "%d = arith.cmpf ogt, %x0, %x1 : T\n"
     "%a = arith.select %c, %s, %zero : B, T\n"
     "%b = arith.select %d, %s, %zero : B, T\n"
     "%y = arith.addf %a, %b : T",
     {{0, 0.25, 4}, {1, 1, 1}},
     {{0, 1, 0.5}, {0, 0, 0}}},
    {"nestedGuards",
     "%zero = arith.subf %x1, %x1 : T\n%l = math.log %x0 : T\n"
     "%c = arith.cmpf ogt, %x0, %zero : T\n"
     "%d = arith.cmpf olt, %x0, %x1 : T\n"
     "%a = arith.select %d, %zero, %l : B, T\n"
     "%y = arith.select %c, %a, %x0 : B, T",
     {{0, 0.5, 2, -1}, {1, 1, 1, 1}},
     {{1, 0, 0.5, 1}, {0, 0, 0, 0}}},
    {"guardedByMaximum", // 1 / max(x, 0) chosen only where x > 0
     "%one = math.exp %x1 : T\n%q = arith.divf %one, %x0 : T\n"
     "%c = arith.cmpf ogt, %x0, %x1 : T\n"
     "%y = arith.select %c, %q, %x0 : B, T",
     {{0, 2}, {0, 0}},
     {{1, -0.25}, {0, 0.5}}},
};

class PointTest : public testing::TestWithParam<Point> {};

TEST_P(PointTest, HasDerivative) {
  const Point &point = GetParam();
  std::vector<Tensor> arguments;
  for (const std::vector<double> &values : point.arguments)
    arguments.push_back(list(values));
  expectGradients(writeElementwise(point.expression, arguments.size(),
                                   point.arguments.front().size(), Form::Body),
                  arguments, point.expected);
}

INSTANTIATE_TEST_SUITE_P(All, PointTest, testing::ValuesIn(points),
                         [](const auto &info) { return info.param.name; });

} // namespace
