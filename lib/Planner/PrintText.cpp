//===- PrintText.cpp - Writing problems, writing and reading plans --------===//
#include "Json.h"
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

/// A value as files name it: its op, or [op, result].
static std::string reference(const Problem &problem, ValueId v) {
  OpId op = problem.values[v].producer;
  int32_t index = v - problem.ops[op].firstResult;
  std::string id = std::to_string(op);
  return index == 0 ? id : "[" + id + "," + std::to_string(index) + "]";
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
    text += ",\"view_of\":" + reference(problem, value.aliasOf);
  if (value.inPlaceOf != kNone)
    text += ",\"in_place_of\":" + reference(problem, value.inPlaceOf);
  if (value.mustStay)
    text += ",\"must_stay\":true";
  return text;
}

std::string printProblem(const Problem &problem) {
  auto print = [&](ValueId v) { return reference(problem, v); };
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

std::string printPlan(const Problem &problem, const Result &result,
                      int64_t budget) {
  std::string text = "{\"schedule\": [";
  const char *separator = "";
  for (Event event : result.plan.events) {
    text += separator;
    separator = ", ";
    switch (event.kind) {
    case Event::Kind::Compute:
      text += std::to_string(event.id);
      break;
    case Event::Kind::ComputeInPlace:
      text += "[\"in_place\", " + std::to_string(event.id) + "]";
      break;
    case Event::Kind::Free: {
      OpId op = problem.values[event.id].producer;
      int32_t index = event.id - problem.ops[op].firstResult;
      text += "[\"free\", " + std::to_string(op);
      if (index != 0)
        text += ", " + std::to_string(index);
      text += "]";
      break;
    }
    }
  }
  text += "],\n\"peak\": " + std::to_string(result.peak) +
          ", \"cost\": " + std::to_string(result.time) +
          ", \"bound\": " + std::to_string(result.bound.time);
  if (result.bound.order == Order::Program)
    text += ", \"bound_order\": \"program\"";
  return text + ", \"budget\": " + std::to_string(budget) +
         ", \"fixed\": " + std::to_string(problem.fixedBytes) +
         ", \"recomputations\": " + std::to_string(result.recomputations) +
         "}\n";
}

namespace {
class PlanReader {
public:
  PlanReader(const Problem &problem, std::string_view text)
      : problem(problem), reader(text) {}

  std::optional<Plan> run(std::string &error) {
    std::string key;
    bool found = false;
    if (reader.beginObject())
      while (reader.nextKey(key)) {
        bool isSchedule = key == "schedule";
        found |= isSchedule;
        if (!(isSchedule ? readSchedule() : reader.skip()))
          break;
      }
    if (reader.atEnd() && !found)
      reader.fail("the plan has no \"schedule\"");
    error = reader.error();
    if (reader.failed())
      return std::nullopt;
    // Without any free, values die after their last use.
    if (explicitFrees)
      return std::move(plan);
    std::vector<OpId> runs;
    for (Event event : plan.events)
      runs.push_back(event.id);
    if (!inputsCome(runs)) {
      error = "an op of the schedule runs before what it reads";
      return std::nullopt;
    }
    return planFromRuns(problem, runs);
  }

private:
  const Problem &problem;
  JsonReader reader;
  Plan plan;
  bool explicitFrees = false;

  bool readOp(int64_t &op) {
    if (!reader.readInteger(op))
      return false;
    return (op >= 0 && op < problem.numOps()) ||
           reader.fail("the schedule names node " + std::to_string(op) +
                       ", which does not exist");
  }

  bool readEvent() {
    int64_t op = 0, index = 0;
    if (reader.peek() != '[') {
      if (!readOp(op))
        return false;
      plan.events.push_back(Event::compute(static_cast<OpId>(op)));
      return true;
    }
    std::string kind;
    reader.beginArray();
    if (!reader.nextElement() || !reader.readString(kind) ||
        !reader.nextElement() || !readOp(op))
      return reader.fail("an event is an id, [\"free\", id] or "
                         "[\"free\", id, result]");
    if (reader.nextElement() &&
        (!reader.readInteger(index) || reader.nextElement()))
      return reader.fail("an event of too many parts");
    if (reader.failed())
      return false;
    explicitFrees = true;
    if (kind == "in_place") {
      plan.events.push_back(Event::computeInPlace(static_cast<OpId>(op)));
      return true;
    }
    if (kind != "free")
      return reader.fail("an event of an unknown kind");
    const Op &producer = problem.ops[op];
    if (index < 0 || index >= producer.numResults)
      return reader.fail("a free of a result that does not exist");
    plan.events.push_back(
        Event::free(producer.firstResult + static_cast<ValueId>(index)));
    return true;
  }

  bool readSchedule() {
    if (!reader.beginArray())
      return false;
    while (reader.nextElement())
      if (!readEvent())
        return false;
    return !reader.failed();
  }

  bool inputsCome(const std::vector<OpId> &runs) const {
    std::vector<char> computed(problem.numValues(), false);
    for (OpId id : runs) {
      const Op &op = problem.ops[id];
      for (ValueId v : op.inputs)
        for (; v != kNone; v = problem.values[v].aliasOf)
          if (!computed[v])
            return false;
      for (int32_t i = 0; i < op.numResults; ++i)
        computed[op.firstResult + i] = true;
    }
    for (ValueId v = 0; v < problem.numValues(); ++v)
      if (!computed[v] &&
          (problem.values[v].output || problem.values[v].mustStay))
        return false;
    return true;
  }
};
} // namespace

std::optional<Plan> parsePlan(const Problem &problem, std::string_view text,
                              std::string &error) {
  return PlanReader(problem, text).run(error);
}

} // namespace ckpt::planner
