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
// CHECK: memref.copy %[[X]], %[[A]]
func.func @argument(%x: tensor<4xf32>, %v: tensor<2xf32>) -> tensor<4xf32> {
  %0 = tensor.insert_slice %v into %x[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %0 : tensor<4xf32>
}
