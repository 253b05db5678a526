//===- OrderSearch.h - Orders in which storing everything fits --*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_ORDERSEARCH_H
#define CKPT_LIB_PLANNER_ORDERSEARCH_H

#include "Effort.h"
#include "Orders.h"

namespace ckpt::planner {

/// A peak below which no order of the ops, each run once, stays: at an op, what
/// its ancestors made and its descendants need is in memory, with what it needs
/// itself. Looks at the highest stage of `order` and some spread evenly, until
/// one needs more than `enough`. O(n) for each.
int64_t storeAllFloor(const Problem &problem, const std::vector<OpId> &order,
                      int64_t enough);

/// Local search (threshold accepting) for an order whose peak, when everything
/// is stored, is at most `budget`: from before a stage that is above the
/// budget, an op moves to after it with what depends on it; from after it, the
/// last readers of a value move to before it with what they depend on. From
/// each of `starts` (sorted by peak) in turn, until an order fits or the effort
/// is spent, which is linear in the graph and bounded. Returns the order of
/// least peak that it saw. Deterministic unless the deadline ends it.
MemoryOrder searchOrder(const Problem &problem,
                        const std::vector<MemoryOrder> &starts, int64_t budget,
                        const Deadline &deadline);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_ORDERSEARCH_H
