//===- Passes.td - Differentiation passes ------------------*- tablegen -*-===//

#ifndef CKPT_DIFFERENTIATION_PASSES
#define CKPT_DIFFERENTIATION_PASSES

include "mlir/Pass/PassBase.td"

def Differentiate : Pass<"ckpt-differentiate", "::mlir::ModuleOp"> {
  let summary = "expands ckpt.value_and_grad by reverse-mode differentiation";
  let description = [{
    Replaces each `ckpt.value_and_grad` by the body of its callee and the
    gradients of the callee's first result, so that the caller holds one straight
    line of forward and backward ops. It decides nothing about storage: the
    backward ops use the forward values as they are, and a planner chooses later
    which of them are kept.

    Ops take part through `DifferentiableOpInterface`. An active op without it
    is an error at its location. Calls are inlined, but those of functions with
    `ckpt.custom_gradient = @f_vjp`: there `f_vjp` gives the adjoint. Ops of the
    backward pass carry their forward op's location inside `loc("gradient"(...))`.

    Before:

    ```mlir
    func.func private @f(%w: tensor<4xf32>) -> tensor<f32> { ... }
    func.func @step(%w: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
      %loss, %dw = ckpt.value_and_grad @f(%w) wrt [0]
        : (tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>)
      return %loss, %dw : tensor<f32>, tensor<4xf32>
    }
    ```

    After, `@step` holds the ops of `@f`, then their adjoints.
  }];
}

#endif // CKPT_DIFFERENTIATION_PASSES
