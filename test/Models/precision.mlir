// RUN: ckpt-opt %s -ckpt-differentiate -split-input-file | FileCheck %s

// A contraction of bf16 with sums in f32 has adjoints of the same kind, if the
// cotangent of its result was bf16: it is read as such, not its extension.

func.func private @f(%w: tensor<4x3xbf16>, %x: tensor<2x4xbf16>) -> bf16 {
  %i = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3xf32>
  %o = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = linalg.matmul ins(%x, %w : tensor<2x4xbf16>, tensor<4x3xbf16>) outs(%o : tensor<2x3xf32>) -> tensor<2x3xf32>
  %n = tensor.empty() : tensor<2x3xbf16>
  %z = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<2x3xf32>) outs(%n : tensor<2x3xbf16>) {
  ^bb0(%a: f32, %b: bf16):
    %0 = arith.truncf %a : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<2x3xbf16>
  %s = tensor.extract %z[%i, %i] : tensor<2x3xbf16>
  return %s : bf16
}

// CHECK-LABEL: func.func @contraction(
// CHECK-SAME:    %[[W:.*]]: tensor<4x3xbf16>, %[[X:.*]]: tensor<2x4xbf16>)
// CHECK:         tensor.extract
// CHECK:         %[[G:[0-9]+]] = linalg.generic {{.*}} outs({{.*}} : tensor<2x3xbf16>)
// CHECK:         linalg.generic {{.*}} iterator_types = ["reduction", "parallel", "parallel"]}
// CHECK-SAME:      ins(%[[X]], %[[G]] : tensor<2x4xbf16>, tensor<2x3xbf16>) outs(%{{.*}} : tensor<4x3xf32>)
// CHECK-NEXT:    ^bb0(%[[A:.*]]: bf16, %[[B:.*]]: bf16, %[[S:.*]]: f32):
// CHECK-NEXT:      %[[BW:.*]] = arith.extf %[[B]]
// CHECK-NEXT:      %[[AW:.*]] = arith.extf %[[A]]
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[BW]], %[[AW]]
// CHECK-NEXT:      %[[N:.*]] = arith.addf %[[S]], %[[P]]
// CHECK-NEXT:      linalg.yield %[[N]] : f32
// CHECK:         %[[DW:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<4x3xbf16>)
// CHECK:           arith.truncf
// CHECK:         return %{{.*}}, %[[DW]]
func.func @contraction(%w: tensor<4x3xbf16>, %x: tensor<2x4xbf16>) -> (bf16, tensor<4x3xbf16>) {
  %r:2 = ckpt.value_and_grad @f(%w, %x) wrt [0] : (tensor<4x3xbf16>, tensor<2x4xbf16>) -> (bf16, tensor<4x3xbf16>)
  return %r#0, %r#1 : bf16, tensor<4x3xbf16>
}

// -----

// The adjoint of a broadcast is a sum in f32, rounded once.

func.func private @f(%a: tensor<3xf16>) -> f16 {
  %i = arith.constant 0 : index
  %e = tensor.empty() : tensor<5x3xf16>
  %b = linalg.broadcast ins(%a : tensor<3xf16>) outs(%e : tensor<5x3xf16>) dimensions = [0]
  %s = tensor.extract %b[%i, %i] : tensor<5x3xf16>
  return %s : f16
}

// CHECK-LABEL: func.func @broadcast(
// CHECK:         %[[Z:.*]] = linalg.fill {{.*}} -> tensor<3xf32>
// CHECK:         %[[S:.*]] = linalg.generic {{.*}} outs(%[[Z]] : tensor<3xf32>)
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f16, %[[O:.*]]: f32):
// CHECK-NEXT:      %[[W:.*]] = arith.extf %[[A]] : f16 to f32
// CHECK-NEXT:      arith.addf %[[O]], %[[W]] : f32
// CHECK:         linalg.generic {{.*}} ins(%[[S]] : tensor<3xf32>) outs(%{{.*}} : tensor<3xf16>)
// CHECK:           arith.truncf %{{.*}} : f32 to f16
func.func @broadcast(%a: tensor<3xf16>) -> (f16, tensor<3xf16>) {
  %r:2 = ckpt.value_and_grad @f(%a) wrt [0] : (tensor<3xf16>) -> (f16, tensor<3xf16>)
  return %r#0, %r#1 : f16, tensor<3xf16>
}

// -----

// So is the sum of the contributions of several uses.

func.func private @f(%a: tensor<1xbf16>) -> bf16 {
  %i = arith.constant 0 : index
  %x = math.sin %a : tensor<1xbf16>
  %y = arith.mulf %a, %x : tensor<1xbf16>
  %z = arith.addf %y, %a : tensor<1xbf16>
  %s = tensor.extract %z[%i] : tensor<1xbf16>
  return %s : bf16
}

// CHECK-LABEL: func.func @uses(
// CHECK:         linalg.generic {{.*}} : tensor<1xbf16>, tensor<1xbf16>) outs(%{{.*}} : tensor<1xf32>)
// CHECK:         linalg.generic {{.*}} : tensor<1xf32>, tensor<1xbf16>) outs(%{{.*}} : tensor<1xf32>)
// CHECK:         %[[G:.*]] = linalg.generic {{.*}} : tensor<1xf32>) outs(%{{.*}} : tensor<1xbf16>)
// CHECK:         return %{{.*}}, %[[G]]
func.func @uses(%a: tensor<1xbf16>) -> (bf16, tensor<1xbf16>) {
  %r:2 = ckpt.value_and_grad @f(%a) wrt [0] : (tensor<1xbf16>) -> (bf16, tensor<1xbf16>)
  return %r#0, %r#1 : bf16, tensor<1xbf16>
}
