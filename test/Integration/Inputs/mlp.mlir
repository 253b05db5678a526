// Eight layers tanh(x w), the sum of squares as loss, and its gradients.
#id = affine_map<(d0, d1) -> (d0, d1)>

func.func @step(%x: tensor<16x32xf32>, %w0: tensor<32x32xf32>, %w1: tensor<32x32xf32>, %w2: tensor<32x32xf32>, %w3: tensor<32x32xf32>, %w4: tensor<32x32xf32>, %w5: tensor<32x32xf32>, %w6: tensor<32x32xf32>, %w7: tensor<32x32xf32>)
    -> (tensor<f32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) {
  %r:9 = ckpt.value_and_grad @loss(%x, %w0, %w1, %w2, %w3, %w4, %w5, %w6, %w7) wrt [1, 2, 3, 4, 5, 6, 7, 8]
      : (tensor<16x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> (tensor<f32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7, %r#8 : tensor<f32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
}

func.func private @loss(%x: tensor<16x32xf32>, %w0: tensor<32x32xf32>, %w1: tensor<32x32xf32>, %w2: tensor<32x32xf32>, %w3: tensor<32x32xf32>, %w4: tensor<32x32xf32>, %w5: tensor<32x32xf32>, %w6: tensor<32x32xf32>, %w7: tensor<32x32xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %m0 = linalg.matmul ins(%x, %w0 : tensor<16x32xf32>, tensor<32x32xf32>) outs(%z : tensor<16x32xf32>) -> tensor<16x32xf32>
  %t0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m0 : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %s = math.tanh %v : f32
    linalg.yield %s : f32
  } -> tensor<16x32xf32>
  %m1 = linalg.matmul ins(%t0, %w1 : tensor<16x32xf32>, tensor<32x32xf32>) outs(%z : tensor<16x32xf32>) -> tensor<16x32xf32>
  %t1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m1 : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %s = math.tanh %v : f32
    linalg.yield %s : f32
  } -> tensor<16x32xf32>
  %m2 = linalg.matmul ins(%t1, %w2 : tensor<16x32xf32>, tensor<32x32xf32>) outs(%z : tensor<16x32xf32>) -> tensor<16x32xf32>
  %t2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m2 : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %s = math.tanh %v : f32
    linalg.yield %s : f32
  } -> tensor<16x32xf32>
  %m3 = linalg.matmul ins(%t2, %w3 : tensor<16x32xf32>, tensor<32x32xf32>) outs(%z : tensor<16x32xf32>) -> tensor<16x32xf32>
  %t3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m3 : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %s = math.tanh %v : f32
    linalg.yield %s : f32
  } -> tensor<16x32xf32>
  %m4 = linalg.matmul ins(%t3, %w4 : tensor<16x32xf32>, tensor<32x32xf32>) outs(%z : tensor<16x32xf32>) -> tensor<16x32xf32>
  %t4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m4 : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %s = math.tanh %v : f32
    linalg.yield %s : f32
  } -> tensor<16x32xf32>
  %m5 = linalg.matmul ins(%t4, %w5 : tensor<16x32xf32>, tensor<32x32xf32>) outs(%z : tensor<16x32xf32>) -> tensor<16x32xf32>
  %t5 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m5 : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %s = math.tanh %v : f32
    linalg.yield %s : f32
  } -> tensor<16x32xf32>
  %m6 = linalg.matmul ins(%t5, %w6 : tensor<16x32xf32>, tensor<32x32xf32>) outs(%z : tensor<16x32xf32>) -> tensor<16x32xf32>
  %t6 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m6 : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %s = math.tanh %v : f32
    linalg.yield %s : f32
  } -> tensor<16x32xf32>
  %m7 = linalg.matmul ins(%t6, %w7 : tensor<16x32xf32>, tensor<32x32xf32>) outs(%z : tensor<16x32xf32>) -> tensor<16x32xf32>
  %t7 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m7 : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %s = math.tanh %v : f32
    linalg.yield %s : f32
  } -> tensor<16x32xf32>
  %es = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%es : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%t7 : tensor<16x32xf32>) outs(%init : tensor<f32>) {
  ^bb0(%v: f32, %sum: f32):
    %p = arith.mulf %v, %v : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %loss : tensor<f32>
}
