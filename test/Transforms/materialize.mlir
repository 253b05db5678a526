// RUN: ckpt-opt %s -split-input-file -ckpt-materialize | FileCheck %s
// RUN: ckpt-opt %s -split-input-file -ckpt-materialize -cse -canonicalize -loop-invariant-code-motion -inline -sccp -symbol-dce -ckpt-verify-plan

// A plan written by hand: %a and %b run again before the gradient.
// CHECK-LABEL: func.func @again
// CHECK-SAME: (%[[X:.*]]: tensor<64xf32>)
// CHECK-SAME: order = [0 to 2, 0 to 1, 3], peak = 512, store_all_peak = 512
// CHECK: %[[A:.*]] = linalg.exp {ckpt.op = 0 : i64} ins(%[[X]]
// CHECK: %[[B:.*]] = linalg.tanh {ckpt.op = 1 : i64} ins(%[[A]]
// CHECK: %[[L:.*]] = linalg.dot {ckpt.op = 2 : i64} ins(%[[B]], %[[B]]
// CHECK: %[[XB:.*]] = ckpt.barrier 0 %[[X]] after %[[L]] : tensor<64xf32> after tensor<f32>
// CHECK: %[[A2:.*]] = linalg.exp {ckpt.op = 0 : i64} ins(%[[XB]]
// CHECK: %[[B2:.*]] = linalg.tanh {ckpt.op = 1 : i64} ins(%[[A2]]
// CHECK: %[[G:.*]] = linalg.mul {ckpt.op = 3 : i64} ins(%[[A2]], %[[B2]]
// CHECK: return %[[L]], %[[G]]
func.func @again(%x: tensor<64xf32>) -> (tensor<f32>, tensor<64xf32>)
    attributes {ckpt.plan = #ckpt.plan<solver = "hand", order = [0 to 2, 0 to 1, 3]>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %s = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %a = linalg.exp {ckpt.op = 0 : i64} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = linalg.tanh {ckpt.op = 1 : i64} ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %loss = linalg.dot {ckpt.op = 2 : i64} ins(%b, %b : tensor<64xf32>, tensor<64xf32>) outs(%init : tensor<f32>) -> tensor<f32>
  %g = linalg.mul {ckpt.op = 3 : i64} ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %loss, %g : tensor<f32>, tensor<64xf32>
}

// -----

// An op that runs three times; views are made anew on each copy; an op without
// inputs is guarded through its destination.
// CHECK-LABEL: func.func @thrice
// CHECK: %[[I:.*]] = linalg.generic {{.*}} outs(%{{.*}}) attrs = {ckpt.op = 0 : i64}
// CHECK: tensor.expand_shape %[[I]]
// CHECK: linalg.exp {ckpt.op = 1 : i64}
// CHECK: %[[E:.*]] = ckpt.barrier 0 %{{.*}} after
// CHECK: %[[I2:.*]] = linalg.generic {{.*}} outs(%[[E]]
// CHECK: %[[V2:.*]] = tensor.expand_shape %[[I2]]
// CHECK: linalg.tanh {ckpt.op = 2 : i64} ins(%[[V2]]
// CHECK: ckpt.barrier 1
// CHECK: %[[I3:.*]] = linalg.generic
// CHECK: %[[V3:.*]] = tensor.expand_shape %[[I3]]
// CHECK: linalg.mul {ckpt.op = 3 : i64} ins(%[[V3]]
#id = affine_map<(d0) -> (d0)>
func.func @thrice() -> tensor<8x8xf32>
    attributes {ckpt.plan = #ckpt.plan<solver = "hand", order = [0 to 1, 0, 2, 0, 3, 4]>} {
  %e1 = tensor.empty() : tensor<64xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]}
      outs(%e1 : tensor<64xf32>) attrs = {ckpt.op = 0 : i64} {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<64xf32>
  %v = tensor.expand_shape %0 [[0, 1]] output_shape [8, 8] : tensor<64xf32> into tensor<8x8xf32>
  %1 = linalg.exp {ckpt.op = 1 : i64} ins(%v : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = linalg.tanh {ckpt.op = 2 : i64} ins(%v : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = linalg.mul {ckpt.op = 3 : i64} ins(%v, %2 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = linalg.mul {ckpt.op = 4 : i64} ins(%3, %1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

// -----

// A plan may also reorder.
// CHECK-LABEL: func.func @reorder
// CHECK: linalg.tanh
// CHECK: linalg.exp
// CHECK: linalg.mul
func.func @reorder(%x: tensor<64xf32>) -> tensor<64xf32>
    attributes {ckpt.plan = #ckpt.plan<solver = "hand", order = [8, 7, 9]>} {
  %e = tensor.empty() : tensor<64xf32>
  %a = linalg.exp {ckpt.op = 7 : i64} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = linalg.tanh {ckpt.op = 8 : i64} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %c = linalg.mul {ckpt.op = 9 : i64} ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %c : tensor<64xf32>
}

// -----

// Any number that an op may have.
// CHECK-LABEL: func.func @large_number
// CHECK: linalg.exp {ckpt.op = 9223372036854775807 : i64}
func.func @large_number(%x: tensor<64xf32>) -> tensor<64xf32>
    attributes {ckpt.plan = #ckpt.plan<solver = "hand", order = [9223372036854775807]>} {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.exp {ckpt.op = 9223372036854775807 : i64}
      ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// What is constant is not planned.
// CHECK-LABEL: func.func @poison
// CHECK-SAME: order = [0]
// CHECK: ub.poison : tensor<64xf32>
func.func @poison(%x: tensor<64xf32>) -> tensor<64xf32>
    attributes {ckpt.plan = #ckpt.plan<solver = "hand", order = [0]>} {
  %p = ub.poison : tensor<64xf32>
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.add {ckpt.op = 0 : i64} ins(%x, %p : tensor<64xf32>, tensor<64xf32>)
      outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
