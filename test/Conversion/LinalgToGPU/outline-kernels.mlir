// RUN: ckpt-opt %s -ckpt-outline-kernels -split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// The offset of an arena buffer is in the launch, not in the kernel; both uses of
// the same op launch one kernel. Loops that memory sees as one are one.
// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME: %[[ARENA:.*]]: memref<4096xi8>, %[[X:.*]]: memref<8x16xf32>
// CHECK-DAG: %[[C1024:.*]] = arith.constant 1024 : index
// CHECK-DAG: %[[Y:.*]] = memref.view %[[ARENA]][%[[C1024]]][] : memref<4096xi8> to memref<128xf32>
// CHECK: gpu.launch_func @kernels::@elementwise_128xf32 blocks in (%[[C1:.*]], %[[C1]], %[[C1]]) threads in (%[[C32:.*]], %[[C1]], %[[C1]]) args(%{{.*}} : memref<128xf32>, %[[Y]] : memref<128xf32>)
// CHECK: gpu.launch_func @kernels::@elementwise_128xf32
// CHECK-NOT: gpu.launch_func
// CHECK: gpu.module @kernels
// CHECK: gpu.func @elementwise_128xf32(%[[IN:.*]]: memref<128xf32> {llvm.noalias, llvm.readonly}, %[[OUT:.*]]: memref<128xf32> {llvm.noalias}) kernel
// CHECK-NOT: scf.if
// CHECK: %[[V:.*]] = vector.load %[[IN]][%{{.*}}] {alignment = 16 : i64} : memref<128xf32>, vector<4xf32>
// CHECK: %[[E:.*]] = math.exp %[[V]] : vector<4xf32>
// CHECK: vector.store %[[E]], %[[OUT]][%{{.*}}] {alignment = 16 : i64}
// CHECK-NOT: gpu.func
func.func @elementwise(%arena: memref<4096xi8>, %x: memref<8x16xf32>, %z: memref<8x16xf32>) {
  %c1024 = arith.constant 1024 : index
  %y = memref.view %arena[%c1024][] : memref<4096xi8> to memref<8x16xf32>
  linalg.exp ins(%x : memref<8x16xf32>) outs(%y : memref<8x16xf32>)
  linalg.exp ins(%y : memref<8x16xf32>) outs(%z : memref<8x16xf32>)
  return
}

// -----

// A length that is no multiple of the vectors' has a scalar tail.
// CHECK-LABEL: gpu.func @copy_1030xf32
// CHECK: %[[TWO:.*]] = arith.cmpi ult
// CHECK: scf.if %[[TWO]] {
// CHECK: vector.load
// CHECK: } else {
// CHECK: memref.load
func.func @tail(%arena: memref<0xi8>, %x: memref<1030xf32>, %y: memref<1030xf32>) {
  memref.copy %x, %y : memref<1030xf32> to memref<1030xf32>
  return
}

// -----

// Addresses that are not aligned to 16 bytes are accessed in smaller vectors: the
// view starts at byte 8.
// CHECK-LABEL: gpu.func @copy_64xf32
// CHECK-SAME: memref<64xf32, strided<[1], offset: 2>>
// CHECK: vector.load %{{.*}} {alignment = 8 : i64} : memref<64xf32, strided<[1], offset: 2>>, vector<2xf32>
func.func @misaligned(%arena: memref<0xi8>, %x: memref<100xf32>, %y: memref<64xf32>) {
  %0 = memref.subview %x[2] [64] [1] : memref<100xf32> to memref<64xf32, strided<[1], offset: 2>>
  linalg.copy ins(%0 : memref<64xf32, strided<[1], offset: 2>>) outs(%y : memref<64xf32>)
  return
}

// -----

// The fill is the initial value; bf16 accumulates in f32, by shuffles.
// CHECK-LABEL: func.func @reduction
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT: gpu.launch_func
// CHECK: gpu.func @reduction_4x256xbf16
// CHECK: scf.for {{.*}} -> (vector<8xf32>)
// CHECK: arith.extf {{.*}} : vector<8xbf16> to vector<8xf32>
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK: %[[INIT:.*]] = arith.constant 1.000000e+00 : bf16
// CHECK: arith.truncf {{.*}} : f32 to bf16
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @reduction(%arena: memref<0xi8>, %x: memref<4x256xbf16>, %y: memref<4xbf16>) {
  %one = arith.constant 1.0 : bf16
  linalg.fill ins(%one : bf16) outs(%y : memref<4xbf16>)
  linalg.reduce {arith.addf} ins(%x : memref<4x256xbf16>) outs(%y : memref<4xbf16>) dimensions = [1]
  return
}

// -----

// The kept dimension is contiguous: neighbouring threads keep neighbouring
// columns, and lanes meet in shared memory.
// CHECK-LABEL: gpu.func @reduction_64x256xf32
// CHECK-SAME: workgroup(%{{.*}} : memref<{{.*}}xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.barrier
func.func @columns(%arena: memref<0xi8>, %x: memref<256x64xf32>, %y: memref<64xf32>) {
  linalg.reduce {arith.addf} ins(%x : memref<256x64xf32>) outs(%y : memref<64xf32>) dimensions = [0]
  return
}

// -----

// A product is recognised in a generic, whatever the layouts; both tiles are
// aligned for vector accesses.
// CHECK-LABEL: gpu.func @contraction_2x64x32x48xf32
// CHECK-SAME: workgroup(%{{.*}} {llvm.align = 16 : i64}, %{{.*}} {llvm.align = 16 : i64})
// CHECK: arith.extf
// CHECK: gpu.barrier
// CHECK: math.fma {{.*}} : vector
// CHECK: gpu.barrier
func.func @contraction(%arena: memref<0xi8>, %a: memref<48x2x64xbf16>,
                       %b: memref<2x32x48xbf16>, %c: memref<2x64x32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (k, b, m)>,
                                   affine_map<(b, m, n, k) -> (b, n, k)>,
                                   affine_map<(b, m, n, k) -> (b, m, n)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<48x2x64xbf16>, memref<2x32x48xbf16>) outs(%c : memref<2x64x32xf32>) {
  ^bb0(%x: bf16, %y: bf16, %acc: f32):
    %0 = arith.extf %x : bf16 to f32
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %acc, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// -----

// A failing check stores its number and skips the load; recomputed checks say the
// same as the original.
// CHECK: module attributes {ckpt.check_messages = ["gather: index is outside"]
// CHECK-LABEL: func.func @gather(
// CHECK-SAME: , %[[STATUS:[a-z0-9]+]]: memref<1xi32> {ckpt.status})
// CHECK: gpu.launch_func {{.*}} args({{.*}}%[[STATUS]] : memref<1xi32>
// CHECK: gpu.func
// CHECK: scf.if %{{.*}} -> (f32) {
// CHECK: memref.load
// CHECK: } else {
// CHECK: %[[OLD:.*]] = memref.load
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[OLD]]
// CHECK: scf.if %[[FIRST]] {
// CHECK: %[[ID:.*]] = arith.constant 1 : i32
// CHECK: memref.store %[[ID]]
// CHECK: }
// CHECK: arith.constant 0.000000e+00 : f32
func.func @gather(%arena: memref<0xi8>, %table: memref<5xf32>, %i: memref<3xi64>, %y: memref<3xf32>) {
  %c5 = arith.constant 5 : index
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                  iterator_types = ["parallel"]}
      ins(%i : memref<3xi64>) outs(%y : memref<3xf32>) {
  ^bb0(%a: i64, %o: f32):
    %k = arith.index_cast %a : i64 to index
    %ok = arith.cmpi ult, %k, %c5 : index
    cf.assert %ok, "index is outside" loc("recomputed"("gather"))
    %v = memref.load %table[%k] : memref<5xf32>
    linalg.yield %v : f32
  }
  return
}

// -----

// Scalars from memory are loaded by the kernel that uses them.
// CHECK-LABEL: func.func @scalar
// CHECK-NOT: memref.load
// CHECK: gpu.module
// CHECK: gpu.func
// CHECK: memref.load
// CHECK: arith.addf
// CHECK: vector.load
func.func @scalar(%arena: memref<0xi8>, %s: memref<f32>, %x: memref<8xf32>, %y: memref<8xf32>) {
  %0 = memref.load %s[] : memref<f32>
  %1 = arith.addf %0, %0 : f32
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                  iterator_types = ["parallel"]}
      ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %2 = arith.mulf %a, %1 : f32
    linalg.yield %2 : f32
  }
  return
}

// -----

// Constants become globals of the kernels; equal elements become immediates.
// CHECK-NOT: memref.global
// CHECK: gpu.module @kernels
// CHECK-NEXT: memref.global "private" constant @constant_table : memref<4xf32> = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> {alignment = 256 : i64}
// CHECK-NOT: memref.global
// CHECK: memref.get_global @constant_table : memref<4xf32>
// CHECK: arith.constant 7.000000e+00 : f32
memref.global "private" constant @table : memref<2x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]>
memref.global "private" constant @seven : memref<2x2xf32> = dense<7.0>
func.func @constants(%arena: memref<0xi8>, %y: memref<2x2xf32>) {
  %table = memref.get_global @table : memref<2x2xf32>
  %seven = memref.get_global @seven : memref<2x2xf32>
  linalg.add ins(%table, %seven : memref<2x2xf32>, memref<2x2xf32>) outs(%y : memref<2x2xf32>)
  return
}

// -----

// Two functions read one constant: the kernels' module holds it once.
// CHECK-LABEL: func.func @first
// CHECK-LABEL: func.func @second
// CHECK: gpu.module
// CHECK: memref.global "private" constant @constant_table
// CHECK-NOT: memref.global
memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func @first(%arena: memref<0xi8>, %y: memref<4xf32>) {
  %table = memref.get_global @table : memref<4xf32>
  linalg.exp ins(%table : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}
func.func @second(%arena: memref<0xi8>, %y: memref<4xf32>) {
  %table = memref.get_global @table : memref<4xf32>
  linalg.tanh ins(%table : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}
