//===- ReductionTest.cpp - Reduction kernels against loops ----------------===//

#include "KernelRunner.h"

#include <gtest/gtest.h>

using namespace ckpt::test;

namespace {

/// Reduces d1 of d0 x d1 x d2, and d0 and d2, and everything.
static const char *reductions = R"(
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @step(%arena: memref<0xi8>, %x: memref<$ax$bx$cx$t>,
                %middle: memref<$ax$cx$t>, %outer: memref<$bx$t>, %all: memref<$t>,
                %last: memref<$ax$bx$t>) {
  linalg.generic {indexing_maps = [#id, affine_map<(d0, d1, d2) -> (d0, d2)>],
                  iterator_types = ["parallel", "reduction", "parallel"]}
    ins(%x : memref<$ax$bx$cx$t>) outs(%middle : memref<$ax$cx$t>) {
  ^bb0(%a: $t, %acc: $t):
    %0 = arith.$op %a, %acc : $t
    linalg.yield %0 : $t
  }
  linalg.generic {indexing_maps = [#id, affine_map<(d0, d1, d2) -> (d1)>],
                  iterator_types = ["reduction", "parallel", "reduction"]}
    ins(%x : memref<$ax$bx$cx$t>) outs(%outer : memref<$bx$t>) {
  ^bb0(%a: $t, %acc: $t):
    %0 = arith.$op %acc, %a : $t
    linalg.yield %0 : $t
  }
  linalg.generic {indexing_maps = [#id, affine_map<(d0, d1, d2) -> ()>],
                  iterator_types = ["reduction", "reduction", "reduction"]}
    ins(%x : memref<$ax$bx$cx$t>) outs(%all : memref<$t>) {
  ^bb0(%a: $t, %acc: $t):
    %0 = arith.$op %acc, %a : $t
    linalg.yield %0 : $t
  }
  linalg.reduce {arith.$op} ins(%x : memref<$ax$bx$cx$t>)
    outs(%last : memref<$ax$bx$t>) dimensions = [2]
  return
})";

struct Case {
  const char *op, *type;
};

void PrintTo(const Case &what, std::ostream *stream) {
  *stream << what.op << ' ' << what.type;
}

struct ReductionTest
    : testing::TestWithParam<std::tuple<Case, std::array<int, 3>>> {};

TEST_P(ReductionTest, MatchesLoops) {
  auto [what, shape] = GetParam();
  KernelRunner().compare(
      substitute(reductions, {{"op", what.op},
                              {"a", std::to_string(shape[0])},
                              {"b", std::to_string(shape[1])},
                              {"c", std::to_string(shape[2])},
                              {"t", what.type}}));
}

INSTANTIATE_TEST_SUITE_P(
    Combiners, ReductionTest,
    testing::Combine(
        testing::Values(Case{"addf", "f32"}, Case{"addf", "f64"},
                        Case{"mulf", "f32"}, Case{"maximumf", "f32"},
                        Case{"minimumf", "f32"}, Case{"maxnumf", "f32"},
                        Case{"minnumf", "f64"}, Case{"maximumf", "bf16"},
                        Case{"minimumf", "f16"}, Case{"addi", "i32"},
                        Case{"addi", "i64"}, Case{"muli", "i8"},
                        Case{"andi", "i1"}, Case{"ori", "i1"},
                        Case{"xori", "i8"}, Case{"maxsi", "i64"},
                        Case{"minsi", "i32"}, Case{"maxui", "i8"},
                        Case{"minui", "i64"}),
        testing::Values(std::array<int, 3>{1, 1, 1},
                        std::array<int, 3>{3, 5, 7},
                        std::array<int, 3>{4, 64, 40})));

INSTANTIATE_TEST_SUITE_P(
    Shapes, ReductionTest,
    testing::Combine(testing::Values(Case{"addf", "f32"}),
                     testing::Values(std::array<int, 3>{2, 3, 4096},
                                     std::array<int, 3>{1, 4000, 2},
                                     std::array<int, 3>{300, 2, 33},
                                     std::array<int, 3>{1, 1, 100001})));

TEST(ReductionKernels, SumsOfNarrowFloatsAccumulateInF32) {
  KernelRunner runner;
  std::string text = R"(
func.func @step(%arena: memref<0xi8>, %x: memref<4096xbf16>, %sum: memref<bf16>) {
  linalg.reduce {arith.addf} ins(%x : memref<4096xbf16>) outs(%sum : memref<bf16>)
    dimensions = [0]
  return
})";
  // 4096 ones: in bf16 the sum would stay at 256.
  std::vector<Bytes> memory = {Bytes(8192), Bytes(2)};
  for (int i = 0; i < 4096; ++i)
    memory[0][2 * i] = static_cast<char>(0x80), memory[0][2 * i + 1] = 0x3f;
  ASSERT_EQ(runner.runKernels(text, memory), "");
  EXPECT_EQ(memory[1][0], static_cast<char>(0x80));
  EXPECT_EQ(memory[1][1], 0x45);
}

TEST(ReductionKernels, FusedProducersAndConversions) {
  KernelRunner().compare(R"(
func.func @step(%arena: memref<0xi8>, %x: memref<9x50xbf16>, %max: memref<9xf32>,
                %sum: memref<9xf32>, %squares: memref<9xf64>) {
  linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>,
                     affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>],
    iterator_types = ["parallel", "reduction"]}
    ins(%x, %max : memref<9x50xbf16>, memref<9xf32>)
    outs(%sum, %squares : memref<9xf32>, memref<9xf64>) {
  ^bb0(%a: bf16, %m: f32, %s: f32, %q: f64):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.subf %0, %m : f32
    %2 = math.exp %1 : f32
    %3 = arith.addf %s, %2 : f32
    %4 = arith.extf %0 : f32 to f64
    %5 = arith.mulf %4, %4 : f64
    %6 = arith.addf %q, %5 : f64
    linalg.yield %3, %6 : f32, f64
  }
  return
})");
}

/// Equal values are frequent among few integers: the first one must win.
TEST(ReductionKernels, ExtremesWithTheirIndices) {
  struct Selection {
    const char *type, *extreme, *compare, *operands, *shape, *map, *result;
    int dim;
  };
  const char *rows = "(d0, d1) -> (d0)", *columns = "(d0, d1) -> (d1)";
  for (const Selection &what :
       {Selection{"f32", "maximumf", "cmpf ogt", "%a, %v", "40x17", rows, "40",
                  1},
        Selection{"f64", "minimumf", "cmpf ogt", "%v, %a", "3x5000", rows, "3",
                  1},
        Selection{"bf16", "maximumf", "cmpf ogt", "%a, %v", "9x300", rows, "9",
                  1},
        Selection{"i32", "maxsi", "cmpi sgt", "%a, %v", "7x70", rows, "7", 1},
        Selection{"i8", "minui", "cmpi ult", "%a, %v", "64x33", columns, "33",
                  0},
        Selection{"i64", "maxui", "cmpi ult", "%v, %a", "300x3", columns, "3",
                  0}})
    KernelRunner().compare(substitute(
        R"(
func.func @step(%arena: memref<0xi8>, %x: memref<$shapex$t>,
                %value: memref<$resultx$t>, %index: memref<$resultxi64>) {
  linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<$map>,
                     affine_map<$map>],
    iterator_types = [$kinds]}
    ins(%x : memref<$shapex$t>)
    outs(%value, %index : memref<$resultx$t>, memref<$resultxi64>) {
  ^bb0(%a: $t, %v: $t, %i: i64):
    %j = linalg.index $dim : index
    %k = arith.index_cast %j : index to i64
    %m = arith.$extreme %a, %v : $t
    %c = arith.$compare, $operands : $t
    %n = arith.select %c, %k, %i : i64
    linalg.yield %m, %n : $t, i64
  }
  return
})",
        {{"shape", what.shape},
         {"resultx", std::string(what.result) + "x"},
         {"map", what.map},
         {"kinds", what.dim == 1 ? "\"parallel\", \"reduction\""
                                 : "\"reduction\", \"parallel\""},
         {"dim", std::to_string(what.dim)},
         {"extreme", what.extreme},
         {"compare", what.compare},
         {"operands", what.operands},
         {"t", what.type}}));
}

TEST(ReductionKernels, PayloadsOfNoKnownFormRunInProgramOrder) {
  KernelRunner().compare(R"(
func.func @step(%arena: memref<0xi8>, %x: memref<40x17xf32>, %y: memref<40xf32>,
                %last: memref<40xi64>) {
  %half = arith.constant 0.5 : f32
  linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>,
                     affine_map<(d0, d1) -> (d0)>],
    iterator_types = ["parallel", "reduction"]}
    ins(%x : memref<40x17xf32>) outs(%y, %last : memref<40xf32>, memref<40xi64>) {
  ^bb0(%a: f32, %acc: f32, %i: i64):
    %0 = arith.mulf %acc, %half : f32
    %1 = arith.addf %0, %a : f32
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %c = arith.cmpf oge, %a, %acc : f32
    %n = arith.select %c, %k, %i : i64
    linalg.yield %1, %n : f32, i64
  }
  return
})");
}

TEST(ReductionKernels, PoolingWindows) {
  KernelRunner().compare(R"(
func.func @step(%arena: memref<0xi8>, %x: memref<2x9x9x5xf32>, %w: memref<3x3xf32>,
                %y: memref<2x4x4x5xf32>) {
  linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>,
                           dilations = dense<1> : tensor<2xi64>}
    ins(%x, %w : memref<2x9x9x5xf32>, memref<3x3xf32>) outs(%y : memref<2x4x4x5xf32>)
  return
})");
}

TEST(ReductionKernels, AnEmptyReductionKeepsTheInitialValue) {
  KernelRunner runner;
  std::vector<Bytes> memory = {Bytes(), Bytes(8)};
  ASSERT_EQ(runner.runKernels(R"(
func.func @step(%arena: memref<0xi8>, %x: memref<4x0xf32>, %y: memref<2xi32>) {
  %c = arith.constant 3 : i32
  %view = memref.collapse_shape %x [[0, 1]] : memref<4x0xf32> into memref<0xf32>
  linalg.fill ins(%c : i32) outs(%y : memref<2xi32>)
  linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>],
    iterator_types = ["parallel", "reduction"]}
    ins(%view : memref<0xf32>) outs(%y : memref<2xi32>) {
  ^bb0(%a: f32, %acc: i32):
    %0 = arith.fptosi %a : f32 to i32
    %1 = arith.addi %acc, %0 : i32
    linalg.yield %1 : i32
  }
  return
})",
                              memory),
            "");
  int32_t values[2];
  memcpy(values, memory[1].data(), sizeof values);
  EXPECT_EQ(values[0], 3);
  EXPECT_EQ(values[1], 3);
}

TEST(ReductionKernels, FillsBecomeInitialValues) {
  KernelRunner runner;
  std::string text = R"(
func.func @step(%arena: memref<4096xi8>, %x: memref<4x8xf32>, %y: memref<4xf32>,
                %z: memref<4xf32>) {
  %c = arith.constant 3.0 : f32
  %c0 = arith.constant 0 : index
  %t = memref.view %arena[%c0][] : memref<4096xi8> to memref<4xf32>
  linalg.fill ins(%c : f32) outs(%t : memref<4xf32>)
  linalg.fill ins(%c : f32) outs(%y : memref<4xf32>)
  linalg.reduce {arith.addf} ins(%x : memref<4x8xf32>) outs(%t : memref<4xf32>)
    dimensions = [1]
  linalg.reduce {arith.mulf} ins(%x : memref<4x8xf32>) outs(%y : memref<4xf32>)
    dimensions = [1]
  memref.copy %t, %z : memref<4xf32> to memref<4xf32>
  return
})";
  runner.compare(text);
  EXPECT_EQ(runner.countKernels(text), std::make_pair(3u, 3u));
}

TEST(ReductionKernels, AFillThatIsReadStays) {
  KernelRunner runner;
  std::string text = R"(
func.func @step(%arena: memref<4096xi8>, %x: memref<4x8xf32>, %y: memref<4xf32>,
                %z: memref<4xf32>) {
  %c = arith.constant 3.0 : f32
  linalg.fill ins(%c : f32) outs(%y : memref<4xf32>)
  linalg.exp ins(%y : memref<4xf32>) outs(%z : memref<4xf32>)
  linalg.reduce {arith.addf} ins(%x : memref<4x8xf32>) outs(%y : memref<4xf32>)
    dimensions = [1]
  return
})";
  runner.compare(text);
  EXPECT_EQ(runner.countKernels(text), std::make_pair(3u, 3u));
}

} // namespace
