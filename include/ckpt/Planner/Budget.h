//===- Budget.h - Budgets as people write them ------------------*- C++ -*-===//
#ifndef CKPT_PLANNER_BUDGET_H
#define CKPT_PLANNER_BUDGET_H

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace ckpt::planner {

struct Budget {
  int64_t bytes = std::numeric_limits<int64_t>::max();
  /// As little as can be found, whatever `bytes` says.
  bool smallest = false;
};

/// Reads a budget: bytes with an optional unit (`12345`, `900MB`, `1.5GiB`; B,
/// kB, MB, GB, TB are powers of 1000, KiB, MiB, GiB, TiB of 1024), a percentage
/// of `storeAllPeak`, rounded down (`40%`), or `min`. Returns nothing and one
/// line in `error` for anything else, a negative number or one past 2^63-1.
std::optional<Budget> parseBudget(std::string_view text, int64_t storeAllPeak,
                                  std::string &error);

} // namespace ckpt::planner

#endif // CKPT_PLANNER_BUDGET_H
