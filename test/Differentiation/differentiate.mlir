// RUN: ckpt-opt %s -ckpt-differentiate -split-input-file -allow-unregistered-dialect | FileCheck %s

// The forward ops, then the adjoint: a contraction for each operand.

func.func private @matmul(%w: tensor<4x3xf32>, %x: tensor<2x4xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = linalg.matmul ins(%x, %w : tensor<2x4xf32>, tensor<4x3xf32>) outs(%i : tensor<2x3xf32>) -> tensor<2x3xf32>
  %es = tensor.empty() : tensor<f32>
  %is = linalg.fill ins(%zero : f32) outs(%es : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%y : tensor<2x3xf32>) outs(%is : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %s : tensor<f32>
}

// CHECK-DAG: #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[KN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: func.func @step(
// CHECK-SAME:    %[[W:.*]]: tensor<4x3xf32>, %[[X:.*]]: tensor<2x4xf32>)
// CHECK:         linalg.matmul
// CHECK:         %[[LOSS:.*]] = linalg.generic
// CHECK:         arith.constant 1.000000e+00
// CHECK:         %[[SEED:.*]] = linalg.fill {{.*}} -> tensor<f32>
// CHECK:         %[[G:.*]] = linalg.generic {{.*}} ins(%[[SEED]] : tensor<f32>) outs({{.*}} : tensor<2x3xf32>)
// CHECK-NEXT:    ^bb0(%[[S:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      linalg.yield %[[S]]
// CHECK:         %[[ZERO:.*]] = linalg.fill {{.*}} -> tensor<4x3xf32>
// CHECK:         %[[DW:.*]] = linalg.generic
// CHECK-SAME:      indexing_maps = [#[[MK]], #[[MN]], #[[KN]]], iterator_types = ["reduction", "parallel", "parallel"]
// CHECK-SAME:      ins(%[[X]], %[[G]] : tensor<2x4xf32>, tensor<2x3xf32>) outs(%[[ZERO]] : tensor<4x3xf32>)
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[O:.*]]: f32):
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[B]], %[[A]]
// CHECK-NEXT:      %[[N:.*]] = arith.addf %[[O]], %[[P]]
// CHECK-NEXT:      linalg.yield %[[N]]
// CHECK-NOT:     linalg
// CHECK:         return %[[LOSS]], %[[DW]]
func.func @step(%w: tensor<4x3xf32>, %x: tensor<2x4xf32>) -> (tensor<f32>, tensor<4x3xf32>) {
  %loss, %dw = ckpt.value_and_grad @matmul(%w, %x) wrt [0] : (tensor<4x3xf32>, tensor<2x4xf32>) -> (tensor<f32>, tensor<4x3xf32>)
  return %loss, %dw : tensor<f32>, tensor<4x3xf32>
}

// -----

// An argument that the loss does not depend on; results after the loss.

func.func private @f(%a: f32, %b: tensor<3xf32>, %n: tensor<3xi32>) -> (f32, tensor<3xi32>) {
  %y = arith.mulf %a, %a : f32
  return %y, %n : f32, tensor<3xi32>
}

// CHECK-LABEL: func.func @unused(
// CHECK-SAME:    %[[A:.*]]: f32, %[[B:.*]]: tensor<3xf32>, %[[N:.*]]: tensor<3xi32>)
// CHECK:         %[[Y:.*]] = arith.mulf %[[A]], %[[A]]
// CHECK:         %[[ONE:.*]] = arith.constant 1.0
// CHECK:         %[[L:.*]] = arith.mulf %[[ONE]], %[[A]]
// CHECK:         %[[R:.*]] = arith.mulf %[[ONE]], %[[A]]
// CHECK:         %[[DA:.*]] = arith.addf %[[L]], %[[R]]
// CHECK:         %[[DB:.*]] = linalg.fill {{.*}} -> tensor<3xf32>
// CHECK:         return %[[Y]], %[[N]], %[[DB]], %[[DA]]
func.func @unused(%a: f32, %b: tensor<3xf32>, %n: tensor<3xi32>) -> (f32, tensor<3xi32>, tensor<3xf32>, f32) {
  %r:4 = ckpt.value_and_grad @f(%a, %b, %n) wrt [1, 0] : (f32, tensor<3xf32>, tensor<3xi32>) -> (f32, tensor<3xi32>, tensor<3xf32>, f32)
  return %r#0, %r#1, %r#2, %r#3 : f32, tensor<3xi32>, tensor<3xf32>, f32
}

// -----

// The same value for two arguments: each argument has a gradient of its own.

func.func private @f(%a: f32, %b: f32) -> f32 {
  %y = arith.divf %a, %b : f32
  return %y : f32
}

// CHECK-LABEL: func.func @sameOperand(
// CHECK-SAME:    %[[X:.*]]: f32)
// CHECK:         %[[Y:.*]] = arith.divf %[[X]], %[[X]]
// CHECK:         %[[ONE:.*]] = arith.constant 1.0
// CHECK:         %[[DA:.*]] = arith.divf %[[ONE]], %[[X]]
// CHECK:         %[[Q:.*]] = arith.divf %[[ONE]], %[[X]]
// CHECK:         %[[P:.*]] = arith.mulf %[[Q]], %[[Y]]
// CHECK:         %[[DB:.*]] = arith.negf %[[P]]
// CHECK:         return %[[Y]], %[[DA]], %[[DB]]
func.func @sameOperand(%x: f32) -> (f32, f32, f32) {
  %r:3 = ckpt.value_and_grad @f(%x, %x) wrt [0, 1] : (f32, f32) -> (f32, f32, f32)
  return %r#0, %r#1, %r#2 : f32, f32, f32
}

// -----

// Calls and regions are inlined; names and barriers are passed through.

func.func private @square(%a: f32) -> f32 {
  %y = arith.mulf %a, %a : f32
  return %y : f32
}
func.func private @f(%a: f32) -> f32 {
  %0 = ckpt.region "block" {
    %1 = func.call @square(%a) : (f32) -> f32
    %2 = ckpt.name %1 "squared" : f32
    ckpt.yield %2 : f32
  } : f32
  %3 = math.exp %0 : f32
  %4, %5 = ckpt.barrier 0 %3, %a : f32, f32
  %6 = arith.addf %4, %5 : f32
  return %6 : f32
}

// CHECK-LABEL: func.func @inlined(
// CHECK-SAME:    %[[X:.*]]: f32)
// CHECK-NOT:     call
// CHECK-NOT:     ckpt.region
// CHECK:         %[[S:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK:         %[[N:.*]] = ckpt.name %[[S]] "squared"
// CHECK:         %[[E:.*]] = math.exp %[[N]]
// CHECK:         ckpt.barrier
// CHECK:         arith.addf
// CHECK:         %[[ONE:.*]] = arith.constant 1.0
// CHECK:         arith.mulf %[[ONE]], %[[E]]
// CHECK:         return
func.func @inlined(%x: f32) -> (f32, f32) {
  %r:2 = ckpt.value_and_grad @f(%x) wrt [0] : (f32) -> (f32, f32)
  return %r#0, %r#1 : f32, f32
}

// -----

// A custom gradient: called with the arguments and the cotangents of the
// results, and inlined in the end. Here it scales by 7.

func.func private @clip(%a: f32, %n: i32) -> f32 attributes {ckpt.custom_gradient = @clip_vjp} {
  %y = math.floor %a : f32
  return %y : f32
}
func.func private @clip_vjp(%a: f32, %n: i32, %g: f32) -> f32 {
  %c = arith.constant 7.0 : f32
  %y = arith.mulf %g, %c : f32
  return %y : f32
}
func.func private @f(%a: f32, %n: i32) -> f32 {
  %0 = math.sin %a : f32
  %1 = call @clip(%0, %n) : (f32, i32) -> f32
  return %1 : f32
}

// CHECK-LABEL: func.func @custom(
// CHECK-SAME:    %[[X:.*]]: f32, %{{.*}}: i32)
// CHECK-NOT:     call
// CHECK:         math.sin %[[X]]
// CHECK:         %[[Y:.*]] = math.floor
// CHECK:         %[[ONE:.*]] = arith.constant 1.0
// CHECK:         %[[SEVEN:.*]] = arith.constant 7.0
// CHECK:         %[[G:.*]] = arith.mulf %[[ONE]], %[[SEVEN]]
// CHECK:         %[[C:.*]] = math.cos %[[X]]
// CHECK:         %[[D:.*]] = arith.mulf %[[G]], %[[C]]
// CHECK:         return %[[Y]], %[[D]]
func.func @custom(%x: f32, %n: i32) -> (f32, f32) {
  %r:2 = ckpt.value_and_grad @f(%x, %n) wrt [0] : (f32, i32) -> (f32, f32)
  return %r#0, %r#1 : f32, f32
}

// -----

// A function that asks for gradients itself is expanded first: d/dx (d/dx x^3).

func.func private @cube(%a: f32) -> f32 {
  %0 = arith.mulf %a, %a : f32
  %1 = arith.mulf %0, %a : f32
  return %1 : f32
}
// CHECK-LABEL: func.func private @slope(
// CHECK-NOT:     ckpt.value_and_grad
func.func private @slope(%a: f32) -> f32 {
  %r:2 = ckpt.value_and_grad @cube(%a) wrt [0] : (f32) -> (f32, f32)
  return %r#1 : f32
}
// CHECK-LABEL: func.func @second(
// CHECK-NOT:     ckpt.value_and_grad
// CHECK:         return
func.func @second(%x: f32) -> (f32, f32) {
  %r:2 = ckpt.value_and_grad @slope(%x) wrt [0] : (f32) -> (f32, f32)
  return %r#0, %r#1 : f32, f32
}

// -----

// Outside of functions, too.

func.func private @f(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  return %0 : f32
}
// CHECK:      %[[C:.*]] = arith.constant 2.0
// CHECK-NEXT: %[[E:.*]] = math.exp %[[C]]
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1.0
// CHECK-NEXT: %[[G:.*]] = arith.mulf %[[ONE]], %[[E]]
// CHECK-NEXT: "test.use"(%[[E]], %[[G]])
%c = arith.constant 2.0 : f32
%r:2 = ckpt.value_and_grad @f(%c) wrt [0] : (f32) -> (f32, f32)
"test.use"(%r#0, %r#1) : (f32, f32) -> ()
