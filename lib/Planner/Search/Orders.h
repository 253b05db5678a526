//===- Orders.h - Base orders with small peaks ------------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SEARCH_ORDERS_H
#define CKPT_LIB_PLANNER_SEARCH_ORDERS_H

#include "Effort.h"
#include "ckpt/Planner/Problem.h"

#include <vector>

namespace ckpt::planner {

/// A base order and the peak of storing everything in it.
struct MemoryOrder {
  std::vector<OpId> order;
  int64_t peak;
};

/// The program order and greedy orders, each choosing among the ready ops the
/// one that adds least memory (ties by age in three ways), newest first, or the
/// same from the end backwards; the program order with unread ops last; orders
/// in which no op runs before something needs it. Least peak first, without
/// twins, the program order first among equals. Past the deadline, those that
/// are there by then. O(n log n).
std::vector<MemoryOrder> memoryOrders(const Problem &problem,
                                      const Deadline &deadline = Deadline());

/// The order in which `runs` compute each of `numOps` ops for the first time.
std::vector<OpId> firstRuns(int32_t numOps, const std::vector<OpId> &runs);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SEARCH_ORDERS_H
