//===- PrintText.cpp - Writing problems -----------------------------------===//
#include "Text/PlanText.h"
#include "ckpt/Planner/TextFormat.h"

namespace ckpt::planner {

/// `text` as a JSON string.
static std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    unsigned char u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (u < 0x20) {
      static const char hex[] = "0123456789abcdef";
      result += "\\u00";
      result += hex[u >> 4];
      result += hex[u & 15];
    } else {
      result += c;
    }
  }
  return result + '"';
}

template <typename List, typename Fn>
static std::string list(const List &items, Fn print) {
  std::string result = "[";
  for (const auto &item : items) {
    if (result.size() > 1)
      result += ',';
    result += print(item);
  }
  return result + "]";
}

static std::string resultFields(const Problem &problem, ValueId v) {
  const Value &value = problem.values[v];
  std::string text = "\"bytes\":" + std::to_string(value.bytes);
  if (value.aliasOf != kNone)
    text += ",\"view_of\":" + referenceText(problem, value.aliasOf);
  if (value.inPlaceOf != kNone)
    text += ",\"in_place_of\":" + referenceText(problem, value.inPlaceOf);
  if (value.mustStay)
    text += ",\"must_stay\":true";
  return text;
}

std::string printProblem(const Problem &problem) {
  auto print = [&](ValueId v) { return referenceText(problem, v); };
  std::string text = "{\"name\":" + quoted(problem.name) + ",\"nodes\":[\n";
  for (OpId id = 0; id < problem.numOps(); ++id) {
    const Op &op = problem.ops[id];
    text += "{\"id\":" + std::to_string(id);
    if (!problem.opNames.empty() && !problem.opNames[id].empty())
      text += ",\"name\":" + quoted(problem.opNames[id]);
    text += ",\"cost\":" + std::to_string(op.time);
    if (op.numResults == 1) {
      text += "," + resultFields(problem, op.firstResult);
    } else {
      text += ",\"results\":[";
      for (int32_t i = 0; i < op.numResults; ++i)
        text +=
            (i ? ",{" : "{") + resultFields(problem, op.firstResult + i) + "}";
      text += "]";
    }
    text += ",\"deps\":" + list(op.inputs, print);
    if (op.workspace)
      text += ",\"workspace\":" + std::to_string(op.workspace);
    if (!op.after.empty())
      text += ",\"after\":" +
              list(op.after, [](OpId o) { return std::to_string(o); });
    if (!op.recomputable)
      text += ",\"recomputable\":false";
    if (!op.movable)
      text += ",\"movable\":false";
    text += id + 1 < problem.numOps() ? "},\n" : "}\n";
  }
  std::vector<ValueId> outputs;
  for (ValueId v = 0; v < problem.numValues(); ++v)
    if (problem.values[v].output)
      outputs.push_back(v);
  return text + "],\"outputs\":" + list(outputs, print) +
         ",\"fixed\":" + std::to_string(problem.fixedBytes) + "}\n";
}

} // namespace ckpt::planner
