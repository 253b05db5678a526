// A whole training step: loss, gradients and update, planned together.
//
//   build/bin/ckpt-run examples/sgd-step.mlir --entry=step --wrt=none --plan=all --check
//
// `--wrt=none`: the entry asks for its gradients itself.

#id = affine_map<(d0, d1) -> (d0, d1)>

func.func @step(%w: tensor<64x64xf32>, %x: tensor<32x64xf32>)
    -> (tensor<f32>, tensor<64x64xf32>) {
  // The results of @loss, followed by the gradient for each argument in `wrt`.
  // The pass ckpt-differentiate replaces this op by their computation.
  %loss, %dw = ckpt.value_and_grad @loss(%w, %x) wrt [0]
      : (tensor<64x64xf32>, tensor<32x64xf32>) -> (tensor<f32>, tensor<64x64xf32>)

  // Stochastic gradient descent. The planner sees this op, too.
  %rate = arith.constant 0.01 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %new = linalg.generic {indexing_maps = [#id, #id, #id],
                         iterator_types = ["parallel", "parallel"]}
      ins(%w, %dw : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%weight: f32, %gradient: f32, %unused: f32):
    %d = arith.mulf %rate, %gradient : f32
    %n = arith.subf %weight, %d : f32
    linalg.yield %n : f32
  } -> tensor<64x64xf32>
  return %loss, %new : tensor<f32>, tensor<64x64xf32>
}

func.func private @loss(%w: tensor<64x64xf32>, %x: tensor<32x64xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<32x64xf32>, tensor<64x64xf32>)
                     outs(%z : tensor<32x64xf32>) -> tensor<32x64xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %t = math.tanh %v : f32
    linalg.yield %t : f32
  } -> tensor<32x64xf32>
  %2 = linalg.matmul ins(%1, %w : tensor<32x64xf32>, tensor<64x64xf32>)
                     outs(%z : tensor<32x64xf32>) -> tensor<32x64xf32>
  %es = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%es : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> ()>],
                          iterator_types = ["reduction", "reduction"]}
      ins(%2 : tensor<32x64xf32>) outs(%init : tensor<f32>) {
  ^bb0(%v: f32, %sum: f32):
    %s = arith.mulf %v, %v : f32
    %n = arith.addf %sum, %s : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  return %loss : tensor<f32>
}
