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
