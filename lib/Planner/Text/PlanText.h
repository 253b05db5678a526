//===- PlanText.h - What plans and certificates share as text ---*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_TEXT_PLANTEXT_H
#define CKPT_LIB_PLANNER_TEXT_PLANTEXT_H

#include "Text/Json.h"
#include "ckpt/Planner/TextFormat.h"

namespace ckpt::planner {

/// A value as files name it: its op, or [op, result].
std::string referenceText(const Problem &problem, ValueId v);

/// Reads "free" or "program".
bool readOrder(JsonReader &reader, Order &order);

/// Reads the id of an op that exists.
bool readOpId(JsonReader &reader, const Problem &problem, OpId &op);

/// Reads a value, as referenceText() writes it.
bool readValueId(JsonReader &reader, const Problem &problem, ValueId &value);

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_TEXT_PLANTEXT_H
