// RUN: ckpt-opt %s -ckpt-lower-host -split-input-file -verify-diagnostics
// RUN: not ckpt-opt %s -ckpt-lower-host=entry=nowhere 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: has no function 'nowhere'

// expected-error @below {{must have its arena, of type memref<Nxi8>, as the first argument}}
func.func @arena(%x: memref<4xf32>) {
  return
}

// -----

// expected-error @below {{must have its arena as the first argument}}
func.func @arguments() {
  return
}

// -----

// expected-error @below {{must have its results as arguments}}
func.func @results(%arena: memref<0xi8>) -> memref<0xi8> {
  return %arena : memref<0xi8>
}

// -----

// expected-error @below {{must have contiguous buffers of numbers and of static shape as arguments, not 'f32'}}
func.func @scalar(%arena: memref<0xi8>, %x: f32) {
  return
}

// -----

// expected-error @below {{must have buffers of numbers as arguments, not 'memref<4xcomplex<f32>>'}}
func.func @numbers(%arena: memref<0xi8>, %x: memref<4xcomplex<f32>>) {
  return
}

// -----

func.func @host(%arena: memref<0xi8>, %x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @below {{cannot run on the host}}
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  return
}

// -----

// expected-error @below {{must have one function to lower, not 2}}
module {
  func.func @a(%arena: memref<0xi8>) {
    return
  }
  func.func @b(%arena: memref<0xi8>) {
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @fill(%y: memref<4xf32>) kernel {
      gpu.return
    }
  }
  func.func @step(%arena: memref<4096xi8>, %a: memref<4xf32>, %b: memref<4xf32>) {
    %true = arith.constant true
    %c1 = arith.constant 1 : index
    %0 = arith.select %true, %a, %b : memref<4xf32>
    // expected-error @below {{has an operand whose address is not an argument and a constant}}
    gpu.launch_func @kernels::@fill blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%0 : memref<4xf32>)
    return
  }
}

// -----

// expected-error @below {{must have contiguous buffers of numbers and of static shape as arguments, not 'memref<4xvector<4xf32>>'}}
func.func @vectors(%arena: memref<0xi8>, %x: memref<4xvector<4xf32>>) {
  return
}

// -----

// expected-error @below {{has a name of the runtime's: 'ckptLaunch'}}
func.func private @ckptLaunch(%x: f32)
func.func @step(%arena: memref<0xi8>) {
  return
}
