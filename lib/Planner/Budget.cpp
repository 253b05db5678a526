//===- Budget.cpp - Budgets as people write them --------------------------===//
#include "ckpt/Planner/Budget.h"

#include <charconv>
#include <string>

using namespace ckpt::planner;

bool ckpt::planner::parseMillionths(std::string_view text,
                                    int64_t &millionths) {
  size_t point = text.find('.');
  std::string_view whole = text.substr(0, point);
  std::string digits(whole);
  std::string_view fraction =
      point == std::string_view::npos ? "" : text.substr(point + 1);
  if (whole.empty() || fraction.size() > 6 ||
      (point != std::string_view::npos && fraction.empty()))
    return false;
  digits += fraction;
  digits.append(6 - fraction.size(), '0');
  for (char c : digits)
    if (c < '0' || c > '9')
      return false;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), millionths);
  return error == std::errc() && end == digits.data() + digits.size();
}

int64_t BudgetSpec::resolve(int64_t storeAllPeak) const {
  if (kind != Kind::Percent)
    return bytes;
  __int128 share = static_cast<__int128>(storeAllPeak) * microPercent;
  share /= 100'000'000;
  return share > INT64_MAX ? INT64_MAX : static_cast<int64_t>(share);
}

bool ckpt::planner::parseBudget(std::string_view text, BudgetSpec &budget) {
  if (text == "min") {
    budget.kind = BudgetSpec::Kind::Minimum;
    return true;
  }
  if (!text.empty() && text.back() == '%')
    return parseMillionths(text.substr(0, text.size() - 1),
                           budget.microPercent);
  budget.kind = BudgetSpec::Kind::Bytes;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), budget.bytes);
  if (error == std::errc() && end == text.data() + text.size())
    return budget.bytes >= 0;
  struct Unit {
    std::string_view name;
    int64_t bytes;
  };
  static constexpr Unit units[] = {{"KiB", int64_t(1) << 10},
                                   {"MiB", int64_t(1) << 20},
                                   {"GiB", int64_t(1) << 30},
                                   {"TiB", int64_t(1) << 40},
                                   {"kB", 1000},
                                   {"KB", 1000},
                                   {"MB", 1000'000},
                                   {"GB", 1000'000'000},
                                   {"TB", 1000'000'000'000},
                                   {"B", 1}};
  for (Unit unit : units) {
    if (text.size() <= unit.name.size() ||
        text.substr(text.size() - unit.name.size()) != unit.name)
      continue;
    int64_t micro = 0;
    if (!parseMillionths(text.substr(0, text.size() - unit.name.size()), micro))
      return false;
    __int128 bytes = static_cast<__int128>(micro) * unit.bytes / 1'000'000;
    if (bytes > INT64_MAX)
      return false;
    budget.bytes = static_cast<int64_t>(bytes);
    return true;
  }
  return false;
}
