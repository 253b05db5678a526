// RUN: ckpt-opt %s -split-input-file -ckpt-place-buffers | FileCheck %s

// Of four buffers in a chain two are alive at once; the last is the result.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[ARENA:.*]]: memref<1024xi8>, %[[X:.*]]: memref<100xf32>, %[[R:.*]]: memref<100xf32> {bufferize.result}) {
func.func @chain(%x: memref<100xf32>) -> memref<100xf32> {
  // CHECK-DAG: %[[A:.*]] = memref.view %[[ARENA]][%{{.*}}][] : memref<1024xi8> to memref<100xf32>
  // CHECK-NOT: memref.alloc
  %0 = memref.alloc() : memref<100xf32>
  linalg.exp ins(%x : memref<100xf32>) outs(%0 : memref<100xf32>)
  %1 = memref.alloc() : memref<100xf32>
  linalg.exp ins(%0 : memref<100xf32>) outs(%1 : memref<100xf32>)
  %2 = memref.alloc() : memref<100xf32>
  linalg.exp ins(%1 : memref<100xf32>) outs(%2 : memref<100xf32>)
  %3 = memref.alloc() : memref<100xf32>
  // CHECK: linalg.exp ins(%{{.*}}) outs(%[[R]] : memref<100xf32>)
  linalg.exp ins(%2 : memref<100xf32>) outs(%3 : memref<100xf32>)
  // CHECK: return
  // CHECK-NOT: memref
  return %3 : memref<100xf32>
}

// -----

// A view keeps its buffer alive.
// CHECK-LABEL: func.func @views
// CHECK-SAME: memref<768xi8>
func.func @views(%x: memref<4x4xf32>, %r: memref<2x8xf32>) {
  %0 = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%0 : memref<4x4xf32>)
  %1 = memref.collapse_shape %0 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %2 = memref.expand_shape %1 [[0, 1]] output_shape [2, 8]
      : memref<16xf32> into memref<2x8xf32>
  %3 = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%3 : memref<4x4xf32>)
  %4 = memref.alloc() : memref<4x4xf32>
  linalg.add ins(%3, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%4 : memref<4x4xf32>)
  linalg.exp ins(%2 : memref<2x8xf32>) outs(%r : memref<2x8xf32>)
  return
}

// -----

// A result seen with another shape takes the caller's buffer, too.
// CHECK-LABEL: func.func @reshaped_result
// CHECK-SAME: (%[[ARENA:.*]]: memref<0xi8>, %[[X:.*]]: memref<4x4xf32>, %[[R:.*]]: memref<16xf32> {bufferize.result})
// CHECK: %[[V:.*]] = memref.reinterpret_cast %[[R]] to offset: [0], sizes: [4, 4], strides: [4, 1]
// CHECK: linalg.exp ins(%[[X]] : memref<4x4xf32>) outs(%[[V]]
func.func @reshaped_result(%x: memref<4x4xf32>) -> memref<16xf32> {
  %0 = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%0 : memref<4x4xf32>)
  %1 = memref.collapse_shape %0 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  return %1 : memref<16xf32>
}

// -----

// Kernels and functions of the LLVM dialect are no steps.
// CHECK-LABEL: gpu.module @kernels
// CHECK: gpu.func @kernel(%{{[a-z0-9]+}}: memref<4xf32>) kernel
// CHECK: llvm.func @host() {
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%x: memref<4xf32>) kernel {
      gpu.return
    }
  }
  llvm.func @host() {
    llvm.return
  }
}
