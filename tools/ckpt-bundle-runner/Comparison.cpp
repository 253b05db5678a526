//===- Comparison.cpp - Results against reference results -----------------===//

#include "Comparison.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

using namespace ckpt;
using namespace ckpt::bundle;

bool bundle::readTolerances(const std::string &path,
                            std::map<int, Tolerance> &tolerances,
                            std::string &error) {
  std::ifstream file(path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty())
      continue;
    std::istringstream words(line);
    int result = 0;
    std::string kind;
    Tolerance tolerance;
    std::string rest;
    if (!(words >> result >> kind >> tolerance.bound) || words >> rest ||
        (kind != "relative" && kind != "absolute") || !(tolerance.bound >= 0)) {
      error = path + ":" + std::to_string(number) +
              ": no line of the form 'K relative X' or 'K absolute X'";
      return false;
    }
    tolerance.relative = kind == "relative";
    tolerances[result] = tolerance;
  }
  return true;
}

static double elementOf(const NpyArray &array, bool bfloat, int64_t index) {
  if (!bfloat)
    return npyElement(array, index);
  uint16_t bits;
  std::memcpy(&bits, array.data.data() + index * 2, sizeof(bits));
  const uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

bool bundle::compare(const NpyArray &actual, bool bfloat,
                     const NpyArray &expected, Comparison &comparison,
                     std::string &error) {
  if (actual.shape != expected.shape) {
    error = "result " + std::to_string(comparison.result) +
            ": the expected array has another shape";
    return false;
  }
  double difference = 0;
  double reference = 0;
  for (int64_t i = 0; i < expected.size(); ++i) {
    const double wanted = npyElement(expected, i);
    const double off = elementOf(actual, bfloat, i) - wanted;
    difference += off * off;
    reference += wanted * wanted;
  }
  comparison.error = std::sqrt(difference);
  if (comparison.tolerance.relative && reference > 0)
    comparison.error /= std::sqrt(reference);
  // A NaN must not pass.
  if (std::isnan(comparison.error))
    comparison.error = std::numeric_limits<double>::infinity();
  return true;
}
