// RUN: ckpt-opt %s -split-input-file -ckpt-normalize-step | FileCheck %s

// CHECK-LABEL: func.func @returned
// CHECK: %[[A:.*]] = linalg.copy ins(%arg0
// CHECK: return %[[S:.*]], %[[C:.*]], %[[A]], %[[L:.*]]
func.func @returned(%x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) {
  %0 = math.exp %x : tensor<4xf32>
  %1 = tensor.extract_slice %0[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  return %0, %0, %x, %1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
}

// -----

// A reshaped buffer is returned as it is.
// CHECK-LABEL: func.func @reshaped
// CHECK-NOT: linalg.copy
// CHECK: return
func.func @reshaped(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %0 = math.exp %x : tensor<4xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 2]
      : tensor<4xf32> into tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// -----

// CHECK-LABEL: func.func @collapsed_slice
// CHECK: %[[S:.*]] = tensor.extract_slice
// CHECK: %[[C:.*]] = linalg.copy ins(%[[S]]
// CHECK: tensor.collapse_shape %[[C]]
func.func @collapsed_slice(%x: tensor<4x4xf32>) -> tensor<8xf32> {
  %0 = math.exp %x : tensor<4x4xf32>
  %1 = tensor.extract_slice %0[0, 0] [4, 2] [1, 1] : tensor<4x4xf32> to tensor<4x2xf32>
  %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<4x2xf32> into tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// CHECK-LABEL: func.func @scalars
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %arg0[2] [1] [1] : tensor<4xf32> to tensor<f32>
// CHECK: %[[ROOT:.*]] = linalg.generic {{.*}} ins(%[[SLICE]] : tensor<f32>)
// CHECK:   math.sqrt
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[ROOT]] : tensor<4xf32>, tensor<f32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[R:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:   arith.divf %[[A]], %[[R]]
func.func @scalars(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<1xf32>) {
  %c2 = arith.constant 2 : index
  %s = tensor.extract %x[%c2] : tensor<4xf32>
  %r = math.sqrt %s : f32
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %2 = arith.divf %a, %r : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  // CHECK: tensor.expand_shape %[[ROOT]] [] output_shape [1] : tensor<f32> into tensor<1xf32>
  %1 = tensor.from_elements %r : tensor<1xf32>
  return %0, %1 : tensor<4xf32>, tensor<1xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @destinations
// CHECK: %[[E:.*]] = tensor.empty
// CHECK: linalg.generic {{.*}} outs(%[[E]]
// CHECK: %[[F:.*]] = linalg.fill
// CHECK: linalg.matvec {{.*}} outs(%[[F]]
func.func @destinations(%x: tensor<4xf32>, %m: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %2 = arith.mulf %a, %a : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  %1 = linalg.matvec ins(%m, %x : tensor<4x4xf32>, tensor<4xf32>)
                     outs(%zero : tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @softmax
// CHECK-NOT: linalg.softmax
// CHECK: return
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>)
                                   outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Aggregates on buffers and elements that are not there stay as they are.
// CHECK-LABEL: func.func @buffers
// CHECK: linalg.softmax
func.func @buffers(%x: memref<4x4xf32>, %y: memref<4x4xf32>) {
  linalg.softmax dimension(1) ins(%x : memref<4x4xf32>) outs(%y : memref<4x4xf32>)
  return
}

// CHECK-LABEL: func.func @outside
// CHECK: tensor.extract %{{.*}}[%{{.*}}] : tensor<4xf32>
func.func @outside(%x: tensor<4xf32>) -> tensor<1xf32> {
  %c4 = arith.constant 4 : index
  %s = tensor.extract %x[%c4] : tensor<4xf32>
  %0 = tensor.from_elements %s : tensor<1xf32>
  return %0 : tensor<1xf32>
}

// CHECK-LABEL: func.func @encoding
// CHECK: linalg.copy {{.*}} -> tensor<4xf32, 1 : i32>
func.func @encoding(%x: tensor<4xf32, 1 : i32>) -> tensor<4xf32, 1 : i32> {
  return %x : tensor<4xf32, 1 : i32>
}

// CHECK-LABEL: func.func @poison
// CHECK: tensor.empty() : tensor<4xf32>
// CHECK-NOT: ub.poison
func.func @poison(%x: tensor<4xf32>) -> tensor<4xf32> {
  %p = ub.poison : tensor<4xf32>
  %0 = arith.addf %x, %p : tensor<4xf32>
  return %0 : tensor<4xf32>
}
