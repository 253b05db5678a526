// RUN: ckpt-opt %s -split-input-file -ckpt-plan=solver=policy | FileCheck %s
// RUN: ckpt-opt %s -split-input-file -ckpt-plan=solver=none | FileCheck %s --check-prefix=NONE

// The first result is the loss: what it depends on is the forward pass. The
// policy drops %a and %b; each runs again just before the backward op that needs
// it, and what has been recomputed stays until its last use.

// CHECK-LABEL: func.func @policy
// CHECK-SAME: #ckpt.plan<solver = "policy", order = [0 to 3, 0 to 1, 4 to 5], peak = 1024, store_all_peak = 1024>
// NONE-LABEL: func.func @policy
// NONE-SAME: #ckpt.plan<solver = "none", order = [0 to 5], peak = 1024, store_all_peak = 1024>
func.func @policy(%x: tensor<64xf32>) -> (tensor<f32>, tensor<64xf32>)
    attributes {ckpt.policy = #ckpt.policy<[<prefer recompute label "drop*">]>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %s = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  // CHECK: linalg.exp {ckpt.op = 0 : i64}
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %an = ckpt.name %a "drop_a" : tensor<64xf32>
  // CHECK: linalg.tanh {ckpt.op = 1 : i64}
  %b = linalg.tanh ins(%an : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %bn = ckpt.name %b "drop_b" : tensor<64xf32>
  // CHECK: linalg.square {ckpt.op = 2 : i64}
  %c = linalg.square ins(%bn : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  // CHECK: linalg.dot {ckpt.op = 3 : i64}
  %loss = linalg.dot ins(%c, %c : tensor<64xf32>, tensor<64xf32>) outs(%init : tensor<f32>) -> tensor<f32>
  // CHECK: linalg.mul {ckpt.op = 4 : i64}
  %d = linalg.mul ins(%bn, %c : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  // CHECK: linalg.mul {ckpt.op = 5 : i64}
  %g = linalg.mul ins(%an, %d : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %loss, %g : tensor<f32>, tensor<64xf32>
}

// -----

// Rules in order; kinds; an inner region's policy before the function's.
// CHECK-LABEL: func.func @rules
// CHECK-SAME: order = [0 to 3, 0, 4]
func.func @rules(%x: tensor<64xf32>) -> (tensor<f32>, tensor<64xf32>)
    attributes {ckpt.policy = #ckpt.policy<[<must save op "linalg.tanh">,
                                            <prefer recompute kind "elementwise">]>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %s = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = linalg.tanh ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %c = linalg.square ins(%b : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
      loc(fused<#ckpt.scope<"r", policy = <[], default = save>>>["square"])
  %loss = linalg.dot ins(%c, %b : tensor<64xf32>, tensor<64xf32>) outs(%init : tensor<f32>) -> tensor<f32>
  %g = linalg.mul ins(%a, %c : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %loss, %g : tensor<f32>, tensor<64xf32>
}

// -----

// By scopes of a front end, wherever they are in a location; ops of the backward
// pass are not matched.
// CHECK-LABEL: func.func @scopes
// CHECK-SAME: order = [0 to 2, 1, 3 to 4]
func.func @scopes(%x: tensor<64xf32>) -> (tensor<f32>, tensor<64xf32>)
    attributes {ckpt.policy = #ckpt.policy<[<prefer recompute location "*/attn/*">], default = save>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %s = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
      loc("jit(f)/layer0/mlp/exp")
  %b = linalg.tanh ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
      loc(callsite("jit(f)/layer0/attn/tanh"("model.py":3:4) at "main"))
  %loss = linalg.dot ins(%b, %a : tensor<64xf32>, tensor<64xf32>) outs(%init : tensor<f32>) -> tensor<f32>
  %d = linalg.mul ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
      loc("gradient"("jit(f)/layer0/attn/mul"))
  %g = linalg.mul ins(%a, %d : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %loss, %g : tensor<f32>, tensor<64xf32>
}
