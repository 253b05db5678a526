func.func @f(%x: tensor<1048576x1048576x1048576xf32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<1048576x1048576x1048576xf32>)
                                    outs(%zero : tensor<f32>) dimensions = [0, 1, 2]
  return %0 : tensor<f32>
}
