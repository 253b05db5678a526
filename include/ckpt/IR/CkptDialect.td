//===- CkptDialect.td - The ckpt dialect -------------------*- tablegen -*-===//

#ifndef CKPT_IR_CKPTDIALECT
#define CKPT_IR_CKPTDIALECT

include "mlir/IR/OpBase.td"

def Ckpt_Dialect : Dialect {
  let name = "ckpt";
  let cppNamespace = "::ckpt";
  let summary = "Gradient checkpointing";
  let description = [{
    What a training step may rematerialise, what a planner decided, and the ops
    that keep its decisions from being undone.

    A user marks a forward function with `ckpt.region`, `ckpt.name` and
    `#ckpt.policy`, and asks for gradients with `ckpt.value_and_grad`. The pass
    `ckpt-differentiate` expands the latter, `ckpt-plan` writes `#ckpt.plan` on
    the function, and `ckpt-materialize` executes it: recomputed ops are clones
    whose inputs come through `ckpt.barrier`.

    Attributes on other dialects' ops:

    * `ckpt.policy` on a function: the policy for all of its ops that no
      region's policy decides;
    * `ckpt.plan` on a function: the plan (`#ckpt.plan`);
    * `ckpt.op` on an op: its number in that plan. A recomputed clone carries
      the number of the op that it repeats.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
  private:
    void registerAttributes();
  public:
  }];
}

#endif // CKPT_IR_CKPTDIALECT
