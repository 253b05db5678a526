// RUN: ckpt-opt %s -split-input-file -verify-diagnostics -ckpt-verify-plan

// A recomputation that something merged with the original.
// expected-error @+1 {{op number 0 runs 1 fewer times than the plan's 2}}
func.func @merged(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
    attributes {ckpt.plan = #ckpt.plan<solver = "hand", order = [0, 1, 0, 2], peak = 256>} {
  %e = tensor.empty() : tensor<64xf32>
  // expected-note @+1 {{it runs here}}
  %0 = linalg.exp {ckpt.op = 0 : i64} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %1 = linalg.exp {ckpt.op = 1 : i64} ins(%0 : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %2 = linalg.tanh {ckpt.op = 2 : i64} ins(%0 : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %1, %2 : tensor<64xf32>, tensor<64xf32>
}

// -----

func.func @too_often(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
    attributes {ckpt.plan = #ckpt.plan<solver = "hand", order = [0], peak = 0>} {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.exp {ckpt.op = 0 : i64} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  // expected-error @+1 {{number 0 runs more often than the plan says (1)}}
  %1 = linalg.exp {ckpt.op = 0 : i64} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}

// -----

func.func @unknown_op(%x: tensor<64xf32>) -> tensor<64xf32>
    attributes {ckpt.plan = #ckpt.plan<solver = "hand", order = [], peak = 0>} {
  %e = tensor.empty() : tensor<64xf32>
  // expected-error @+1 {{is not in the plan: it has no number}}
  %0 = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// expected-error @+1 {{allocates 512 bytes at its peak, not the 256 of its plan}}
func.func @peak(%x: tensor<64xf32>) -> tensor<64xf32>
    attributes {ckpt.plan = #ckpt.plan<solver = "hand", order = [0 to 2], peak = 256>} {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.exp {ckpt.op = 0 : i64} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  // expected-note @+1 {{the peak is here}}
  %1 = linalg.tanh {ckpt.op = 1 : i64} ins(%0 : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %2 = linalg.mul {ckpt.op = 2 : i64} ins(%0, %1 : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %2 : tensor<64xf32>
}

// -----

// expected-error @+1 {{the plan is not materialised: it records no peak}}
func.func @not_materialized() attributes {
    ckpt.plan = #ckpt.plan<solver = "hand", order = []>} {
  return
}

// -----

// expected-error @below {{allocates 0 bytes at its peak, not the 1 of its plan}}
func.func @nothing() attributes {ckpt.plan = #ckpt.plan<solver = "hand", order = [], peak = 1>} {
  return
}
