// No op needs more than 1280 bytes at once, but whichever of %c and %d is made
// second is made beside the other one and the first dot product: 1792 bytes.
func.func @pairs() -> tensor<f32> {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<96xf32>
  %s = tensor.empty() : tensor<f32>
  %a = linalg.fill ins(%one : f32) outs(%e : tensor<96xf32>) -> tensor<96xf32>
  %b = linalg.fill ins(%two : f32) outs(%e : tensor<96xf32>) -> tensor<96xf32>
  %c = linalg.exp ins(%a : tensor<96xf32>) outs(%e : tensor<96xf32>) -> tensor<96xf32>
  %d = linalg.exp ins(%b : tensor<96xf32>) outs(%e : tensor<96xf32>) -> tensor<96xf32>
  %init = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %left = linalg.dot ins(%a, %b : tensor<96xf32>, tensor<96xf32>) outs(%init : tensor<f32>) -> tensor<f32>
  %right = linalg.dot ins(%c, %d : tensor<96xf32>, tensor<96xf32>) outs(%left : tensor<f32>) -> tensor<f32>
  return %right : tensor<f32>
}
