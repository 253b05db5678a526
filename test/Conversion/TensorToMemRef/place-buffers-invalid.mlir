// RUN: ckpt-opt %s -split-input-file -verify-diagnostics -ckpt-place-buffers

func.func @dynamic(%n: index) {
  // expected-error @+1 {{cannot be placed in the arena: only allocations of static size at the top of a function can}}
  %0 = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

func.func @nested(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{cannot be placed in the arena}}
    %0 = memref.alloc() : memref<4xf32>
  }
  return
}

// -----

// expected-error @+1 {{must have a body of one block}}
func.func @blocks() {
  cf.br ^bb1
^bb1:
  return
}

// -----

func.func @vectors() {
  // expected-error @below {{cannot be placed in the arena: its elements are no numbers, or the arena would be too large}}
  %0 = memref.alloc() : memref<4xvector<4xf32>>
  return
}

// -----

func.func @large() {
  %0 = memref.alloc() : memref<4611686018427387904xi8>
  // expected-error @below {{or the arena would be too large}}
  %1 = memref.alloc() : memref<4611686018427387904xi8>
  return
}

// -----

// expected-error @below {{gets an arena and its results as arguments, so that nothing may refer to it}}
func.func private @callee(%x: memref<4xf32>) -> memref<4xf32> {
  return %x : memref<4xf32>
}
func.func @caller(%x: memref<4xf32>) -> memref<4xf32> {
  // expected-note @below {{this op refers to it}}
  %0 = func.call @callee(%x) : (memref<4xf32>) -> memref<4xf32>
  return %0 : memref<4xf32>
}
