// RUN: ckpt-opt %s -ckpt-differentiate -split-input-file | FileCheck %s

// A loop over the rows of the table; the columns need none. The assertion stays
// in the forward op alone.

func.func private @f(%t: tensor<5x3xf32>, %n: tensor<4xi64>) -> f32 {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : i64
  %e = tensor.empty() : tensor<4x3xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%n : tensor<4xi64>) outs(%e : tensor<4x3xf32>) {
  ^bb0(%k: i64, %o: f32):
    %c = arith.cmpi slt, %k, %c5 : i64
    cf.assert %c, "index out of range"
    %l = arith.index_cast %k : i64 to index
    %j = linalg.index 1 : index
    %x = tensor.extract %t[%l, %j] : tensor<5x3xf32>
    linalg.yield %x : f32
  } -> tensor<4x3xf32>
  %y = tensor.extract %r[%c0, %c0] : tensor<4x3xf32>
  return %y : f32
}

// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[TABLE:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[T:.*]]: tensor<5x3xf32>, %[[N:.*]]: tensor<4xi64>)
// CHECK:         cf.assert
// CHECK-NOT:     cf.assert
// CHECK:         %[[Z:.*]] = linalg.fill {{.*}} -> tensor<5x3xf32>
// CHECK:         %[[D:.*]] = linalg.generic
// CHECK-SAME:      indexing_maps = [#[[ROW]], #[[OUT]], #[[TABLE]]], iterator_types = ["reduction", "parallel", "parallel"]
// CHECK-SAME:      ins(%[[N]], %{{.*}} : tensor<4xi64>, tensor<4x3xf32>) outs(%[[Z]] : tensor<5x3xf32>)
// CHECK-NEXT:    ^bb0(%[[K:.*]]: i64, %[[G:.*]]: f32, %[[O:.*]]: f32):
// CHECK-NEXT:      %[[L:.*]] = arith.index_cast %[[K]]
// CHECK-NEXT:      %[[R:.*]] = linalg.index 2
// CHECK-NEXT:      %[[IS:.*]] = arith.cmpi eq, %[[L]], %[[R]]
// CHECK-NEXT:      %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NEXT:      %[[S:.*]] = arith.select %[[IS]], %[[G]], %[[ZERO]]
// CHECK-NEXT:      %[[A:.*]] = arith.addf %[[O]], %[[S]]
// CHECK-NEXT:      linalg.yield %[[A]]
// CHECK:         return %{{.*}}, %[[D]]
func.func @rows(%t: tensor<5x3xf32>, %n: tensor<4xi64>) -> (f32, tensor<5x3xf32>) {
  %r:2 = ckpt.value_and_grad @f(%t, %n) wrt [0] : (tensor<5x3xf32>, tensor<4xi64>) -> (f32, tensor<5x3xf32>)
  return %r#0, %r#1 : f32, tensor<5x3xf32>
}

// -----

// A permutation by loops needs no further loop and no sum.

func.func private @f(%t: tensor<5x3xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<3x5xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<3x5xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %x = tensor.extract %t[%j, %i] : tensor<5x3xf32>
    linalg.yield %x : f32
  } -> tensor<3x5xf32>
  %y = tensor.extract %r[%c0, %c0] : tensor<3x5xf32>
  return %y : f32
}

// CHECK-LABEL: func.func @permutation(
// CHECK:         tensor.extract {{.*}}[{{.*}}] : tensor<3x5xf32>
// CHECK:         %[[G:[0-9]+]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<3x5xf32>)
// CHECK-NOT:     linalg.fill
// CHECK:         %[[D:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[G]] : tensor<3x5xf32>) outs(%{{.*}} : tensor<5x3xf32>)
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      linalg.yield %[[X]]
// CHECK:         return %{{.*}}, %[[D]]
func.func @permutation(%t: tensor<5x3xf32>) -> (f32, tensor<5x3xf32>) {
  %r:2 = ckpt.value_and_grad @f(%t) wrt [0] : (tensor<5x3xf32>) -> (f32, tensor<5x3xf32>)
  return %r#0, %r#1 : f32, tensor<5x3xf32>
}
