// RUN: ckpt-opt %s -split-input-file -verify-diagnostics -ckpt-materialize

// expected-error @+1 {{the plan runs op number 3, which no op has}}
func.func @no_such_op(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {ckpt.plan = #ckpt.plan<solver = "hand", order = [0, 3]>} {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp {ckpt.op = 0 : i64} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @no_number(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {ckpt.plan = #ckpt.plan<solver = "hand", order = [0]>} {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @+1 {{has no number ('ckpt.op'), but the function has a plan}}
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @same_number(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {ckpt.plan = #ckpt.plan<solver = "hand", order = [0]>} {
  %e = tensor.empty() : tensor<4xf32>
  // expected-note @+1 {{the other op}}
  %0 = linalg.exp {ckpt.op = 0 : i64} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{has the number 0 of another op}}
  %1 = linalg.exp {ckpt.op = 0 : i64} ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @order(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {ckpt.plan = #ckpt.plan<solver = "hand", order = [1, 0]>} {
  %e = tensor.empty() : tensor<4xf32>
  // expected-note @+1 {{that op}}
  %0 = linalg.exp {ckpt.op = 0 : i64} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{runs in the plan before an op whose result it reads}}
  %1 = linalg.exp {ckpt.op = 1 : i64} ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @never(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {ckpt.plan = #ckpt.plan<solver = "hand", order = []>} {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @+1 {{never runs in the plan}}
  %0 = linalg.exp {ckpt.op = 0 : i64} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func private @unknown(tensor<4xf32>) -> tensor<4xf32>
func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {ckpt.plan = #ckpt.plan<solver = "hand", order = [0, 0, 1]>} {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @+1 {{runs twice in the plan, but running it again could be observed}}
  %0 = func.call @unknown(%x) {ckpt.op = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.exp {ckpt.op = 1 : i64} ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
