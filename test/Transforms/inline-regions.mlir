// RUN: ckpt-opt %s -ckpt-inline-regions -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func.func @nested
func.func @nested(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[A:.*]] = math.exp %arg0 : tensor<4xf32> loc(fused<#ckpt.scope<"outer", policy = <[], default = recompute>>>["exp"])
  // CHECK-NEXT: %[[B:.*]] = math.tanh %[[A]] : tensor<4xf32> loc(fused<#ckpt.scope<"outer", policy = <[], default = recompute>>>[fused<#ckpt.scope<"inner">>["tanh"]])
  // CHECK-NEXT: return %[[B]]
  %0 = ckpt.region "outer" policy <[], default = recompute> {
    %1 = math.exp %x : tensor<4xf32> loc("exp")
    %2 = ckpt.region "inner" {
      %3 = math.tanh %1 : tensor<4xf32> loc("tanh")
      ckpt.yield %3 : tensor<4xf32>
    } : tensor<4xf32>
    ckpt.yield %2 : tensor<4xf32>
  } : tensor<4xf32>
  return %0 : tensor<4xf32>
}
