//===- PlanText.cpp - Writing and reading plans ---------------------------===//
#include "Text/PlanText.h"

#include <algorithm>

namespace ckpt::planner {

std::string referenceText(const Problem &problem, ValueId v) {
  OpId op = problem.values[v].producer;
  int32_t index = v - problem.ops[op].firstResult;
  std::string id = std::to_string(op);
  return index == 0 ? id : "[" + id + "," + std::to_string(index) + "]";
}

bool readOrder(JsonReader &reader, Order &order) {
  std::string name;
  if (!reader.readString(name))
    return false;
  order = name == "program" ? Order::Program : Order::Free;
  return name == "program" || name == "free" ||
         reader.fail("an order is \"free\" or \"program\"");
}

bool readOpId(JsonReader &reader, const Problem &problem, OpId &op) {
  int64_t id = 0;
  if (!reader.readInteger(id))
    return false;
  op = static_cast<OpId>(id);
  return (id >= 0 && id < problem.numOps()) ||
         reader.fail("node " + std::to_string(id) + " does not exist");
}

bool readValueId(JsonReader &reader, const Problem &problem, ValueId &value) {
  OpId op = kNone;
  int64_t index = 0;
  if (reader.peek() != '[') {
    if (!readOpId(reader, problem, op))
      return false;
  } else {
    reader.beginArray();
    bool ok = reader.nextElement() && readOpId(reader, problem, op) &&
              reader.nextElement() && reader.readInteger(index) &&
              !reader.nextElement();
    if (!ok)
      return reader.fail("a value is a node's id or [id, result]");
  }
  if (index < 0 || index >= problem.ops[op].numResults)
    return reader.fail("result " + std::to_string(index) + " of node " +
                       std::to_string(op) + " does not exist");
  value = problem.ops[op].firstResult + static_cast<ValueId>(index);
  return !reader.failed();
}

/// A schedule without any free is read as one whose frees are implied: one that
/// keeps all values says so by freeing them at the end.
static std::vector<Event> explicitEvents(const Problem &problem,
                                         const Plan &plan) {
  std::vector<Event> events = plan.events;
  bool isExplicit = std::any_of(events.begin(), events.end(), [](Event event) {
    return event.kind != Event::Kind::Compute;
  });
  if (!isExplicit)
    for (ValueId v = 0; v < problem.numValues(); ++v)
      if (!problem.values[v].output && !problem.values[v].mustStay)
        events.push_back(Event::free(v));
  return events;
}

std::string printPlan(const Problem &problem, const Result &result,
                      int64_t budget) {
  std::string text = "{\"schedule\": [";
  const char *separator = "";
  for (Event event : explicitEvents(problem, result.plan)) {
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

  std::optional<WrittenPlan> run(std::string &error) {
    std::string key;
    if (reader.beginObject())
      while (reader.nextKey(key) && readField(key))
        ;
    if (reader.atEnd() && !hasSchedule)
      reader.fail("the plan has no \"schedule\"");
    error = reader.error();
    if (reader.failed())
      return std::nullopt;
    // Without any free, values die after their last use; a sequence that no
    // frees make valid is left to the Simulator to judge.
    if (!explicitFrees) {
      std::vector<OpId> runs;
      for (Event event : plan.events)
        runs.push_back(event.id);
      if (inputsCome(runs))
        plan = planFromRuns(problem, runs);
    }
    return WrittenPlan{std::move(plan), claims};
  }

private:
  const Problem &problem;
  JsonReader reader;
  Plan plan;
  PlanClaims claims;
  bool explicitFrees = false, hasSchedule = false;

  bool readField(const std::string &key) {
    if (key == "schedule")
      return readSchedule();
    if (key == "bound_order")
      return readOrder(reader, claims.boundOrder);
    for (auto [name, claim] : {std::pair("peak", &claims.peak),
                               {"cost", &claims.time},
                               {"recomputations", &claims.recomputations},
                               {"budget", &claims.budget},
                               {"bound", &claims.bound}})
      if (key == name)
        return reader.readInteger(claim->emplace());
    return reader.skip();
  }

  bool readEvent() {
    OpId op = kNone;
    int64_t index = 0;
    if (reader.peek() != '[') {
      if (!readOpId(reader, problem, op))
        return false;
      plan.events.push_back(Event::compute(op));
      return true;
    }
    std::string kind;
    reader.beginArray();
    if (!reader.nextElement() || !reader.readString(kind) ||
        !reader.nextElement() || !readOpId(reader, problem, op))
      return reader.fail("an event is an id, [\"free\", id] or "
                         "[\"free\", id, result]");
    if (reader.nextElement() &&
        (kind != "free" || !reader.readInteger(index) || reader.nextElement()))
      return reader.fail("an event of too many parts");
    if (reader.failed())
      return false;
    explicitFrees = true;
    if (kind == "in_place") {
      plan.events.push_back(Event::computeInPlace(op));
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
    if (hasSchedule)
      return reader.fail("a second schedule");
    hasSchedule = true;
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

std::optional<WrittenPlan>
parsePlan(const Problem &problem, std::string_view text, std::string &error) {
  return PlanReader(problem, text).run(error);
}

} // namespace ckpt::planner
