//===- GraphText.h - Graphs as they are written -----------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_TEXT_GRAPHTEXT_H
#define CKPT_LIB_PLANNER_TEXT_GRAPHTEXT_H

#include <cstdint>
#include <string>
#include <vector>

namespace ckpt::planner {

/// A value as files name it: result `index` of node `node`.
struct Reference {
  int64_t node = 0, index = 0;
};

struct ResultSpec {
  int64_t bytes = 0;
  Reference viewOf, inPlaceOf;
  bool isView = false, isInPlace = false, mustStay = false;
};

/// A node as it was written, in either format.
struct Node {
  std::string name;
  /// An id that is a string, with a quote before it; node-link graphs have the
  /// other ids here as well.
  std::string key;
  int64_t id = -1, cost = 0, workspace = 0;
  std::vector<ResultSpec> results;
  std::vector<Reference> deps;
  std::vector<int64_t> after;
  bool hasId = false, hasCost = false, hasBytes = false, hasDeps = false;
  bool recomputable = true, movable = true;
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_TEXT_GRAPHTEXT_H
