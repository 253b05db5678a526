// RUN: ckpt-opt %s -ckpt-lower-host -split-input-file | FileCheck %s

// CHECK-LABEL: module attributes {gpu.container_module}
// CHECK: llvm.mlir.global external constant @ckpt_step_info() {{.*}} : !llvm.struct<(i32, i32, i32, i32, ptr, ptr, ptr, i64, ptr)> {
// CHECK: llvm.mlir.constant(2 : i32)
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.mlir.constant(4096 : i64)
// CHECK: llvm.mlir.addressof @ckpt_step_run
// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}("gather: index is outside\00")
// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}("bf16\00")
// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}(dense<[4, 8]> : tensor<2xi64>) {{.*}} : !llvm.array<2 x i64>
// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}("fill\00")
// CHECK: llvm.func internal @ckpt_step_run(%[[CONTEXT:.*]]: !llvm.ptr, %[[BUFFERS:.*]]: !llvm.ptr) -> i32 {
// CHECK: %[[SLOTS:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK: %[[PARAMETERS:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK: %[[ARENA:.*]] = llvm.call @ckptArenaAcquire(%[[CONTEXT]], %{{.*}}) : (!llvm.ptr, i64) -> !llvm.ptr
// CHECK: llvm.cond_br %{{.*}}, ^{{.*}}(%{{.*}} : i32), ^
// CHECK: %[[STATUS:.*]] = llvm.call @ckptStatusWord(%[[CONTEXT]])
// The result follows the arguments in the caller's array.
// CHECK: %[[RESULT:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: llvm.store %[[RESULT]], %[[SLOTS]]
// CHECK: %[[C1024:.*]] = llvm.mlir.constant(1024 : i64)
// CHECK: %[[BUFFER:.*]] = llvm.getelementptr %[[ARENA]][%[[C1024]]]
// CHECK: llvm.store %[[BUFFER]]
// CHECK: llvm.store %[[STATUS]]
// CHECK: %[[CODE:.*]] = llvm.call @ckptLaunch(%[[CONTEXT]], {{.*}}, %[[PARAMETERS]], %{{.*}})
// CHECK: %[[FAILS:.*]] = llvm.icmp "ne" %[[CODE]], %{{.*}} : i32
// CHECK: llvm.cond_br %[[FAILS]], ^[[RELEASE:.*]](%[[CODE]] : i32), ^
// CHECK: ^[[RELEASE]](%[[RESULTCODE:.*]]: i32):
// CHECK: llvm.call @ckptArenaRelease(%[[CONTEXT]], %[[ARENA]])
// CHECK: llvm.return %[[RESULTCODE]] : i32
module attributes {gpu.container_module, ckpt.check_messages = ["gather: index is outside"]} {
  gpu.module @kernels {
    gpu.func @fill(%y: memref<32xbf16>, %t: memref<32xbf16>, %status: memref<1xi32>) kernel {
      gpu.return
    }
  }
  func.func @step(%arena: memref<4096xi8>, %y: memref<4x8xbf16> {bufferize.result},
                  %x: memref<f32>, %i: memref<3xindex>, %status: memref<1xi32> {ckpt.status}) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %c1024 = arith.constant 1024 : index
    %t = memref.view %arena[%c1024][] : memref<4096xi8> to memref<32xbf16>
    %flat = memref.reinterpret_cast %y to offset: [0], sizes: [32], strides: [1]
        : memref<4x8xbf16> to memref<32xbf16>
    gpu.launch_func @kernels::@fill blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1)
        args(%flat : memref<32xbf16>, %t : memref<32xbf16>, %status : memref<1xi32>)
    return
  }
}

// -----

// A step that needs no memory asks for none.
// CHECK-LABEL: module {
// CHECK: llvm.func internal @ckpt_step_run
// CHECK-NOT: llvm.call
// CHECK: llvm.return
func.func @empty(%arena: memref<0xi8>) {
  return
}
