//===- ElementwiseTest.cpp - Parallel kernels against loops ---------------===//

#include "KernelRunner.h"

#include <gtest/gtest.h>

using namespace ckpt::test;

namespace {

/// Types, and lengths around the widths of vectors.
struct ElementwiseTest : testing::TestWithParam<std::tuple<const char *, int>> {
};

TEST_P(ElementwiseTest, AddsAndBroadcasts) {
  auto [type, size] = GetParam();
  bool isFloat = std::string(type).find('f') != std::string::npos;
  KernelRunner().compare(substitute(
      R"(
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @step(%arena: memref<0xi8>, %x: memref<3x$nx$t>, %row: memref<$nx$t>,
                %column: memref<3x1x$t>, %y: memref<3x$nx$t>, %flat: memref<$nx$t>) {
  linalg.generic {
    indexing_maps = [#id, affine_map<(d0, d1) -> (d1)>,
                     affine_map<(d0, d1) -> (d0, 0)>, #id],
    iterator_types = ["parallel", "parallel"]}
    ins(%x, %row, %column : memref<3x$nx$t>, memref<$nx$t>, memref<3x1x$t>)
    outs(%y : memref<3x$nx$t>) {
  ^bb0(%a: $t, %b: $t, %c: $t, %out: $t):
    %0 = arith.add$k %a, %b : $t
    %1 = arith.mul$k %0, %c : $t
    %2 = arith.add$k %1, %out : $t
    linalg.yield %2 : $t
  }
  linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
    iterator_types = ["parallel"]}
    ins(%row : memref<$nx$t>) outs(%flat : memref<$nx$t>) {
  ^bb0(%a: $t, %out: $t):
    %0 = arith.add$k %a, %out : $t
    linalg.yield %0 : $t
  }
  return
})",
      {{"n", std::to_string(size)}, {"t", type}, {"k", isFloat ? "f" : "i"}}));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, ElementwiseTest,
    testing::Combine(testing::Values("f32", "f64", "bf16", "f16", "i32", "i64",
                                     "i8"),
                     testing::Values(1, 3, 4, 7, 8, 64, 65, 1030)));

TEST(ElementwiseKernels, CopiesTransposesAndReverses) {
  KernelRunner().compare(R"(
func.func @step(%arena: memref<0xi8>, %x: memref<5x8x12xf32>,
                %transposed: memref<12x5x8xf32>, %copy: memref<5x8x12xf32>,
                %reversed: memref<12xf32>, %v: memref<12xf32>) {
  linalg.transpose ins(%x : memref<5x8x12xf32>)
    outs(%transposed : memref<12x5x8xf32>) permutation = [2, 0, 1]
  memref.copy %x, %copy : memref<5x8x12xf32> to memref<5x8x12xf32>
  linalg.generic {
    indexing_maps = [affine_map<(d0) -> (-d0 + 11)>, affine_map<(d0) -> (d0)>],
    iterator_types = ["parallel"]}
    ins(%v : memref<12xf32>) outs(%reversed : memref<12xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  }
  return
})");
}

/// Tiles through shared memory, where sizes are whole tiles and where not.
TEST(ElementwiseKernels, LargeTranspositions) {
  struct Transposition {
    const char *type, *from, *to, *permutation;
  };
  for (const Transposition &what :
       {Transposition{"f32", "64x96", "96x64", "1, 0"},
        Transposition{"f64", "33x70", "70x33", "1, 0"},
        Transposition{"i1", "40x50", "50x40", "1, 0"},
        Transposition{"bf16", "3x40x50", "50x3x40", "2, 0, 1"},
        Transposition{"i64", "40x3x50", "50x40x3", "2, 0, 1"}})
    KernelRunner().compare(substitute(
        R"(
func.func @step(%arena: memref<0xi8>, %x: memref<$fromx$kind>,
                %y: memref<$tox$kind>) {
  linalg.transpose ins(%x : memref<$fromx$kind>) outs(%y : memref<$tox$kind>)
    permutation = [$permutation]
  return
})",
        {{"from", what.from},
         {"tox", std::string(what.to) + "x"},
         {"permutation", what.permutation},
         {"kind", what.type}}));
}

TEST(ElementwiseKernels, TransposedOperandsAmongOthers) {
  KernelRunner().compare(R"(
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @step(%arena: memref<0xi8>, %a: memref<70x50xf32>, %b: memref<50x70xf32>,
                %c: memref<70xf32>, %y: memref<50x70xf32>, %z: memref<50x70xi64>) {
  linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, #id,
                     affine_map<(d0, d1) -> (d1)>, #id, #id],
    iterator_types = ["parallel", "parallel"]}
    ins(%a, %b, %c : memref<70x50xf32>, memref<50x70xf32>, memref<70xf32>)
    outs(%y, %z : memref<50x70xf32>, memref<50x70xi64>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %out: f32, %index: i64):
    %0 = arith.mulf %x0, %x1 : f32
    %1 = arith.addf %0, %x2 : f32
    %2 = arith.addf %1, %out : f32
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    linalg.yield %2, %j : f32, i64
  }
  return
})");
}

TEST(ElementwiseKernels, WritesSlicesOfTheArenaAndOfArguments) {
  KernelRunner().compare(R"(
func.func @step(%arena: memref<4096xi8>, %x: memref<6x10xf32>,
                %y: memref<6x24xf32>, %z: memref<3x5xf32>) {
  %c512 = arith.constant 512 : index
  %t = memref.view %arena[%c512][] : memref<4096xi8> to memref<6x24xf32>
  %left = memref.subview %t[0, 0] [6, 10] [1, 1]
    : memref<6x24xf32> to memref<6x10xf32, strided<[24, 1]>>
  %right = memref.subview %t[0, 10] [6, 14] [1, 1]
    : memref<6x24xf32> to memref<6x14xf32, strided<[24, 1], offset: 10>>
  linalg.copy ins(%x : memref<6x10xf32>)
    outs(%left : memref<6x10xf32, strided<[24, 1]>>)
  %c2 = arith.constant 2.0 : f32
  linalg.fill ins(%c2 : f32)
    outs(%right : memref<6x14xf32, strided<[24, 1], offset: 10>>)
  memref.copy %t, %y : memref<6x24xf32> to memref<6x24xf32>
  %odd = memref.subview %x[1, 1] [3, 5] [2, 2]
    : memref<6x10xf32> to memref<3x5xf32, strided<[20, 2], offset: 11>>
  linalg.copy ins(%odd : memref<3x5xf32, strided<[20, 2], offset: 11>>)
    outs(%z : memref<3x5xf32>)
  return
})");
}

TEST(ElementwiseKernels, ReshapesAreViews) {
  KernelRunner().compare(R"(
func.func @step(%arena: memref<0xi8>, %x: memref<4x6xf32>, %y: memref<2x2x6xf32>,
                %z: memref<24xf32>) {
  %0 = memref.expand_shape %x [[0, 1], [2]] output_shape [2, 2, 6]
    : memref<4x6xf32> into memref<2x2x6xf32>
  memref.copy %0, %y : memref<2x2x6xf32> to memref<2x2x6xf32>
  %1 = memref.collapse_shape %x [[0, 1]] : memref<4x6xf32> into memref<24xf32>
  linalg.exp ins(%1 : memref<24xf32>) outs(%z : memref<24xf32>)
  return
})");
}

TEST(ElementwiseKernels, PayloadsUseIndicesBooleansAndBranches) {
  KernelRunner().compare(R"(
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @step(%arena: memref<0xi8>, %x: memref<5x8xf32>, %mask: memref<5x8xi1>,
                %y: memref<5x8xf32>, %less: memref<5x8xi1>, %sum: memref<5x8xi64>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#id, #id, #id, #id, #id],
                  iterator_types = ["parallel", "parallel"]}
    ins(%x, %mask : memref<5x8xf32>, memref<5x8xi1>)
    outs(%y, %less, %sum : memref<5x8xf32>, memref<5x8xi1>, memref<5x8xi64>) {
  ^bb0(%a: f32, %m: i1, %o0: f32, %o1: i1, %o2: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %s = arith.addi %i, %j : index
    %n = arith.index_cast %s : index to i64
    %causal = arith.cmpi ule, %j, %i : index
    %keep = arith.andi %causal, %m : i1
    %v = arith.select %keep, %a, %zero : f32
    %t = math.tanh %v : f32
    %c = arith.cmpf olt, %a, %zero : f32
    linalg.yield %t, %c, %n : f32, i1, i64
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
    outs(%y : memref<5x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c4 = arith.constant 4 : index
    %first = arith.cmpi ult, %j, %c4 : index
    %r = scf.if %first -> (f32) {
      %v = memref.load %x[%i, %j] : memref<5x8xf32>
      scf.yield %v : f32
    } else {
      %k = arith.subi %j, %c4 : index
      %v = memref.load %x[%i, %k] : memref<5x8xf32>
      %w = arith.addf %v, %o : f32
      scf.yield %w : f32
    }
    linalg.yield %r : f32
  }
  return
})");
}

TEST(ElementwiseKernels, MathFunctions) {
  for (const char *type : {"f32", "f64", "bf16", "f16"})
    for (const char *function :
         {"absf", "atan", "ceil", "cos", "erf", "erfc", "exp", "exp2", "expm1",
          "floor", "log1p", "rsqrt", "sin", "sqrt", "tanh", "roundeven"})
      KernelRunner().compare(substitute(
          R"(
func.func @step(%arena: memref<0xi8>, %x: memref<37x$t>, %y: memref<37x$t>) {
  %c = arith.constant 0.5 : $t
  linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
    iterator_types = ["parallel"]}
    ins(%x : memref<37x$t>) outs(%y : memref<37x$t>) {
  ^bb0(%a: $t, %out: $t):
    %p = math.absf %a : $t
    %q = arith.addf %p, %c : $t
    %r = math.$function %q : $t
    linalg.yield %r : $t
  }
  return
})",
          {{"function", function}, {"t", type}}));
}

TEST(ElementwiseKernels, PowersAndRemainders) {
  KernelRunner().compare(R"(
#id = affine_map<(d0) -> (d0)>
func.func @step(%arena: memref<0xi8>, %x: memref<33xf32>, %y: memref<33xf32>) {
  %c = arith.constant 2.5 : f32
  %two = arith.constant 2 : i64
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%x : memref<33xf32>) outs(%y : memref<33xf32>) {
  ^bb0(%a: f32, %out: f32):
    %p = math.absf %a : f32
    %q = math.powf %p, %c : f32
    %r = math.fpowi %a, %two : f32, i64
    %s = arith.divf %q, %c : f32
    %u = arith.addf %r, %s : f32
    linalg.yield %u : f32
  }
  return
})");
}

TEST(ElementwiseKernels, ConstantsBecomeDeviceData) {
  KernelRunner().compare(R"(
#id = affine_map<(d0) -> (d0)>
module {
  memref.global "private" constant @table : memref<2x3xf32>
    = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]>
  memref.global "private" constant @ones : memref<6xf32> = dense<1.0>
  func.func @step(%arena: memref<0xi8>, %x: memref<6xf32>, %y: memref<6xf32>,
                  %z: memref<3xf32>) {
    %table = memref.get_global @table : memref<2x3xf32>
    %ones = memref.get_global @ones : memref<6xf32>
    %flat = memref.collapse_shape %table [[0, 1]] : memref<2x3xf32> into memref<6xf32>
    linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %flat, %ones : memref<6xf32>, memref<6xf32>, memref<6xf32>)
      outs(%y : memref<6xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %0, %c : f32
      linalg.yield %1 : f32
    }
    %row = memref.subview %table[1, 0] [1, 3] [1, 1]
      : memref<2x3xf32> to memref<3xf32, strided<[1], offset: 3>>
    linalg.copy ins(%row : memref<3xf32, strided<[1], offset: 3>>)
      outs(%z : memref<3xf32>)
    return
  }
})");
}

TEST(ElementwiseKernels, ScalarsAreComputedByTheKernelsThatUseThem) {
  KernelRunner().compare(R"(
#id = affine_map<(d0) -> (d0)>
func.func @step(%arena: memref<0xi8>, %x: memref<6xf32>, %s: memref<f32>,
                %n: memref<3xi64>, %y: memref<6xf32>, %out: memref<f32>) {
  %c1 = arith.constant 1 : index
  %a = memref.load %s[] : memref<f32>
  %i = memref.load %n[%c1] : memref<3xi64>
  %f = arith.sitofp %i : i64 to f32
  %sum = arith.addf %a, %f : f32
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%x : memref<6xf32>) outs(%y : memref<6xf32>) {
  ^bb0(%v: f32, %o: f32):
    %0 = arith.mulf %v, %sum : f32
    linalg.yield %0 : f32
  }
  memref.store %sum, %out[] : memref<f32>
  return
})");
}

TEST(ElementwiseKernels, EmptyTensorsLaunchNothing) {
  std::string text = R"(
func.func @step(%arena: memref<0xi8>, %x: memref<0x4xf32>, %y: memref<0x4xf32>) {
  linalg.exp ins(%x : memref<0x4xf32>) outs(%y : memref<0x4xf32>)
  return
})";
  KernelRunner runner;
  runner.compare(text);
  EXPECT_EQ(runner.countKernels(text), std::make_pair(0u, 0u));
}

/// A row gather as front ends write it: the check guards the load.
static const char *gather = R"(
func.func @step(%arena: memref<0xi8>, %table: memref<5x4xf32>,
                %indices: memref<3xi64>, %y: memref<3x4xf32>) {
  %c0 = arith.constant 0 : i64
  %c5 = arith.constant 5 : i64
  linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%indices : memref<3xi64>) outs(%y : memref<3x4xf32>) {
  ^bb0(%i: i64, %out: f32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %i : i64 to index
    %low = arith.cmpi sge, %i, %c0 : i64
    cf.assert %low, "index must not be negative"
    %high = arith.cmpi slt, %i, %c5 : i64
    cf.assert %high, "index must be smaller than dim size"
    %v = memref.load %table[%k, %j] : memref<5x4xf32>
    linalg.yield %v : f32
  }
  return
})";

TEST(ElementwiseKernels, GathersWithPassingChecks) {
  KernelRunner().compare(gather, /*maxInteger=*/4);
}

TEST(ElementwiseKernels, AFailingCheckIsAnErrorAndReadsNothing) {
  KernelRunner runner;
  std::vector<Bytes> memory = runner.drawMemory(gather, 4);
  int64_t outside = int64_t(1) << 40;
  memcpy(memory[1].data() + 8, &outside, 8);
  std::string error = runner.runKernels(gather, memory);
  EXPECT_NE(error.find("index must be smaller than dim size"),
            std::string::npos)
      << error;
  int64_t negative = -1;
  memcpy(memory[1].data() + 8, &negative, 8);
  error = runner.runKernels(gather, memory);
  EXPECT_NE(error.find("index must not be negative"), std::string::npos)
      << error;
}

/// Checks outside of structured ops, and in the payload of a reduction.
TEST(ElementwiseKernels, ChecksElsewhere) {
  const char *text = R"(
func.func @step(%arena: memref<0xi8>, %n: memref<i64>, %table: memref<5xf32>,
                %indices: memref<300xi64>, %sum: memref<f32>) {
  %c5 = arith.constant 5 : i64
  %0 = memref.load %n[] : memref<i64>
  %1 = arith.cmpi slt, %0, %c5 : i64
  cf.assert %1, "n is too large"
  linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]}
    ins(%indices : memref<300xi64>) outs(%sum : memref<f32>) {
  ^bb0(%i: i64, %acc: f32):
    %k = arith.index_cast %i : i64 to index
    %ok = arith.cmpi ult, %i, %c5 : i64
    cf.assert %ok, "index is outside"
    %v = memref.load %table[%k] : memref<5xf32>
    %2 = arith.addf %acc, %v : f32
    linalg.yield %2 : f32
  }
  return
})";
  KernelRunner runner;
  runner.compare(text, /*maxInteger=*/4);
  std::vector<Bytes> memory = runner.drawMemory(text, 4);
  memory[0][0] = 5;
  std::string error = runner.runKernels(text, memory);
  EXPECT_NE(error.find("n is too large"), std::string::npos) << error;
  memory = runner.drawMemory(text, 4);
  memory[2][8 * 299] = 9;
  error = runner.runKernels(text, memory);
  EXPECT_NE(error.find("index is outside"), std::string::npos) << error;
}

TEST(ElementwiseKernels, EqualOpsShareAKernelWhereverTheirBuffersLie) {
  KernelRunner runner;
  EXPECT_EQ(runner.countKernels(R"(
func.func @step(%arena: memref<4096xi8>, %x: memref<64xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %a = memref.view %arena[%c0][] : memref<4096xi8> to memref<64xf32>
  %b = memref.view %arena[%c256][] : memref<4096xi8> to memref<8x8xf32>
  %c = memref.collapse_shape %b [[0, 1]] : memref<8x8xf32> into memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.exp ins(%c : memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.exp ins(%b : memref<8x8xf32>) outs(%b : memref<8x8xf32>)
  return
})"),
            // In place is another kernel: it has one parameter.
            std::make_pair(2u, 4u));
}

} // namespace
