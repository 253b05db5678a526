// RUN: ckpt-opt %s -ckpt-differentiate -split-input-file | FileCheck %s

// The adjoint of a change of precision is the change back.

func.func private @f(%a: f32) -> f64 {
  %0 = arith.truncf %a : f32 to bf16
  %1 = arith.extf %0 : bf16 to f64
  return %1 : f64
}

// CHECK-LABEL: func.func @conversions(
// CHECK:         %[[G:.*]] = arith.constant 1.000000e+00 : f64
// CHECK:         %[[N:.*]] = arith.truncf %[[G]] : f64 to bf16
// CHECK:         %[[W:.*]] = arith.extf %[[N]] : bf16 to f32
// CHECK:         return %{{.*}}, %[[W]]
func.func @conversions(%a: f32) -> (f64, f32) {
  %r:2 = ckpt.value_and_grad @f(%a) wrt [0] : (f32) -> (f64, f32)
  return %r#0, %r#1 : f64, f32
}

// -----

// A scale is read as its exponent: it has derivative zero, and the operand's
// cotangent is scaled alike.

func.func private @f(%a: f8E5M2, %s: f8E8M0FNU) -> f32 {
  %0 = arith.scaling_extf %a, %s : f8E5M2, f8E8M0FNU to f32
  return %0 : f32
}

// CHECK-LABEL: func.func @scalingExtf(
// CHECK-SAME:    %{{.*}}: f8E5M2, %[[S:.*]]: f8E8M0FNU)
// CHECK:         %[[G:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[W:.*]] = arith.extf %[[S]] : f8E8M0FNU to f32
// CHECK:         %[[P:.*]] = arith.mulf %[[G]], %[[W]] : f32
// CHECK:         %[[D:.*]] = arith.truncf %[[P]] : f32 to f8E5M2
// CHECK:         return %{{.*}}, %[[D]]
func.func @scalingExtf(%a: f8E5M2, %s: f8E8M0FNU) -> (f32, f8E5M2) {
  %r:2 = ckpt.value_and_grad @f(%a, %s) wrt [0] : (f8E5M2, f8E8M0FNU) -> (f32, f8E5M2)
  return %r#0, %r#1 : f32, f8E5M2
}

// -----

func.func private @f(%a: f32, %s: f32) -> f32 {
  %0 = arith.scaling_truncf %a, %s : f32, f32 to f8E5M2
  %1 = arith.extf %0 : f8E5M2 to f32
  return %1 : f32
}

// CHECK-LABEL: func.func @scalingTruncf(
// CHECK-SAME:    %{{.*}}: f32, %[[S:.*]]: f32)
// CHECK:         %[[G:.*]] = arith.truncf %{{.*}} : f32 to f8E5M2
// CHECK:         %[[W:.*]] = arith.extf %[[G]] : f8E5M2 to f32
// CHECK:         %[[E:.*]] = arith.truncf %[[S]] : f32 to f8E8M0FNU
// CHECK:         %[[X:.*]] = arith.extf %[[E]] : f8E8M0FNU to f32
// CHECK:         %[[D:.*]] = arith.divf %[[W]], %[[X]] : f32
// CHECK:         return %{{.*}}, %[[D]]
func.func @scalingTruncf(%a: f32, %s: f32) -> (f32, f32) {
  %r:2 = ckpt.value_and_grad @f(%a, %s) wrt [0] : (f32, f32) -> (f32, f32)
  return %r#0, %r#1 : f32, f32
}
