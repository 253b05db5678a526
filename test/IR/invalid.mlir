// RUN: ckpt-opt %s -split-input-file -verify-diagnostics

// R1
func.func @region_types(%x: tensor<4xf32>) {
  // expected-error @+1 {{results must have the types of the yielded values}}
  %0 = ckpt.region "r" {
    ckpt.yield %x : tensor<4xf32>
  } : tensor<5xf32>
  return
}

// -----

func.func @region_terminator(%x: tensor<4xf32>) {
  // expected-error @+2 {{expects regions to end with 'ckpt.yield', found 'llvm.unreachable'}}
  // expected-note @+1 {{the absence of terminator implies 'ckpt.yield'}}
  %0 = ckpt.region "r" {
    llvm.unreachable
  } : tensor<4xf32>
  return
}

// -----

func.func @yield_parent(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects parent op 'ckpt.region'}}
  ckpt.yield %x : tensor<4xf32>
}

// -----

// N1
func.func @name_empty(%x: tensor<4xf32>) {
  // expected-error @+1 {{label must not be empty}}
  %0 = ckpt.name %x "" : tensor<4xf32>
  return
}

// -----

// B1
func.func @barrier_empty(%g: tensor<4xf32>) {
  // expected-error @+1 {{must have at least one value}}
  "ckpt.barrier"(%g) <{place = 0 : i64, operandSegmentSizes = array<i32: 0, 1>}>
      : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @barrier_types(%a: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{incompatible with return type(s) of operation}}
  %0 = "ckpt.barrier"(%a) <{place = 0 : i64, operandSegmentSizes = array<i32: 1, 0>}>
      : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// V1
func.func @no_callee(%w: tensor<4xf32>) {
  // expected-error @+1 {{callee @nowhere must be a function with a body}}
  %0:2 = ckpt.value_and_grad @nowhere(%w) wrt [0]
      : (tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>)
  return
}

// -----

// V1
func.func private @declared(tensor<4xf32>) -> tensor<f32>
func.func @no_body(%w: tensor<4xf32>) {
  // expected-error @+1 {{callee @declared must be a function with a body}}
  %0:2 = ckpt.value_and_grad @declared(%w) wrt [0]
      : (tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>)
  return
}

// -----

// V2
func.func @f(%w: tensor<4xf32>) -> tensor<f32> {
  %0 = arith.constant dense<0.0> : tensor<f32>
  return %0 : tensor<f32>
}
func.func @operand_types(%w: tensor<5xf32>) {
  // expected-error @+1 {{operands must have the types that @f takes}}
  %0:2 = ckpt.value_and_grad @f(%w) wrt [0]
      : (tensor<5xf32>) -> (tensor<f32>, tensor<5xf32>)
  return
}

// -----

// V3
func.func @f(%w: tensor<4xf32>) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}
func.func @not_a_loss(%w: tensor<4xf32>) {
  // expected-error @+1 {{the first result of @f must be the loss}}
  %0:2 = ckpt.value_and_grad @f(%w) wrt [0]
      : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// V4
func.func @f(%w: tensor<f32>) -> tensor<f32> {
  return %w : tensor<f32>
}
func.func @wrt_twice(%w: tensor<f32>) {
  // expected-error @+1 {{'wrt' must list existing arguments once each, got 0}}
  %0:3 = ckpt.value_and_grad @f(%w) wrt [0, 0]
      : (tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  return
}

// -----

// V4
func.func @f(%w: tensor<f32>) -> tensor<f32> {
  return %w : tensor<f32>
}
func.func @wrt_range(%w: tensor<f32>) {
  // expected-error @+1 {{'wrt' must list existing arguments once each, got 1}}
  %0:2 = ckpt.value_and_grad @f(%w) wrt [1]
      : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

// V5
func.func @f(%w: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
  return %w : tensor<f32>
}
func.func @wrt_integer(%w: tensor<f32>, %n: tensor<i32>) {
  // expected-error @+1 {{argument 1 of type 'tensor<i32>' has no gradient: it is not of floats}}
  %0:2 = ckpt.value_and_grad @f(%w, %n) wrt [1]
      : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
  return
}

// -----

// V6
func.func @f(%w: tensor<f32>) -> tensor<f32> {
  return %w : tensor<f32>
}
func.func @results(%w: tensor<f32>) {
  // expected-error @+1 {{results must be the callee's results followed by one gradient}}
  %0 = ckpt.value_and_grad @f(%w) wrt [0] : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// expected-error @+2 {{failed to parse Ckpt_PolicyAttr parameter 'rules'}}
// expected-error @+1 {{unknown op kind 'matmul': expected contraction}}
#p = #ckpt.policy<[<must save kind "matmul">]>

// -----

// expected-error @+2 {{failed to parse Ckpt_PolicyAttr parameter 'rules'}}
// expected-error @+1 {{malformed glob '[a'}}
#p = #ckpt.policy<[<must save label "[a">]>

// -----

// expected-error @+1 {{expected an increasing range}}
#p = #ckpt.plan<solver = "x", order = [3 to 1]>

// -----

// expected-error @+1 {{op numbers are not negative, got -1}}
#p = #ckpt.plan<solver = "x", order = [-1]>

// -----

// expected-error @+1 {{expected 'peak' or 'store_all_peak', each once}}
#p = #ckpt.plan<solver = "x", order = [], peak = 1, peak = 2>

// -----

// expected-error @+1 {{expected a number of bytes}}
#p = #ckpt.plan<solver = "x", order = [], peak = -5>

// -----

func.func @op_number(%x: f32) {
  // expected-error @+1 {{attribute 'ckpt.op' must be a non-negative i64}}
  %0 = arith.negf %x {ckpt.op = -1 : i64} : f32
  return
}

// -----

func.func @plan_place(%x: f32) {
  // expected-error @+1 {{attribute 'ckpt.plan' is for functions only}}
  %0 = arith.negf %x {ckpt.plan = 1 : i64} : f32
  return
}

// -----

// expected-error @+1 {{attribute 'ckpt.policy' must be a #ckpt.policy}}
func.func @policy_type() attributes {ckpt.policy = 1 : i64} {
  return
}
