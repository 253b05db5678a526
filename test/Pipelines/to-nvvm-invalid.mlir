// RUN: ckpt-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect \
// RUN:   '-ckpt-training-step=plan="solver=all"' -ckpt-to-nvvm

// What a user may write and the pipelines do not take is an error of ours.

// expected-error @below {{argument 0 has no static size}}
func.func @unranked(%x: tensor<*xf32>) -> tensor<f32> {
  %0 = tensor.cast %x : tensor<*xf32> to tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @loop(%x: tensor<f32>, %n: tensor<index>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = tensor.extract %n[] : tensor<index>
  %0 = scf.for %i = %c0 to %size step %c1 iter_args(%a = %x) -> tensor<f32> {
    %1 = math.exp %a : tensor<f32>
    // expected-error @below {{Yield operand #0 is not equivalent to the corresponding iter bbArg}}
    scf.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

func.func @branch(%x: tensor<f32>, %c: tensor<i1>) -> tensor<f32> {
  %b = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %b -> tensor<f32> {
    // expected-error @below {{cannot be placed in the arena}}
    %1 = math.exp %x : tensor<f32>
    scf.yield %1 : tensor<f32>
  } else {
    scf.yield %x : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// expected-error @below {{must have a body of one block: control flow between blocks is not planned}}
func.func @blocks(%x: tensor<f32>, %b: i1) -> tensor<f32> {
  cf.cond_br %b, ^a, ^b
^a:
  %1 = math.exp %x : tensor<f32>
  return %1 : tensor<f32>
^b:
  return %x : tensor<f32>
}

// -----

func.func @complex(%x: tensor<4xf32>, %z: tensor<complex<f32>>) -> tensor<f32> {
  %e = tensor.extract %z[] : tensor<complex<f32>>
  // expected-error @below {{has elements of a type that kernels cannot store: 'complex<f32>'}}
  %r = complex.re %e : complex<f32>
  %1 = tensor.from_elements %r : tensor<f32>
  return %1 : tensor<f32>
}

// -----

// expected-error @below {{so that nothing may refer to it}}
func.func @recursive(%x: tensor<f32>) -> tensor<f32> {
  // expected-note @below {{this op refers to it}}
  %0 = func.call @recursive(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func private @external(%x: tensor<f32>) -> tensor<f32>
func.func @calls(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{cannot run as a kernel}}
  %0 = func.call @external(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @indirect(%x: tensor<f32>, %f: (tensor<f32>) -> tensor<f32>) -> tensor<f32> {
  // expected-error @below {{op was not bufferized}}
  %0 = func.call_indirect %f(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error @below {{must have one function to lower, not 0}}
module {
  module @inner {
    func.func @f(%x: tensor<f32>) -> tensor<f32> {
      %0 = math.exp %x : tensor<f32>
      return %0 : tensor<f32>
    }
  }
}

// -----

// expected-error @below {{argument 0 has no static size}}
func.func @vectors(%x: tensor<4xvector<4xf32>>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %x[%c0] : tensor<4xvector<4xf32>>
  return %0 : vector<4xf32>
}

// -----

func.func @transfer(%x: tensor<16xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // expected-error @below {{cannot run as a kernel}}
  %0 = vector.transfer_read %x[%c0], %z : tensor<16xf32>, vector<16xf32>
  %2 = vector.reduction <add>, %0 : vector<16xf32> into f32
  %3 = tensor.from_elements %2 : tensor<f32>
  return %3 : tensor<f32>
}

// -----

func.func @unregistered(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{op was not bufferized}}
  %0 = "unknown.op"(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error @below {{must have contiguous buffers of static shape as arguments, not 'f32'}}
func.func @scalars(%x: f32, %y: f32) -> f32 {
  %0 = arith.mulf %x, %y : f32
  return %0 : f32
}

// -----

func.func @wide(%x: tensor<4xf128>) -> tensor<4xf128> {
  // expected-error @below {{has elements of a type that kernels cannot store: 'f128'}}
  %0 = arith.addf %x, %x : tensor<4xf128>
  return %0 : tensor<4xf128>
}
