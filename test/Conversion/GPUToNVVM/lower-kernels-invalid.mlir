// RUN: ckpt-opt %s -pass-pipeline='builtin.module(gpu.module(ckpt-lower-kernels))' -split-input-file -verify-diagnostics

gpu.module @kernels {
  gpu.func @large(%p: memref<4096xf32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{makes a vector of more than 256 elements: 'vector<4096xf32>'}}
    %0 = vector.load %p[%c0] : memref<4096xf32>, vector<4096xf32>
    vector.store %0, %p[%c0] : memref<4096xf32>, vector<4096xf32>
    gpu.return
  }
}
