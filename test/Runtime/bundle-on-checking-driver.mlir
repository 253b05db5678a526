// REQUIRES: ptxas
//
// A bundle runs against a CUDA driver that executes no kernels but checks every
// call: handles, sizes, lifetimes, launch limits, numbers of parameters.
//
// RUN: rm -rf %t && ckpt-run %s --entry=loss --plan=all --bundle=%t --bundle-format=ptx
// RUN: env CKPT_STUB_REPORT=1 CKPT_CUDA_DRIVER=%ckpt_lib_dir/../test/unit/libCkptStubDriver.so \
// RUN:   %t/ckpt-bundle-runner %t --runs=2 > %t.out 2> %t.err
// RUN: FileCheck %s < %t.out
// RUN: FileCheck %s --check-prefix=DRIVER < %t.err
//
// Without a driver the runner says so.
// RUN: env CKPT_CUDA_DRIVER=libckpt-no-such-driver.so \
// RUN:   not %t/ckpt-bundle-runner %t 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: device             Stub GPU
// CHECK: argument bytes     2560
// CHECK: passed
// CHECK: "emulated": false

// DRIVER: stub driver: {{[1-9][0-9]*}} launches, peak of {{[1-9][0-9]*}} bytes, all returned
// DRIVER-NOT: VIOLATION

// NONE: error: no CUDA driver: libckpt-no-such-driver.so

#matrix = affine_map<(d0, d1) -> (d0, d1)>
#scalar = affine_map<(d0, d1) -> ()>

func.func @loss(%w: tensor<16x32xf32>, %x: tensor<8x16xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x32xf32>) -> tensor<8x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x32xf32>)
                     outs(%init : tensor<8x32xf32>) -> tensor<8x32xf32>
  %h = linalg.generic {indexing_maps = [#matrix, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<8x32xf32>) outs(%empty : tensor<8x32xf32>) {
    ^bb0(%a: f32, %out: f32):
      %t = math.tanh %a : f32
      linalg.yield %t : f32
  } -> tensor<8x32xf32>
  %none = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%none : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#matrix, #scalar], iterator_types = ["reduction", "reduction"]}
      ins(%h : tensor<8x32xf32>) outs(%start : tensor<f32>) {
    ^bb0(%a: f32, %acc: f32):
      %s = arith.mulf %a, %a : f32
      %r = arith.addf %acc, %s : f32
      linalg.yield %r : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}
