// RUN: ckpt-opt %s | ckpt-opt | FileCheck %s
// RUN: ckpt-opt %s --mlir-print-op-generic | ckpt-opt | FileCheck %s

// CHECK-LABEL: func.func @region
// CHECK-SAME: ckpt.policy = #ckpt.policy<[<must recompute kind "elementwise">], default = save>
func.func @region(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {ckpt.policy = #ckpt.policy<[<must recompute kind "elementwise">],
                                           default = save>} {
  // CHECK: ckpt.region "outer" policy <[<must save label "q*">, <prefer recompute location "*/attn/*">]>
  %0 = ckpt.region "outer" policy <[<must save label "q*">,
                                    <prefer recompute location "*/attn/*">]> {
    // CHECK: ckpt.region "inner" policy <[], default = recompute>
    %1 = ckpt.region "inner" policy <[], default = recompute> {
      // CHECK: ckpt.name %{{.*}} "query" : tensor<4xf32>
      %2 = ckpt.name %x "query" : tensor<4xf32>
      ckpt.yield %2 : tensor<4xf32>
    } : tensor<4xf32>
    // CHECK: ckpt.yield
    ckpt.yield %1 : tensor<4xf32>
  } : tensor<4xf32>
  // CHECK: ckpt.region "empty" {
  // CHECK-NEXT: }
  ckpt.region "empty" {
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @barrier
func.func @barrier(%a: tensor<4xf32>, %b: tensor<8xf32>, %g: tensor<2xf32>)
    -> (tensor<4xf32>, tensor<8xf32>) {
  // CHECK: %{{.*}}:2 = ckpt.barrier 3 %{{.*}}, %{{.*}} after %{{.*}} : tensor<4xf32>, tensor<8xf32> after tensor<2xf32>
  %0:2 = ckpt.barrier 3 %a, %b after %g
      : tensor<4xf32>, tensor<8xf32> after tensor<2xf32>
  // CHECK: ckpt.barrier 4 %{{.*}} : tensor<8xf32>
  %1 = ckpt.barrier 4 %0#1 : tensor<8xf32>
  return %0#0, %1 : tensor<4xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @value_and_grad
func.func @value_and_grad(%w: tensor<4xf32>, %n: tensor<i32>)
    -> (tensor<f32>, tensor<4xf32>) {
  // CHECK: %{{.*}}:2 = ckpt.value_and_grad @loss(%{{.*}}, %{{.*}}) wrt [0] : (tensor<4xf32>, tensor<i32>) -> (tensor<f32>, tensor<4xf32>)
  %0:2 = ckpt.value_and_grad @loss(%w, %n) wrt [0]
      : (tensor<4xf32>, tensor<i32>) -> (tensor<f32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<f32>, tensor<4xf32>
}
func.func @loss(%w: tensor<4xf32>, %n: tensor<i32>) -> tensor<f32> {
  %0 = arith.constant dense<0.0> : tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @planned
// CHECK-SAME: ckpt.plan = #ckpt.plan<solver = "sqrt", order = [0 to 2, 1, 3], peak = 32, store_all_peak = 64>
func.func @planned(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {ckpt.plan = #ckpt.plan<solver = "sqrt", order = [0, 1 to 2, 1, 3],
                                       store_all_peak = 64, peak = 32>} {
  // CHECK: ckpt.op = 0
  %0 = arith.negf %x {ckpt.op = 0 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @planned_by_hand
// CHECK-SAME: #ckpt.plan<solver = "hand", order = [2, 0 to 1]>
func.func @planned_by_hand() attributes {
    ckpt.plan = #ckpt.plan<solver = "hand", order = [2, 0, 1]>} {
  return
}
