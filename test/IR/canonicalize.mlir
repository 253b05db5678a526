// RUN: ckpt-opt %s -cse -canonicalize -loop-invariant-code-motion -sccp | FileCheck %s

// A recomputation is not merged with the original, nor a constant seen through.
// CHECK-LABEL: func.func @holds
func.func @holds(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, f32) {
  %cst = arith.constant 2.0 : f32
  // CHECK: %[[C:.*]] = arith.constant
  // CHECK: %[[FIRST:.*]] = arith.negf %arg0
  %0 = arith.negf %x : tensor<4xf32>
  // CHECK: %[[B:.*]] = ckpt.barrier 0 %arg0 after %[[FIRST]]
  %1 = ckpt.barrier 0 %x after %0 : tensor<4xf32> after tensor<4xf32>
  // CHECK: %[[AGAIN:.*]] = arith.negf %[[B]]
  %2 = arith.negf %1 : tensor<4xf32>
  // CHECK: %[[BC:.*]] = ckpt.barrier 1 %[[C]]
  %3 = ckpt.barrier 1 %cst : f32
  // CHECK: %[[SUM:.*]] = arith.addf %[[BC]], %[[C]]
  %4 = arith.addf %3, %cst : f32
  // CHECK: return %[[FIRST]], %[[AGAIN]], %[[SUM]]
  return %0, %2, %4 : tensor<4xf32>, tensor<4xf32>, f32
}

// Two places are two barriers; the same place twice is one.
// CHECK-LABEL: func.func @places
func.func @places(%x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[A:.*]] = ckpt.barrier 0
  %0 = ckpt.barrier 0 %x : tensor<4xf32>
  // CHECK: %[[B:.*]] = ckpt.barrier 1
  %1 = ckpt.barrier 1 %x : tensor<4xf32>
  %2 = ckpt.barrier 1 %x : tensor<4xf32>
  // CHECK: return %[[A]], %[[B]], %[[B]]
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @unused
func.func @unused(%x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[B:.*]] = ckpt.barrier 0 %arg1 after %arg0 : tensor<8xf32>
  // CHECK-NEXT: return %[[B]]
  %0:2 = ckpt.barrier 0 %x, %y after %x
      : tensor<4xf32>, tensor<8xf32> after tensor<4xf32>
  %1 = ckpt.barrier 1 %x : tensor<4xf32>
  return %0#1 : tensor<8xf32>
}
