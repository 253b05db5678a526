//===- Passes.td - Plan, materialise, verify ---------------*- tablegen -*-===//

#ifndef CKPT_TRANSFORMS_PASSES
#define CKPT_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def InlineRegions : Pass<"ckpt-inline-regions"> {
  let summary = "replace rematerialisation regions by their ops";
  let description = [{
    Splices the body of every `ckpt.region` into the block around it. Each op
    keeps the region's name and policy in its location, where `ckpt-plan` finds
    them.

    ```mlir
    %y = ckpt.region "block0" policy <[], default = recompute> {
      %0 = math.tanh %x : tensor<4xf32>
      ckpt.yield %0 : tensor<4xf32>
    } : tensor<4xf32>
    ```
    becomes
    ```mlir
    %y = math.tanh %x : tensor<4xf32>
        loc(fused<#ckpt.scope<"block0", policy = <[], default = recompute>>>[...])
    ```
  }];
  let dependentDialects = ["::ckpt::CkptDialect"];
}

def Plan : Pass<"ckpt-plan"> {
  let summary = "decide what a training step stores and what it recomputes";
  let description = [{
    Numbers the ops that own buffers (`ckpt.op`) and writes the order in which
    they run, recomputations included, as `#ckpt.plan` on the function. Changes
    nothing else: `ckpt-materialize` executes the plan, and a person can write or
    change it in between.

    A function is a step as a whole: forward pass, gradients, update. Functions
    without a body are skipped.

    The budget bounds what the step itself allocates; the caller's arguments and
    results are not part of it. A rule `save` of a policy keeps an op from being
    recomputed by any solver; a rule `recompute` is followed by the solver
    `policy`, and `must recompute` under another solver is an error.

    Errors, each at the op: a shape that is not static, a rule that cannot be
    followed, an unknown solver or target, a budget that no plan meets (with what
    is missing, the op that needs the most at once, and the proven floor).
  }];
  let options = [
    Option<"solver", "solver", "std::string", /*default=*/"\"auto\"",
      "none, all, sqrt, interval, policy, auto, or another solver of the planner">,
    Option<"interval", "interval", "int64_t", /*default=*/"2",
      "solver interval: keep the boundary after every so many layers">,
    Option<"budget", "budget", "std::string", /*default=*/"",
      "bytes that the step may allocate: 6GiB, 900MB, 12345, 40% of what storing "
      "everything takes, or min; none by default">,
    Option<"order", "order", "std::string", /*default=*/"",
      "program: first runs keep their order; free: any order that data allow "
      "(default: free for auto and exact, program for the others)">,
    Option<"target", "target", "std::string", /*default=*/"\"h100\"",
      "hardware for the cost model where the module does not specify it: h200, "
      "h100, a100 or l4">,
    Option<"costProfile", "cost-profile", "std::string", /*default=*/"",
      "JSON file of measured times that override the cost model">,
    Option<"timeLimit", "time-limit", "double", /*default=*/"0",
      "seconds that the solver may take; 0: until its effort is spent">,
    Option<"effort", "effort", "int64_t", /*default=*/"-1",
      "moves of the solver's search; negative: its default">,
    Option<"seed", "seed", "uint64_t", /*default=*/"0",
      "seed of the solver's random choices">,
  ];
  let dependentDialects = ["::ckpt::CkptDialect"];
}

def Materialize : Pass<"ckpt-materialize"> {
  let summary = "execute the plan: order ops and clone what is recomputed";
  let description = [{
    Reorders the body of each function that has a `#ckpt.plan` as the plan says.
    A number that comes again becomes a clone of its op, placed there, whose
    inputs come through a `ckpt.barrier`: no later pass merges it with the
    original or moves it earlier. Views, constants and undefined tensors are
    made anew next to each reader. Clones keep the location of the original
    under the note "recomputed". Fills in the plan's `peak` and `store_all_peak`.

    Errors: a number in the plan that no op has, or an op without a number; an op
    that would run before its inputs; an op that may not run twice and does.
  }];
  let dependentDialects = ["::ckpt::CkptDialect"];
}

def VerifyPlan : Pass<"ckpt-verify-plan"> {
  let summary = "check that a materialised plan still holds";
  let description = [{
    Recomputes, from the IR alone, the peak of each function that has a
    materialised plan and how often each op runs, and fails if they are not what
    the plan recorded. It names the op that runs too often or too rarely, or that
    makes the peak. Run it after any pass that may have undone a plan.
  }];
  let dependentDialects = ["::ckpt::CkptDialect"];
}

#endif // CKPT_TRANSFORMS_PASSES
