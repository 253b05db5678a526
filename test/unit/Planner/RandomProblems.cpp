//===- RandomProblems.cpp - Problems for property tests -------------------===//
#include "RandomProblems.h"

namespace ckpt::planner::test {

static int draw(std::mt19937 &random, int from, int to) {
  return from + static_cast<int>(random() % (to - from + 1));
}
static bool chance(std::mt19937 &random, int percent) {
  return draw(random, 1, 100) <= percent;
}

Problem randomProblem(std::mt19937 &random, int maxOps,
                      const Features &features) {
  Problem problem;
  int numOps = draw(random, 1, maxOps);
  int locality = draw(random, 2, 8);
  for (int i = 0; i < numOps; ++i) {
    std::vector<ValueId> inputs;
    int numInputs = i == 0 ? 0 : draw(random, 0, 3);
    for (int k = 0; k < numInputs && problem.numValues() > 0; ++k) {
      int low =
          chance(random, 70) ? std::max(0, problem.numValues() - locality) : 0;
      inputs.push_back(draw(random, low, problem.numValues() - 1));
    }
    OpId op = problem.addOp(draw(random, 0, 9), inputs,
                            chance(random, 20) ? draw(random, 1, 5) : 0);
    if (features.effects) {
      problem.ops[op].recomputable = !chance(random, 10);
      problem.ops[op].movable = !chance(random, 10);
      if (op > 0 && chance(random, 10))
        problem.ops[op].after.push_back(draw(random, 0, op - 1));
    }
    int numResults =
        features.severalResults && chance(random, 20) ? draw(random, 0, 3) : 1;
    for (int k = 0; k < numResults; ++k) {
      ValueId v = problem.addResult(draw(random, 0, 9));
      Value &value = problem.values[v];
      int firstResult = problem.ops[op].firstResult;
      if (features.views && firstResult > 0 && chance(random, 8)) {
        value.bytes = 0;
        value.aliasOf = draw(random, 0, firstResult - 1);
      } else if (features.inPlace && !inputs.empty() && chance(random, 12)) {
        ValueId old = inputs[0];
        bool taken = false;
        for (ValueId other = firstResult; other < v; ++other)
          taken |= problem.values[other].inPlaceOf == old;
        if (!taken && problem.values[old].aliasOf == kNone &&
            problem.values[old].bytes >= value.bytes)
          value.inPlaceOf = old;
      }
    }
  }
  for (ValueId v = 0; v < problem.numValues(); ++v) {
    bool takenOver = false;
    for (const Value &other : problem.values)
      takenOver |= other.inPlaceOf == v;
    if (takenOver)
      continue;
    problem.values[v].output = chance(random, 12);
    problem.values[v].mustStay = features.effects && chance(random, 3);
  }
  return problem;
}

Problem trainingStep(int layers, int width, unsigned seed) {
  std::mt19937 random(seed);
  Problem problem;
  std::vector<std::vector<ValueId>> forward;
  auto add = [&](std::vector<ValueId> inputs) {
    problem.addOp(draw(random, 1, 20), std::move(inputs));
    return problem.addResult(draw(random, 1, 20));
  };
  for (int layer = 0; layer < layers; ++layer) {
    forward.emplace_back();
    for (int i = 0; i < width; ++i) {
      std::vector<ValueId> inputs;
      if (layer > 0)
        for (int k = 0; k < 2; ++k)
          inputs.push_back(forward[layer - 1][draw(random, 0, width - 1)]);
      forward.back().push_back(add(inputs));
    }
  }
  ValueId gradient = add(forward.back());
  for (int layer = layers - 1; layer >= 0; --layer)
    for (int i = width - 1; i >= 0; --i) {
      std::vector<ValueId> inputs = {gradient, forward[layer][i]};
      if (layer > 0)
        inputs.push_back(forward[layer - 1][draw(random, 0, width - 1)]);
      gradient = add(inputs);
    }
  problem.values[gradient].output = true;
  return problem;
}

Problem chain(const std::vector<int64_t> &times,
              const std::vector<int64_t> &bytes) {
  Problem problem;
  int steps = static_cast<int>(times.size());
  std::vector<ValueId> x;
  auto add = [&](int64_t time, std::vector<ValueId> inputs, int64_t size) {
    problem.addOp(time, std::move(inputs));
    return problem.addResult(size);
  };
  x.push_back(add(0, {}, bytes[0]));
  for (int i = 0; i < steps; ++i)
    x.push_back(add(times[i], {x[i]}, bytes[i + 1]));
  ValueId d = add(0, {x[steps]}, bytes[steps]);
  for (int i = steps; i >= 1; --i)
    d = add(2 * times[i - 1], {x[i - 1], d}, bytes[i - 1]);
  return problem;
}

void tamper(std::string &text, std::mt19937 &random) {
  auto pick = [&](const char *characters) {
    std::vector<size_t> places;
    for (size_t i = text.find_first_of(characters); i != std::string::npos;
         i = text.find_first_of(characters, i + 1))
      places.push_back(i);
    return places.empty() ? std::string::npos
                          : places[random() % places.size()];
  };
  size_t at = pick("0123456789"), comma = pick(","), other = pick(",");
  switch (random() % 5) {
  case 0:
  case 1:
    if (at != std::string::npos)
      text[at] = static_cast<char>('0' + random() % 10);
    return;
  case 2:
    if (at != std::string::npos)
      text.insert(at, 1, static_cast<char>('0' + random() % 10));
    return;
  case 3:
    if (comma < other)
      text.erase(comma, other - comma);
    return;
  case 4:
    if (comma < other)
      text.insert(other, text.substr(comma, other - comma));
    return;
  }
}

} // namespace ckpt::planner::test
