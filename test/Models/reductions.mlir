// RUN: ckpt-opt %s -ckpt-differentiate -split-input-file | FileCheck %s

// A maximum: the index of the first element that is equal to it, found beside
// it; in the backward pass the cotangent where the index is. The elements are
// not read there.

func.func private @f(%a: tensor<2x3xf32>) -> f32 {
  %i = arith.constant 0 : index
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2xf32>
  %l = linalg.fill ins(%low : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %m = linalg.reduce {arith.maximumf} ins(%a : tensor<2x3xf32>) outs(%l : tensor<2xf32>) dimensions = [1]
  %s = tensor.extract %m[%i] : tensor<2xf32>
  return %s : f32
}

// CHECK-LABEL: func.func @maximum(
// CHECK-SAME:    %[[A:.*]]: tensor<2x3xf32>)
// CHECK:         %[[M:.*]] = linalg.reduce
// CHECK:         %[[NONE:.*]] = arith.constant 3 : i32
// CHECK:         %[[INIT:.*]] = linalg.fill ins(%[[NONE]] {{.*}} -> tensor<2xi32>
// CHECK:         %[[N:[0-9]+]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[A]], %[[M]]
// CHECK-SAME:      outs(%[[INIT]]
// CHECK:           arith.cmpf oeq
// CHECK:           arith.minsi
// CHECK:         tensor.extract
// CHECK:         %[[G:[0-9]+]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2xf32>)
// CHECK:         %[[D:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[G]], %[[N]] : tensor<2xf32>, tensor<2xi32>)
// CHECK:           linalg.index 1
// CHECK:           %[[C:.*]] = arith.cmpi eq
// CHECK:           arith.select %[[C]]
// CHECK:         return %{{.*}}, %[[D]]
func.func @maximum(%a: tensor<2x3xf32>) -> (f32, tensor<2x3xf32>) {
  %r:2 = ckpt.value_and_grad @f(%a) wrt [0] : (tensor<2x3xf32>) -> (f32, tensor<2x3xf32>)
  return %r#0, %r#1 : f32, tensor<2x3xf32>
}

// -----

// A maximum with the index of the greatest element: one op, which reads the
// index and not the elements.

func.func private @f(%a: tensor<2x3xf32>, %v: tensor<2xf32>, %n: tensor<2xi64>) -> f32 {
  %c = arith.constant 0 : index
  %m:2 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<2x3xf32>) outs(%v, %n : tensor<2xf32>, tensor<2xi64>) {
  ^bb0(%x: f32, %o: f32, %p: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %0 = arith.maximumf %x, %o : f32
    %1 = arith.cmpf ogt, %x, %o : f32
    %2 = arith.select %1, %k, %p : i64
    linalg.yield %0, %2 : f32, i64
  } -> (tensor<2xf32>, tensor<2xi64>)
  %s = tensor.extract %m#0[%c] : tensor<2xf32>
  return %s : f32
}

// CHECK-LABEL: func.func @index(
// CHECK:         %[[M:.*]]:2 = linalg.generic
// CHECK:         tensor.extract
// CHECK:         %[[G:[0-9]+]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2xf32>)
// CHECK-NOT:     linalg.fill
// CHECK:         %[[D:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[G]], %[[M]]#1 : tensor<2xf32>, tensor<2xi64>)
// CHECK:           linalg.index 1
// CHECK:           arith.cmpi eq
// CHECK:           arith.select
// CHECK:         return %{{.*}}, %[[D]]
func.func @index(%a: tensor<2x3xf32>, %v: tensor<2xf32>, %n: tensor<2xi64>) -> (f32, tensor<2x3xf32>) {
  %r:2 = ckpt.value_and_grad @f(%a, %v, %n) wrt [0] : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xi64>) -> (f32, tensor<2x3xf32>)
  return %r#0, %r#1 : f32, tensor<2x3xf32>
}

// -----

// A product: the product of the other factors, without a division.

func.func private @f(%a: tensor<2x3xf32>, %b: tensor<2xf32>) -> f32 {
  %i = arith.constant 0 : index
  %m = linalg.reduce {arith.mulf} ins(%a : tensor<2x3xf32>) outs(%b : tensor<2xf32>) dimensions = [1]
  %s = tensor.extract %m[%i] : tensor<2xf32>
  return %s : f32
}

// CHECK-LABEL: func.func @product(
// CHECK-NOT:     divf
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK:           arith.cmpi eq
// CHECK:           arith.select
// CHECK:           arith.mulf
// CHECK-NOT:     divf
// CHECK:         return
func.func @product(%a: tensor<2x3xf32>, %b: tensor<2xf32>) -> (f32, tensor<2x3xf32>, tensor<2xf32>) {
  %r:3 = ckpt.value_and_grad @f(%a, %b) wrt [0, 1] : (tensor<2x3xf32>, tensor<2xf32>) -> (f32, tensor<2x3xf32>, tensor<2xf32>)
  return %r#0, %r#1, %r#2 : f32, tensor<2x3xf32>, tensor<2xf32>
}

// -----

// An elementwise op that reads its result reads the result tensor.

func.func private @f(%a: tensor<3xf32>) -> f32 {
  %i = arith.constant 0 : index
  %e = tensor.empty() : tensor<3xf32>
  %t = linalg.tanh ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %s = tensor.extract %t[%i] : tensor<3xf32>
  return %s : f32
}

// CHECK-LABEL: func.func @result(
// CHECK-SAME:    %[[A:.*]]: tensor<3xf32>)
// CHECK:         %[[T:.*]] = linalg.tanh ins(%[[A]]
// CHECK-NOT:     %[[A]]
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[T]] :
// CHECK:         return
func.func @result(%a: tensor<3xf32>) -> (f32, tensor<3xf32>) {
  %r:2 = ckpt.value_and_grad @f(%a) wrt [0] : (tensor<3xf32>) -> (f32, tensor<3xf32>)
  return %r#0, %r#1 : f32, tensor<3xf32>
}
