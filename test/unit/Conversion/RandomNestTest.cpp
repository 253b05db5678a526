//===- RandomNestTest.cpp - Drawn structured ops against loops ------------===//
//
// Each seed draws an op: its loops, which of them are reduced, the operands'
// permutations, broadcasts, slices and types, and the payload.
//
//===----------------------------------------------------------------------===//

#include "KernelRunner.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace ckpt::test;

namespace {

class NestGenerator {
public:
  explicit NestGenerator(uint64_t seed) : random(seed) {}

  std::string generate();

private:
  int64_t draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }
  bool flip(int percent) { return draw(1, 100) <= percent; }
  template <typename T>
  T pick(std::vector<T> values) {
    return values[draw(0, int64_t(values.size()) - 1)];
  }

  struct Operand {
    std::string map, type, name;
  };
  void drawLoops();
  /// An operand that walks `dims`; its memory may be part of a larger buffer.
  Operand drawOperand(std::vector<int> dims, bool mayBroadcast);
  std::string drawPayload(int numInputs);

  std::mt19937_64 random;
  std::string element;
  std::vector<int64_t> sizes;
  std::vector<bool> reduced;
  std::string arguments, views;
  int count = 0;
};

void NestGenerator::drawLoops() {
  int64_t rank = draw(1, 4), product = 1;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size =
        pick<int64_t>({1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 32, 40, 65, 300});
    if (product * size > 20000)
      size = 2;
    product *= size;
    sizes.push_back(size);
    reduced.push_back(flip(40));
  }
}

NestGenerator::Operand NestGenerator::drawOperand(std::vector<int> dims,
                                                  bool mayBroadcast) {
  std::shuffle(dims.begin(), dims.end(), random);
  Operand operand;
  operand.name = "%v" + std::to_string(count);
  std::string baseName = "%b" + std::to_string(count++);
  bool isSlice = !dims.empty() && flip(30);
  std::string shape, baseShape, offsets, steps, lengths;
  std::vector<int64_t> baseSizes, starts, strides;
  for (int dim : dims) {
    bool isBroadcast = mayBroadcast && flip(10);
    int64_t size = isBroadcast ? 1 : sizes[dim];
    int64_t start = isSlice ? draw(0, 4) : 0, step = isSlice ? draw(1, 2) : 1;
    int64_t base = start + (size - 1) * step + 1 + (isSlice ? draw(0, 3) : 0);
    std::string separator = operand.map.empty() ? "" : ", ";
    operand.map += separator + (isBroadcast ? "0" : "d" + std::to_string(dim));
    shape += std::to_string(size) + "x";
    baseShape += std::to_string(base) + "x";
    offsets += separator + std::to_string(start);
    lengths += separator + std::to_string(size);
    steps += separator + std::to_string(step);
    baseSizes.push_back(base);
    starts.push_back(start);
    strides.push_back(step);
  }
  std::string baseType = "memref<" + baseShape + element + ">";
  arguments += ", " + (isSlice ? baseName : operand.name) + ": " + baseType;
  operand.type = baseType;
  if (!isSlice)
    return operand;
  int64_t pitch = 1, offset = 0;
  std::string layout;
  for (size_t i = dims.size(); i-- > 0;) {
    layout = std::to_string(pitch * strides[i]) +
             (layout.empty() ? "" : ", " + layout);
    offset += pitch * starts[i];
    pitch *= baseSizes[i];
  }
  operand.type = "memref<" + shape + element + ", strided<[" + layout +
                 "], offset: " + std::to_string(offset) + ">>";
  views += "  " + operand.name + " = memref.subview " + baseName + "[" +
           offsets + "] [" + lengths + "] [" + steps + "] : " + baseType +
           " to " + operand.type + "\n";
  return operand;
}

/// Combines the inputs, an index now and then, and the output's value.
std::string NestGenerator::drawPayload(int numInputs) {
  bool isFloat = element[0] != 'i';
  std::string suffix = isFloat ? "f" : "i", text, value = "%x0";
  int number = 0;
  auto emit = [&](const std::string &op, const std::string &other) {
    std::string result = "%t" + std::to_string(number++);
    text += "    " + result + " = arith." + op + " " + value + ", " + other +
            " : " + element + "\n";
    value = result;
  };
  for (int i = 1; i < numInputs; ++i)
    emit(pick<std::string>({"add", "mul", "sub"}) + suffix,
         "%x" + std::to_string(i));
  if (!isFloat && flip(30)) {
    int64_t dim = draw(0, int64_t(sizes.size()) - 1);
    text += "    %i = linalg.index " + std::to_string(dim) +
            " : index\n    %n = arith.index_cast %i : index to " + element +
            "\n";
    emit("addi", "%n");
  }
  bool isReduction =
      std::find(reduced.begin(), reduced.end(), true) != reduced.end();
  if (isReduction || flip(50))
    emit(isFloat ? pick<std::string>({"addf", "maximumf", "minimumf"})
                 : pick<std::string>({"addi", "xori", "maxsi", "minui"}),
         "%out");
  return text + "    linalg.yield " + value + " : " + element + "\n";
}

std::string NestGenerator::generate() {
  element = pick<std::string>({"f32", "f32", "f64", "i32", "i64", "i8"});
  drawLoops();
  std::vector<int> all(sizes.size()), kept;
  std::iota(all.begin(), all.end(), 0);
  std::string dims, kinds;
  for (int dim : all) {
    dims += (dim == 0 ? "d" : ", d") + std::to_string(dim);
    kinds += dim == 0 ? "" : ", ";
    kinds += reduced[dim] ? "\"reduction\"" : "\"parallel\"";
    if (!reduced[dim])
      kept.push_back(dim);
  }
  // The first input walks all loops, so that their sizes are known.
  std::vector<Operand> operands{drawOperand(all, /*mayBroadcast=*/false)};
  int64_t numInputs = draw(1, 3);
  while (int64_t(operands.size()) < numInputs) {
    std::vector<int> some;
    for (int dim : all)
      if (flip(70))
        some.push_back(dim);
    operands.push_back(drawOperand(some, /*mayBroadcast=*/true));
  }
  operands.push_back(drawOperand(kept, /*mayBroadcast=*/false));

  std::string maps, names, types, blockArguments;
  for (int64_t i = 0; i <= numInputs; ++i) {
    std::string separator = i == 0 ? "" : ", ";
    maps +=
        separator + "affine_map<(" + dims + ") -> (" + operands[i].map + ")>";
    blockArguments +=
        separator +
        (i < numInputs ? "%x" + std::to_string(i) : std::string("%out")) +
        ": " + element;
    if (i == numInputs)
      break;
    names += separator + operands[i].name;
    types += separator + operands[i].type;
  }
  return "func.func @step(%arena: memref<0xi8>" + arguments + ") {\n" + views +
         "  linalg.generic {indexing_maps = [" + maps +
         "], iterator_types = [" + kinds + "]}\n    ins(" + names + " : " +
         types + ") outs(" + operands.back().name + " : " +
         operands.back().type + ") {\n  ^bb0(" + blockArguments + "):\n" +
         drawPayload(static_cast<int>(numInputs)) + "  }\n  return\n}\n";
}

struct RandomNestTest : testing::TestWithParam<int> {};

TEST_P(RandomNestTest, MatchesLoops) {
  constexpr int perCase = 12;
  for (int i = 0; i < perCase && !HasFailure(); ++i) {
    std::string text = NestGenerator(GetParam() * perCase + i).generate();
    SCOPED_TRACE(text);
    KernelRunner().compare(text);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomNestTest, testing::Range(0, 10));

} // namespace
