// RUN: ckpt-opt %s -ckpt-differentiate -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// Adjoints keep the scopes of their forward ops, within "gradient"; regions and
// call sites stay visible.

func.func private @square(%a: f32) -> f32 {
  %y = arith.mulf %a, %a : f32 loc("layer/square")
  return %y : f32
}
func.func private @f(%a: f32) -> f32 {
  %0 = math.sin %a : f32 loc("layer/sin")
  %1 = ckpt.region "block" {
    %2 = math.exp %0 : f32 loc("layer/exp")
    ckpt.yield %2 : f32
  } : f32
  %3 = func.call @square(%1) : (f32) -> f32 loc("layer/call")
  return %3 : f32
}

// CHECK-LABEL: func.func @step
// CHECK:         math.sin {{.*}} loc("layer/sin")
// CHECK:         math.exp {{.*}} loc(fused<#ckpt.scope<"block">>["layer/exp"])
// CHECK:         arith.mulf {{.*}} loc(callsite("layer/square" at "layer/call"))
// CHECK:         arith.mulf {{.*}} loc("gradient"(callsite("layer/square" at "layer/call")))
// CHECK:         arith.mulf {{.*}} loc("gradient"(fused<#ckpt.scope<"block">>["layer/exp"]))
// CHECK:         math.cos {{.*}} loc("gradient"("layer/sin"))
func.func @step(%x: f32) -> (f32, f32) {
  %r:2 = ckpt.value_and_grad @f(%x) wrt [0] : (f32) -> (f32, f32)
  return %r#0, %r#1 : f32, f32
}
