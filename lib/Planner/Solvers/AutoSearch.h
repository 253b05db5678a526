//===- AutoSearch.h - The searches of solver auto ---------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_SOLVERS_AUTOSEARCH_H
#define CKPT_LIB_PLANNER_SOLVERS_AUTOSEARCH_H

#include "Solvers/AutoState.h"

namespace ckpt::planner {

/// Local search in rounds, at first from each construction that is not much
/// worse than the best. Between rounds, where any order is allowed, the runs of
/// the best plan slide to where memory is cheaper and first runs move, which
/// changes the base order of the next round.
void improveByRounds(AutoState &state);

/// A better bound, until a part of the time has passed, and searches from
/// schedules that hold at some moments what the bound's relaxation holds: it
/// weighs all moments at once, which no single move does.
void improveBound(AutoState &state, double part);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_SOLVERS_AUTOSEARCH_H
