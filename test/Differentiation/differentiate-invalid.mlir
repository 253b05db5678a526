// RUN: ckpt-opt %s -ckpt-differentiate -split-input-file -verify-diagnostics

func.func private @f(%a: f32, %c: i1) -> f32 {
  // expected-error@+2 {{'scf.if' op cannot be differentiated: it does not implement DifferentiableOpInterface}}
  // expected-note@+1 {{attach a model of the interface to this op, or put it into a function with a 'ckpt.custom_gradient'}}
  %r = scf.if %c -> f32 {
    %0 = math.sin %a : f32
    scf.yield %0 : f32
  } else {
    scf.yield %a : f32
  }
  return %r : f32
}
func.func @noInterface(%a: f32, %c: i1) -> (f32, f32) {
  %r:2 = ckpt.value_and_grad @f(%a, %c) wrt [0] : (f32, i1) -> (f32, f32)
  return %r#0, %r#1 : f32, f32
}

// -----

func.func private @f(%a: f32) -> f32 {
  // expected-error@+1 {{'func.call' op cannot be differentiated: the function that it refers to is recursive}}
  %0 = call @f(%a) : (f32) -> f32
  return %0 : f32
}
func.func @recursive(%a: f32) -> (f32, f32) {
  %r:2 = ckpt.value_and_grad @f(%a) wrt [0] : (f32) -> (f32, f32)
  return %r#0, %r#1 : f32, f32
}

// -----

func.func private @f(%a: f32) -> f32 {
  // expected-error@+1 {{'ckpt.value_and_grad' op cannot be differentiated: the function that it refers to is recursive}}
  %r:2 = ckpt.value_and_grad @f(%a) wrt [0] : (f32) -> (f32, f32)
  return %r#1 : f32
}

// -----

func.func private @g(f32) -> f32
func.func private @f(%a: f32) -> f32 {
  // expected-error@+1 {{'func.call' op cannot be differentiated: its callee has neither a body that could be inlined nor 'ckpt.custom_gradient'}}
  %0 = call @g(%a) : (f32) -> f32
  return %0 : f32
}
func.func @external(%a: f32) -> (f32, f32) {
  %r:2 = ckpt.value_and_grad @f(%a) wrt [0] : (f32) -> (f32, f32)
  return %r#0, %r#1 : f32, f32
}

// -----

// expected-error@+1 {{cannot be differentiated: it has control flow between blocks}}
func.func private @f(%a: f32) -> f32 {
  cf.br ^bb1(%a : f32)
^bb1(%b: f32):
  return %b : f32
}
func.func @blocks(%a: f32) -> (f32, f32) {
  %r:2 = ckpt.value_and_grad @f(%a) wrt [0] : (f32) -> (f32, f32)
  return %r#0, %r#1 : f32, f32
}

// -----

func.func private @f(%a: tensor<?xf32>, %b: f32) -> f32 {
  %i = arith.constant 0 : index
  %e = math.exp %a : tensor<?xf32>
  // expected-error@+1 {{'tensor.extract' op cannot be differentiated: a value of type 'tensor<?xf32>' is on the way from the arguments to the loss, but gradients need static shapes}}
  %x = tensor.extract %e[%i] : tensor<?xf32>
  %y = arith.mulf %x, %b : f32
  return %y : f32
}
func.func @dynamic(%a: tensor<?xf32>, %b: f32) -> (f32, tensor<?xf32>) {
  %r:2 = ckpt.value_and_grad @f(%a, %b) wrt [0] : (tensor<?xf32>, f32) -> (f32, tensor<?xf32>)
  return %r#0, %r#1 : f32, tensor<?xf32>
}

// -----

func.func private @f(%a: f32) -> f32 {
  %c = complex.create %a, %a : complex<f32>
  // expected-error@+2 {{'complex.abs' op cannot be differentiated: it does not implement DifferentiableOpInterface}}
  // expected-note@+1 {{}}
  %y = complex.abs %c : complex<f32>
  return %y : f32
}
func.func @complex(%a: f32) -> (f32, f32) {
  %r:2 = ckpt.value_and_grad @f(%a) wrt [0] : (f32) -> (f32, f32)
  return %r#0, %r#1 : f32, f32
}

// -----

func.func private @f(%a: f32, %m: memref<f32>) -> f32 {
  // expected-error@+1 {{'memref.store' op cannot be differentiated: it may write a value that depends on the arguments to memory}}
  memref.store %a, %m[] : memref<f32>
  %y = memref.load %m[] : memref<f32>
  return %y : f32
}
func.func @memory(%a: f32, %m: memref<f32>) -> (f32, f32) {
  %r:2 = ckpt.value_and_grad @f(%a, %m) wrt [0] : (f32, memref<f32>) -> (f32, f32)
  return %r#0, %r#1 : f32, f32
}

// -----

func.func private @f(%a: tensor<4xf32>, %i: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{'linalg.generic' op cannot be differentiated: the reduction of result #0 is not a sum, a product, a maximum or a minimum; attach a DifferentiableOpInterface model to this op}}
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]}
      ins(%a : tensor<4xf32>) outs(%i : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = math.exp %o : f32
    %1 = arith.addf %0, %x : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}
func.func @recurrence(%a: tensor<4xf32>, %i: tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
  %r:2 = ckpt.value_and_grad @f(%a, %i) wrt [0] : (tensor<4xf32>, tensor<f32>) -> (tensor<f32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<f32>, tensor<4xf32>
}

// -----

// A running sum: later results depend on earlier elements.
func.func private @f(%a: tensor<4xf32>, %i: tensor<f32>, %s: tensor<4xf32>) -> tensor<f32> {
  // expected-error@+1 {{'linalg.generic' op cannot be differentiated: the reduction of result #1}}
  %r:2 = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
      iterator_types = ["reduction"]}
      ins(%a : tensor<4xf32>) outs(%i, %s : tensor<f32>, tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32, %p: f32):
    %0 = arith.addf %o, %x : f32
    linalg.yield %0, %0 : f32, f32
  } -> (tensor<f32>, tensor<4xf32>)
  %k = arith.constant 2 : index
  %v = tensor.extract %r#1[%k] : tensor<4xf32>
  %y = tensor.from_elements %v : tensor<f32>
  return %y : tensor<f32>
}
func.func @runningSum(%a: tensor<4xf32>, %i: tensor<f32>, %s: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %r:2 = ckpt.value_and_grad @f(%a, %i, %s) wrt [0] : (tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<f32>, tensor<4xf32>
}

// -----

func.func private @f(%a: tensor<4xf32>, %c: i1) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %i = arith.constant dense<0.0> : tensor<f32>
  %n = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%n : tensor<4xf32>) outs(%i : tensor<f32>) {
  ^bb0(%e: f32, %o: f32):
    %k = linalg.index 0 : index
    %x = scf.if %c -> f32 {
      // expected-error@+1 {{'tensor.extract' op cannot be differentiated here: the body of a structured op may read a captured tensor only by 'tensor.extract' directly in its block; attach a DifferentiableOpInterface model to the structured op}}
      %0 = tensor.extract %a[%k] : tensor<4xf32>
      scf.yield %0 : f32
    } else {
      scf.yield %zero : f32
    }
    %1 = arith.addf %o, %x : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}
func.func @nestedRead(%a: tensor<4xf32>, %c: i1) -> (tensor<f32>, tensor<4xf32>) {
  %r:2 = ckpt.value_and_grad @f(%a, %c) wrt [0] : (tensor<4xf32>, i1) -> (tensor<f32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<f32>, tensor<4xf32>
}

// -----

// expected-error@+1 {{'func.func' op is the custom gradient of @g and must have the type '(f32, i32, f32) -> f32'}}
func.func private @g_vjp(%g: f32) -> f32 {
  return %g : f32
}
func.func private @g(%a: f32, %n: i32) -> f32 attributes {ckpt.custom_gradient = @g_vjp} {
  return %a : f32
}
func.func private @f(%a: f32, %n: i32) -> f32 {
  %0 = call @g(%a, %n) : (f32, i32) -> f32
  return %0 : f32
}
func.func @customType(%a: f32, %n: i32) -> (f32, f32) {
  %r:2 = ckpt.value_and_grad @f(%a, %n) wrt [0] : (f32, i32) -> (f32, f32)
  return %r#0, %r#1 : f32, f32
}

// -----

// expected-error@+1 {{'func.func' op 'ckpt.custom_gradient' names @nothing, which is not a function of this module}}
func.func private @g(%a: f32) -> f32 attributes {ckpt.custom_gradient = @nothing} {
  return %a : f32
}
func.func private @f(%a: f32) -> f32 {
  %0 = call @g(%a) : (f32) -> f32
  return %0 : f32
}
func.func @customMissing(%a: f32) -> (f32, f32) {
  %r:2 = ckpt.value_and_grad @f(%a) wrt [0] : (f32) -> (f32, f32)
  return %r#0, %r#1 : f32, f32
}

// -----

func.func private @g_vjp(%a: f32, %g: f32) -> f32 {
  return %g : f32
}
func.func private @f(%a: f32) -> f32 attributes {ckpt.custom_gradient = @g_vjp} {
  return %a : f32
}
func.func @customEntry(%a: f32) -> (f32, f32) {
  // expected-error@+1 {{'ckpt.value_and_grad' op cannot be differentiated: @f has a 'ckpt.custom_gradient', which applies to calls; name a function that calls it}}
  %r:2 = ckpt.value_and_grad @f(%a) wrt [0] : (f32) -> (f32, f32)
  return %r#0, %r#1 : f32, f32
}

// -----

func.func private @f(%a: tensor<f32>) -> tensor<f32> {
  %x = tensor.extract %a[] : tensor<f32>
  // expected-error@+1 {{'tensor.pad' op cannot be differentiated: its padding value is computed in its body}}
  %p = tensor.pad %a low[] high[] {
    %0 = math.exp %x : f32
    tensor.yield %0 : f32
  } : tensor<f32> to tensor<f32>
  return %p : tensor<f32>
}
func.func @computedPadding(%a: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %r:2 = ckpt.value_and_grad @f(%a) wrt [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
}

// -----

func.func private @f(%a: bf16) -> bf16 {
  %y = arith.bitcast %a : bf16 to f16
  // expected-error@+2 {{'arith.bitcast' op cannot be differentiated: it does not implement DifferentiableOpInterface}}
  // expected-note@+1 {{}}
  %z = arith.bitcast %y : f16 to bf16
  return %z : bf16
}
func.func @bitcast(%a: bf16) -> (bf16, bf16) {
  %r:2 = ckpt.value_and_grad @f(%a) wrt [0] : (bf16) -> (bf16, bf16)
  return %r#0, %r#1 : bf16, bf16
}

// -----

func.func private @f(%a: tensor<4xf32>) -> f32 {
  %i = arith.constant 0 : index
  %e = tensor.empty() : tensor<8xf32>
  // expected-error@+1 {{'linalg.generic' op cannot be differentiated: the indexing map affine_map<(d0) -> (d0 floordiv 2)> of operand #0 is not supported; attach a DifferentiableOpInterface model to this op}}
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%a : tensor<4xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<8xf32>
  %s = tensor.extract %r[%i] : tensor<8xf32>
  return %s : f32
}
func.func @map(%a: tensor<4xf32>) -> (f32, tensor<4xf32>) {
  %r:2 = ckpt.value_and_grad @f(%a) wrt [0] : (tensor<4xf32>) -> (f32, tensor<4xf32>)
  return %r#0, %r#1 : f32, tensor<4xf32>
}
