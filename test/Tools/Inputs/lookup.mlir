// Rows of a table, each index guarded as front ends guard it.
func.func @loss(%table: tensor<4x8xf32>, %rows: tensor<3xi64>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %c4 = arith.constant 4 : i64
  %e = tensor.empty() : tensor<3x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<3xi64>) outs(%e : tensor<3x8xf32>) {
  ^bb0(%row: i64, %unused: f32):
    %in = arith.cmpi ult, %row, %c4 : i64
    cf.assert %in, "index must be smaller than dim size"
    %i = arith.index_cast %row : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%i, %j] : tensor<4x8xf32>
    linalg.yield %v : f32
  } -> tensor<3x8xf32>
  %es = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%es : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
                          iterator_types = ["reduction", "reduction"]}
      ins(%0 : tensor<3x8xf32>) outs(%init : tensor<f32>) {
  ^bb0(%v: f32, %sum: f32):
    %s = arith.mulf %v, %v : f32
    %n = arith.addf %sum, %s : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  return %loss : tensor<f32>
}
