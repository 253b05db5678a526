// RUN: ckpt-opt %s -split-input-file -ckpt-bufferize-step | FileCheck %s

// Barriers go, the order stays; a shared fill does not become a copy.
// CHECK-LABEL: func.func @step
// CHECK-SAME: (%[[X:.*]]: memref<4x4xf32>, %[[Y:.*]]: memref<4xf32>)
// CHECK-NOT: bufferization.writable
// CHECK-COUNT-3: linalg.matvec
// CHECK-NOT: memref.copy
// CHECK: return
func.func @step(%x: tensor<4x4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.matvec ins(%x, %y : tensor<4x4xf32>, tensor<4xf32>)
                     outs(%f : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.matvec ins(%x, %0 : tensor<4x4xf32>, tensor<4xf32>)
                     outs(%f : tensor<4xf32>) -> tensor<4xf32>
  %n = ckpt.name %1 "n" : tensor<4xf32>
  %b = ckpt.barrier 0 %y after %n : tensor<4xf32> after tensor<4xf32>
  %2 = linalg.matvec ins(%x, %b : tensor<4x4xf32>, tensor<4xf32>)
                     outs(%f : tensor<4xf32>) -> tensor<4xf32>
  return %0, %n, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// The caller's arguments are not written.
// CHECK-LABEL: func.func @argument
// CHECK-SAME: (%[[X:.*]]: memref<4xf32>, %[[V:.*]]: memref<2xf32>)
// CHECK: %[[A:.*]] = memref.alloc() {alignment = 256 : i64}
// CHECK: linalg.copy ins(%[[X]] {{.*}} outs(%[[A]]
func.func @argument(%x: tensor<4xf32>, %v: tensor<2xf32>) -> tensor<4xf32> {
  %0 = tensor.insert_slice %v into %x[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A destination that is read later is copied; at its last use it is overwritten.
// CHECK-LABEL: func.func @destinations
// CHECK-SAME: (%[[X:.*]]: memref<4xf32>, %[[V:.*]]: memref<2xf32>)
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: linalg.exp ins(%[[X]] {{.*}} outs(%[[A]]
// CHECK: %[[B:.*]] = memref.alloc()
// CHECK: linalg.copy ins(%[[A]] {{.*}} outs(%[[B]]
// CHECK: %[[SB:.*]] = memref.subview %[[B]][1]
// CHECK: memref.copy %[[V]], %[[SB]]
// CHECK-NOT: memref.alloc
// CHECK: %[[SA:.*]] = memref.subview %[[A]][0]
// CHECK: memref.copy %[[V]], %[[SA]]
func.func @destinations(%x: tensor<4xf32>, %v: tensor<2xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = tensor.insert_slice %v into %0[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %2 = tensor.insert_slice %v into %0[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A view that is read later keeps its buffer from being overwritten.
// CHECK-LABEL: func.func @view_read_later
// CHECK: linalg.exp {{.*}} outs(%[[A:[a-z_0-9]+]] :
// CHECK: linalg.copy ins(%[[A]]
func.func @view_read_later(%x: tensor<4xf32>, %v: tensor<2xf32>)
    -> (tensor<4xf32>, tensor<2x2xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %e2 = tensor.empty() : tensor<2x2xf32>
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %w = tensor.expand_shape %0 [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %1 = tensor.insert_slice %v into %0[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %2 = linalg.exp ins(%w : tensor<2x2xf32>) outs(%e2 : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1, %2 : tensor<4xf32>, tensor<2x2xf32>
}

// -----

// With control flow, upstream's analysis decides.
// CHECK-LABEL: func.func @control_flow
// CHECK: scf.if
// CHECK: memref
func.func @control_flow(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = scf.if %c -> tensor<4xf32> {
    %1 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    %1 = linalg.tanh ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
