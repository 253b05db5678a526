// RUN: ckpt-opt %s -pass-pipeline='builtin.module(gpu.module(ckpt-lower-kernels{chip=sm_90}))' | FileCheck %s

// CHECK: gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_90", features = "+ptx80">]
gpu.module @kernels {
  // Shared buffers keep their alignment and are no allocations.
  // CHECK-NOT: @malloc
  // CHECK: llvm.mlir.global internal @{{.*}}() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x f32>
  // CHECK: llvm.func @shared(%{{.*}}: !llvm.ptr)
  // CHECK-SAME: nvvm.kernel
  // CHECK-SAME: nvvm.maxntid = array<i32: 64, 1, 1>
  // CHECK: nvvm.read.ptx.sreg.tid.x range <i32, 0, 64>
  // CHECK: nvvm.barrier0
  gpu.func @shared(%p: memref<64xf32>)
      workgroup(%s: memref<64xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %0 = memref.load %p[%t] : memref<64xf32>
    memref.store %0, %s[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %1 = memref.load %s[%c0] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %1, %p[%t] : memref<64xf32>
    gpu.return
  }

  // What processors do exactly rounded is no call of libdevice. Vector accesses
  // stay whole.
  // CHECK-LABEL: llvm.func @exact
  // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
  // CHECK-COUNT-4: llvm.intr.sqrt(%{{.*}}) : (f32) -> f32
  // CHECK: %[[ONE:.*]] = llvm.mlir.constant(1.000000e+00 : f32) : f32
  // CHECK: %[[ROOT:.*]] = llvm.intr.sqrt
  // CHECK: llvm.fdiv %[[ONE]], %[[ROOT]]
  // CHECK-NOT: llvm.call
  // CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
  gpu.func @exact(%p: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %0 = vector.load %p[%c0] {alignment = 16 : i64} : memref<4xf32>, vector<4xf32>
    %1 = math.sqrt %0 : vector<4xf32>
    %2 = math.rsqrt %1 : vector<4xf32>
    %3 = math.fma %2, %1, %0 : vector<4xf32>
    %4 = math.absf %3 : vector<4xf32>
    %5 = math.floor %4 : vector<4xf32>
    vector.store %5, %p[%c0] {alignment = 16 : i64} : memref<4xf32>, vector<4xf32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @classification
  // CHECK: llvm.fcmp "uno"
  // CHECK: llvm.intr.fabs
  // CHECK: llvm.fcmp "oeq"
  // CHECK: llvm.fcmp "olt"
  gpu.func @classification(%p: memref<3xf32>, %q: memref<3xi1>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %0 = memref.load %p[%c0] : memref<3xf32>
    %1 = math.isnan %0 : f32
    memref.store %1, %q[%c0] : memref<3xi1>
    %2 = math.isinf %0 : f32
    memref.store %2, %q[%c1] : memref<3xi1>
    %3 = math.isfinite %0 : f32
    memref.store %3, %q[%c2] : memref<3xi1>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @library
  // CHECK: llvm.call @__nv_tanhf
  gpu.func @library(%p: memref<1xf32>) kernel {
    %c0 = arith.constant 0 : index
    %0 = memref.load %p[%c0] : memref<1xf32>
    %1 = math.tanh %0 : f32
    memref.store %1, %p[%c0] : memref<1xf32>
    gpu.return
  }
}
