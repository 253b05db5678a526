//===- Budget.h - Budgets as people write them ------------------*- C++ -*-===//
#ifndef CKPT_PLANNER_BUDGET_H
#define CKPT_PLANNER_BUDGET_H

#include <cstdint>
#include <string_view>

namespace ckpt::planner {

/// A budget as it was written.
struct BudgetSpec {
  enum class Kind { Bytes, Percent, Minimum } kind = Kind::Percent;
  int64_t bytes = 0;
  /// Millionths of a percent of the store-everything peak.
  int64_t microPercent = 100'000'000;

  /// In bytes; percentages are rounded down. Not for Minimum.
  int64_t resolve(int64_t storeAllPeak) const;
};

/// Reads a budget: bytes with an optional unit (`12345`, `900MB`, `1.5GiB`; B,
/// kB, MB, GB, TB are powers of 1000, KiB, MiB, GiB, TiB of 1024), a percentage
/// of the store-everything peak (`40%`), or `min`, as little as can be found.
/// False for anything else, a negative number or one past 2^63-1.
bool parseBudget(std::string_view text, BudgetSpec &budget);

/// Reads a decimal number with up to six digits after the point, in millionths.
bool parseMillionths(std::string_view text, int64_t &millionths);

} // namespace ckpt::planner

#endif // CKPT_PLANNER_BUDGET_H
