//===- MemorySearch.h - Orders in which storing everything fits -*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SEARCH_MEMORYSEARCH_H
#define CKPT_LIB_PLANNER_SEARCH_MEMORYSEARCH_H

#include "Effort.h"
#include "Search/Orders.h"

namespace ckpt::planner {

/// memoryOrders(), and before them, where none stays within `budget` and no
/// cheap bound says that there is little to gain, one of less peak that local
/// search finds: from before a stage that is above the budget, an op moves to
/// after it with what depends on it; from after it, the last readers of a value
/// move to before it with what they depend on. The effort is linear in the
/// graph and bounded. Deterministic unless the deadline ends it.
std::vector<MemoryOrder> memoryOrdersWithin(const Problem &problem,
                                            int64_t budget,
                                            const Deadline &deadline);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SEARCH_MEMORYSEARCH_H
