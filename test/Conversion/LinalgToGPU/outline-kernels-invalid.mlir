// RUN: ckpt-opt %s -ckpt-outline-kernels -split-input-file -verify-diagnostics

// expected-error @below {{must have contiguous buffers of static shape as arguments, not 'memref<?xf32>'}}
func.func @dynamic(%arena: memref<0xi8>, %x: memref<?xf32>) {
  return
}

// -----

// expected-error @below {{must have one block to become kernel launches}}
func.func @blocks(%arena: memref<0xi8>) {
  cf.br ^bb1
^bb1:
  return
}

// -----

func.func @allocation(%arena: memref<0xi8>, %x: memref<4xf32>) {
  // expected-error @below {{cannot run as a kernel}}
  %0 = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%0 : memref<4xf32>)
  return
}

// -----

func.func @choice(%arena: memref<0xi8>, %x: memref<4xf32>, %y: memref<4xf32>) {
  %true = arith.constant true
  // expected-note @below {{it is made here}}
  %0 = arith.select %true, %x, %y : memref<4xf32>
  // expected-error @below {{uses memory that is neither in the arena nor the caller's}}
  linalg.exp ins(%x : memref<4xf32>) outs(%0 : memref<4xf32>)
  return
}

// -----

func.func @offset(%arena: memref<256xi8>, %x: memref<4xf32>, %n: memref<index>) {
  %0 = memref.load %n[] : memref<index>
  %1 = memref.view %arena[%0][] : memref<256xi8> to memref<4xf32>
  // expected-error @below {{needs buffers at constant offsets of an arena that is a function argument}}
  linalg.exp ins(%x : memref<4xf32>) outs(%1 : memref<4xf32>)
  return
}

// -----

func.func @loop(%arena: memref<0xi8>, %x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{cannot run as a kernel}}
  scf.for %i = %c0 to %c1 step %c1 {
    linalg.exp ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  }
  return
}

// -----

func.func @tensors(%arena: memref<0xi8>) {
  %0 = tensor.empty() : tensor<4xf32>
  // expected-error @below {{must be on buffers to become a kernel}}
  %1 = linalg.exp ins(%0 : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @softmax(%arena: memref<0xi8>, %x: memref<4x4xf32>) {
  // expected-error @below {{cannot run as a kernel}}
  linalg.softmax dimension(1) ins(%x : memref<4x4xf32>) outs(%x : memref<4x4xf32>)
  return
}

// -----

func.func @map(%arena: memref<0xi8>, %x: memref<4xf32>, %y: memref<8xf32>) {
  // expected-error @below {{has an indexing map that is not linear: affine_map<(d0) -> (d0 floordiv 2)>}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 floordiv 2)>, affine_map<(d0) -> (d0)>],
                  iterator_types = ["parallel"]}
      ins(%x : memref<4xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

func.func @type(%arena: memref<0xi8>, %x: memref<4xcomplex<f32>>) {
  // expected-error @below {{has elements of a type that kernels cannot store: 'complex<f32>'}}
  memref.copy %x, %x : memref<4xcomplex<f32>> to memref<4xcomplex<f32>>
  return
}

// -----

func.func @race(%arena: memref<0xi8>, %x: memref<4x8xf32>, %y: memref<4xf32>) {
  // expected-error @below {{writes one element in several iterations of a parallel loop}}
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4x8xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

func.func @effects(%arena: memref<0xi8>, %x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @below {{has a payload that kernels cannot run: memref.store}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%y : memref<4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    memref.store %o, %x[%i] : memref<4xf32>
    linalg.yield %o : f32
  }
  return
}

// -----

// A scalar's memory must live until the kernel that loads it.
func.func @overwritten(%arena: memref<256xi8>, %x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %s = memref.view %arena[%c0][] : memref<256xi8> to memref<f32>
  %t = memref.view %arena[%c0][] : memref<256xi8> to memref<4xf32>
  // expected-note @below {{the scalar is loaded here}}
  %0 = memref.load %s[] : memref<f32>
  // expected-note @below {{the memory is overwritten here}}
  linalg.exp ins(%x : memref<4xf32>) outs(%t : memref<4xf32>)
  // expected-error @below {{uses a scalar whose memory is overwritten before this op runs}}
  linalg.fill ins(%0 : f32) outs(%x : memref<4xf32>)
  return
}

// -----

func.func private @f() -> f32
func.func @call(%arena: memref<0xi8>, %x: memref<4xf32>) {
  // expected-error @below {{cannot run as a kernel}}
  %0 = func.call @f() : () -> f32
  linalg.fill ins(%0 : f32) outs(%x : memref<4xf32>)
  return
}

// -----

memref.global "private" @variable : memref<4xf32> = uninitialized
func.func @global(%arena: memref<0xi8>, %x: memref<4xf32>) {
  %0 = memref.get_global @variable : memref<4xf32>
  // expected-error @below {{reads a global without a constant value}}
  memref.copy %0, %x : memref<4xf32> to memref<4xf32>
  return
}
