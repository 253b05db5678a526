// RUN: ckpt-opt %s -ckpt-differentiate -split-input-file | FileCheck %s

// The cotangents of slices that make up a tensor are concatenated, not added.

func.func private @f(%a: tensor<2x6xf32>) -> f32 {
  %i = arith.constant 0 : index
  %p = tensor.extract_slice %a[0, 0] [2, 1] [1, 1] : tensor<2x6xf32> to tensor<2x1xf32>
  %q = tensor.extract_slice %a[0, 1] [2, 3] [1, 1] : tensor<2x6xf32> to tensor<2x3xf32>
  %r = tensor.extract_slice %a[0, 4] [2, 2] [1, 1] : tensor<2x6xf32> to tensor<2x2xf32>
  %x = tensor.extract %p[%i, %i] : tensor<2x1xf32>
  %y = tensor.extract %q[%i, %i] : tensor<2x3xf32>
  %z = tensor.extract %r[%i, %i] : tensor<2x2xf32>
  %0 = arith.mulf %x, %y : f32
  %1 = arith.mulf %0, %z : f32
  return %1 : f32
}

// CHECK-LABEL: func.func @covering
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<2x2xf32>)
// CHECK:         %[[Q:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<2x3xf32>)
// CHECK:         %[[P:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<2x1xf32>)
// CHECK-NOT:     insert_slice
// CHECK:         %[[G:.*]] = tensor.concat dim(1) %[[P]], %[[Q]], %[[R]]
// CHECK:         return %{{.*}}, %[[G]]
func.func @covering(%a: tensor<2x6xf32>) -> (f32, tensor<2x6xf32>) {
  %r:2 = ckpt.value_and_grad @f(%a) wrt [0] : (tensor<2x6xf32>) -> (f32, tensor<2x6xf32>)
  return %r#0, %r#1 : f32, tensor<2x6xf32>
}

// -----

// Disjoint slices are inserted into the same zeros.

func.func private @f(%a: tensor<6xf32>) -> f32 {
  %i = arith.constant 0 : index
  %p = tensor.extract_slice %a[0] [2] [1] : tensor<6xf32> to tensor<2xf32>
  %q = tensor.extract_slice %a[3] [3] [1] : tensor<6xf32> to tensor<3xf32>
  %x = tensor.extract %p[%i] : tensor<2xf32>
  %y = tensor.extract %q[%i] : tensor<3xf32>
  %0 = arith.mulf %x, %y : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @disjoint
// CHECK:         %[[Z:.*]] = linalg.fill {{.*}} -> tensor<6xf32>
// CHECK:         %[[Q:.*]] = tensor.insert_slice %{{.*}} into %[[Z]][3] [3] [1]
// CHECK-NOT:     linalg.fill
// CHECK:         %[[P:.*]] = tensor.insert_slice %{{.*}} into %[[Q]][0] [2] [1]
// CHECK:         return %{{.*}}, %[[P]]
func.func @disjoint(%a: tensor<6xf32>) -> (f32, tensor<6xf32>) {
  %r:2 = ckpt.value_and_grad @f(%a) wrt [0] : (tensor<6xf32>) -> (f32, tensor<6xf32>)
  return %r#0, %r#1 : f32, tensor<6xf32>
}

// -----

// Those that overlap are added.

func.func private @f(%a: tensor<6xf32>) -> f32 {
  %i = arith.constant 0 : index
  %p = tensor.extract_slice %a[0] [4] [1] : tensor<6xf32> to tensor<4xf32>
  %q = tensor.extract_slice %a[3] [3] [1] : tensor<6xf32> to tensor<3xf32>
  %x = tensor.extract %p[%i] : tensor<4xf32>
  %y = tensor.extract %q[%i] : tensor<3xf32>
  %0 = arith.mulf %x, %y : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @overlapping
// CHECK:         %[[Q:.*]] = tensor.insert_slice
// CHECK:         %[[P:.*]] = tensor.insert_slice
// CHECK:         %[[G:.*]] = linalg.generic {{.*}} ins(%[[Q]], %[[P]] :
// CHECK:           arith.addf
// CHECK:         return %{{.*}}, %[[G]]
func.func @overlapping(%a: tensor<6xf32>) -> (f32, tensor<6xf32>) {
  %r:2 = ckpt.value_and_grad @f(%a) wrt [0] : (tensor<6xf32>) -> (f32, tensor<6xf32>)
  return %r#0, %r#1 : f32, tensor<6xf32>
}
