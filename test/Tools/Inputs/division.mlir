func.func @f(%x: tensor<64xi32>, %y: tensor<64xi32>, %z: tensor<64xi8>)
    -> (tensor<64xi32>, tensor<64xi32>, tensor<64xi8>) {
  %0 = arith.divsi %x, %y : tensor<64xi32>
  %1 = arith.remui %0, %y : tensor<64xi32>
  %2 = arith.remsi %z, %z : tensor<64xi8>
  return %0, %1, %2 : tensor<64xi32>, tensor<64xi32>, tensor<64xi8>
}
