// Either %a or %b may be recomputed to make room for the large values.
func.func @step(%x: tensor<64xf32>) -> (tensor<f32>, tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %large = tensor.empty() : tensor<4x64xf32>
  %s = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = linalg.tanh ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %c = linalg.add ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %u = linalg.broadcast ins(%c : tensor<64xf32>) outs(%large : tensor<4x64xf32>) dimensions = [0]
  %v = linalg.square ins(%u : tensor<4x64xf32>) outs(%large : tensor<4x64xf32>) -> tensor<4x64xf32>
  %loss = linalg.reduce { arith.addf } ins(%v : tensor<4x64xf32>) outs(%init : tensor<f32>) dimensions = [0, 1]
  %g = linalg.mul ins(%b, %c : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %h = linalg.mul ins(%a, %c : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %loss, %g, %h : tensor<f32>, tensor<64xf32>, tensor<64xf32>
}
