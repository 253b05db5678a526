//===- Budget.cpp - Budgets as people write them --------------------------===//

#include "ckpt/Planner/Budget.h"

#include <cmath>
#include <cstdlib>
#include <utility>

using namespace ckpt::planner;

static std::optional<double> unitFactor(std::string_view unit) {
  static constexpr std::pair<std::string_view, double> units[] = {
      {"", 1},         {"B", 1},        {"kB", 1e3},     {"KB", 1e3},
      {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12},    {"KiB", 0x1p10},
      {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40},
  };
  for (const auto &[name, factor] : units)
    if (name == unit)
      return factor;
  return std::nullopt;
}

/// Reads all of `digits` as a whole number; nothing where it does not fit.
static std::optional<int64_t> wholeNumber(std::string_view digits) {
  if (digits.empty())
    return std::nullopt;
  int64_t number = 0;
  for (char digit : digits) {
    if (digit < '0' || digit > '9' ||
        __builtin_mul_overflow(number, int64_t{10}, &number) ||
        __builtin_add_overflow(number, int64_t{digit - '0'}, &number))
      return std::nullopt;
  }
  return number;
}

std::optional<Budget> ckpt::planner::parseBudget(std::string_view text,
                                                 int64_t storeAllPeak,
                                                 std::string &error) {
  if (text == "min")
    return Budget{std::numeric_limits<int64_t>::max(), true};
  auto fail = [&] {
    error = "'" + std::string(text) +
            "' is no budget: expected bytes (12345, 900MB, 6GiB), a percentage "
            "of the store-everything peak (40%), or min";
    return std::nullopt;
  };

  size_t length = text.find_first_not_of("0123456789.");
  std::string_view digits = text.substr(0, length);
  std::string_view unit =
      length == std::string_view::npos ? "" : text.substr(length);
  // Plain bytes are exact; everything else has at most a double's precision.
  if (unit.empty() || unit == "B") {
    std::optional<int64_t> bytes = wholeNumber(digits);
    if (!bytes)
      return fail();
    return Budget{*bytes, false};
  }

  std::string number(digits);
  char *end = nullptr;
  double value = std::strtod(number.c_str(), &end);
  if (number.empty() || *end != '\0')
    return fail();
  double bytes = 0;
  if (unit == "%") {
    // A whole percentage is exact: the peak may be past a double's precision.
    if (std::optional<int64_t> percent = wholeNumber(digits);
        percent && *percent <= 1000)
      return Budget{storeAllPeak / 100 * *percent +
                        storeAllPeak % 100 * *percent / 100,
                    false};
    bytes = value / 100 * static_cast<double>(storeAllPeak);
  } else if (std::optional<double> factor = unitFactor(unit)) {
    bytes = value * *factor;
  } else {
    return fail();
  }
  if (!(bytes < 0x1p63))
    return fail();
  return Budget{static_cast<int64_t>(std::floor(bytes)), false};
}
