// RUN: ckpt-opt %s -split-input-file -verify-diagnostics -ckpt-plan=solver=policy

func.func private @unknown(tensor<4xf32>) -> tensor<4xf32>
func.func @effects(%x: tensor<4xf32>, %i: tensor<f32>) -> tensor<f32>
    attributes {ckpt.policy = #ckpt.policy<[<must recompute op "func.call">]>} {
  // expected-error @+1 {{cannot be recomputed, as #ckpt.rule<must recompute op "func.call"> demands}}
  %0 = func.call @unknown(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.dot ins(%0, %0 : tensor<4xf32>, tensor<4xf32>) outs(%i : tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

func.func @dynamic(%x: tensor<4xf32>, %n: index) -> tensor<?xf32> {
  // expected-error @+1 {{'tensor.generate' op result 0 of type 'tensor<?xf32>' has no static size: planning needs static shapes}}
  %0 = tensor.generate %n {
  ^bb0(%i: index):
    %c = arith.constant 1.0 : f32
    tensor.yield %c : f32
  } : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error @+1 {{argument 0 has no static size}}
func.func @dynamic_argument(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{must have a body of one block}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{target specification: "ckpt.peak_f32" must be a positive number}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "GPU" = #dlti.target_device_spec<"ckpt.peak_f32" = 0 : i64>>} {
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// expected-error @+1 {{target specification: unknown key "ckpt.peak_f31"}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "GPU" = #dlti.target_device_spec<"ckpt.peak_f31" = 1 : i64>>} {
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// expected-error @below {{takes and returns more bytes than can be counted}}
func.func @large(%x: tensor<4611686018427387904xi8>) -> tensor<4611686018427387904xi8> {
  return %x : tensor<4611686018427387904xi8>
}

// -----

// expected-error @below {{argument 0 has no static size}}
func.func @unranked(%x: tensor<*xf32>) {
  return
}
