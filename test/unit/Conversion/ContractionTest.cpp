//===- ContractionTest.cpp - Products against loops -----------------------===//

#include "KernelRunner.h"

#include <gtest/gtest.h>

using namespace ckpt::test;

namespace {

struct ContractionTest
    : testing::TestWithParam<std::tuple<const char *, std::array<int, 3>>> {};

TEST_P(ContractionTest, MatmulMatchesLoops) {
  auto [type, shape] = GetParam();
  KernelRunner().compare(substitute(
      R"(
func.func @step(%arena: memref<0xi8>, %a: memref<$mx$kx$t>, %b: memref<$kx$nx$t>,
                %c: memref<$mx$nx$t>) {
  linalg.matmul ins(%a, %b : memref<$mx$kx$t>, memref<$kx$nx$t>)
    outs(%c : memref<$mx$nx$t>)
  return
})",
      {{"m", std::to_string(shape[0])},
       {"n", std::to_string(shape[1])},
       {"k", std::to_string(shape[2])},
       {"t", type}}));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, ContractionTest,
    testing::Combine(testing::Values("f32", "f64", "i32", "i64"),
                     testing::Values(std::array<int, 3>{1, 1, 1},
                                     std::array<int, 3>{1, 33, 20},
                                     std::array<int, 3>{20, 1, 33},
                                     std::array<int, 3>{5, 7, 1},
                                     std::array<int, 3>{2, 3, 5},
                                     std::array<int, 3>{16, 16, 16},
                                     std::array<int, 3>{64, 64, 64},
                                     std::array<int, 3>{33, 65, 17},
                                     std::array<int, 3>{130, 40, 100})));

INSTANTIATE_TEST_SUITE_P(
    LargeTiles, ContractionTest,
    testing::Combine(testing::Values("f32", "i32"),
                     testing::Values(std::array<int, 3>{1024, 1024, 16},
                                     std::array<int, 3>{1025, 1030, 18})));

/// Every order of the operands' dimensions, with a batch, and f32 accumulation
/// of narrow factors.
TEST(ContractionKernels, AnyLayoutAndMixedPrecision) {
  struct Layout {
    const char *a, *b, *c, *aShape, *bShape, *cShape;
  };
  for (const Layout &layout : {Layout{"d0, d1, d3", "d0, d3, d2", "d0, d1, d2",
                                      "3x20x18", "3x18x24", "3x20x24"},
                               Layout{"d0, d1, d3", "d0, d2, d3", "d0, d1, d2",
                                      "3x20x18", "3x24x18", "3x20x24"},
                               Layout{"d3, d1, d0", "d3, d0, d2", "d1, d0, d2",
                                      "18x20x3", "18x3x24", "20x3x24"},
                               Layout{"d1, d3, d0", "d2, d3", "d2, d0, d1",
                                      "20x18x3", "24x18", "24x3x20"}})
    for (const char *type : {"bf16", "f16", "f32"}) {
      bool isNarrow = std::string(type) != "f32";
      KernelRunner().compare(substitute(
          R"(
func.func @step(%arena: memref<0xi8>, %a: memref<$ashapex$t>,
                %b: memref<$bshapex$t>, %c: memref<$cshapexf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(d0, d1, d2, d3) -> ($amap)>,
                     affine_map<(d0, d1, d2, d3) -> ($bmap)>,
                     affine_map<(d0, d1, d2, d3) -> ($cmap)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<$ashapex$t>, memref<$bshapex$t>)
    outs(%c : memref<$cshapexf32>) {
  ^bb0(%x: $t, %y: $t, %acc: f32):
    $convert
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %acc, %2 : f32
    linalg.yield %3 : f32
  }
  return
})",
          {{"ashape", layout.aShape},
           {"bshape", layout.bShape},
           {"cshape", layout.cShape},
           {"amap", layout.a},
           {"bmap", layout.b},
           {"cmap", layout.c},
           {"convert",
            isNarrow
                ? "%0 = arith.extf %x : $t to f32\n%1 = arith.extf %y : $t to "
                  "f32"
                : "%0 = arith.addf %x, %x : f32\n%1 = arith.addf %y, %y : f32"},
           {"t", type}}));
    }
}

TEST(ContractionKernels, NarrowAccumulatorsOfNamedOps) {
  KernelRunner().compare(R"(
func.func @step(%arena: memref<0xi8>, %a: memref<4x20x18xbf16>,
                %b: memref<4x18x24xbf16>, %c: memref<4x20x24xf32>,
                %v: memref<18xf32>, %m: memref<20x18xf32>, %r: memref<20xf32>,
                %d: memref<f32>) {
  linalg.batch_matmul ins(%a, %b : memref<4x20x18xbf16>, memref<4x18x24xbf16>)
    outs(%c : memref<4x20x24xf32>)
  linalg.matvec ins(%m, %v : memref<20x18xf32>, memref<18xf32>)
    outs(%r : memref<20xf32>)
  linalg.dot ins(%v, %v : memref<18xf32>, memref<18xf32>) outs(%d : memref<f32>)
  return
})");
}

TEST(ContractionKernels, ConvolutionsAreContractions) {
  KernelRunner().compare(R"(
func.func @step(%arena: memref<0xi8>, %x: memref<2x9x9x4xf32>,
                %w: memref<3x3x4x6xf32>, %y: memref<2x4x4x6xf32>,
                %x2: memref<2x4x9x9xf32>, %w2: memref<6x4x2x2xf32>,
                %y2: memref<2x6x8x8xf32>) {
  linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>,
                            dilations = dense<1> : tensor<2xi64>}
    ins(%x, %w : memref<2x9x9x4xf32>, memref<3x3x4x6xf32>)
    outs(%y : memref<2x4x4x6xf32>)
  linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>,
                            dilations = dense<1> : tensor<2xi64>}
    ins(%x2, %w2 : memref<2x4x9x9xf32>, memref<6x4x2x2xf32>)
    outs(%y2 : memref<2x6x8x8xf32>)
  return
})");
}

TEST(ContractionKernels, SlicesOfAFusedProjection) {
  KernelRunner().compare(R"(
func.func @step(%arena: memref<0xi8>, %qkv: memref<20x96xf32>, %y: memref<20x20xf32>) {
  %q = memref.subview %qkv[0, 0] [20, 32] [1, 1]
    : memref<20x96xf32> to memref<20x32xf32, strided<[96, 1]>>
  %k = memref.subview %qkv[0, 32] [20, 32] [1, 1]
    : memref<20x96xf32> to memref<20x32xf32, strided<[96, 1], offset: 32>>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<20x20xf32>)
  linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>,
                                 affine_map<(d0, d1, d2) -> (d1, d2)>,
                                 affine_map<(d0, d1, d2) -> (d0, d1)>]
    ins(%q, %k : memref<20x32xf32, strided<[96, 1]>>,
        memref<20x32xf32, strided<[96, 1], offset: 32>>)
    outs(%y : memref<20x20xf32>)
  return
})");
}

} // namespace
