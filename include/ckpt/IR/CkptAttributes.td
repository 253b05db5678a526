//===- CkptAttributes.td - Policies, scopes and plans ------*- tablegen -*-===//

#ifndef CKPT_IR_CKPTATTRIBUTES
#define CKPT_IR_CKPTATTRIBUTES

include "ckpt/IR/CkptDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

//===----------------------------------------------------------------------===//
// Policies
//===----------------------------------------------------------------------===//

def Ckpt_Decision : I32EnumAttr<"Decision",
    "what happens to a value between the forward and the backward pass", [
      I32EnumAttrCase<"Auto", 0, "auto">,
      I32EnumAttrCase<"Save", 1, "save">,
      I32EnumAttrCase<"Recompute", 2, "recompute">,
    ]> {
  let cppNamespace = "::ckpt";
  let genSpecializedAttr = 0;
}

def Ckpt_Strength : I32EnumAttr<"Strength", "how binding a rule is", [
      I32EnumAttrCase<"Prefer", 0, "prefer">,
      I32EnumAttrCase<"Must", 1, "must">,
    ]> {
  let cppNamespace = "::ckpt";
  let genSpecializedAttr = 0;
}

def Ckpt_Matcher : I32EnumAttr<"Matcher", "what a rule looks at", [
      I32EnumAttrCase<"Label", 0, "label">,
      I32EnumAttrCase<"Location", 1, "location">,
      I32EnumAttrCase<"OpName", 2, "op">,
      I32EnumAttrCase<"Kind", 3, "kind">,
    ]> {
  let cppNamespace = "::ckpt";
  let genSpecializedAttr = 0;
}

class Ckpt_Attr<string name, string attrMnemonic>
    : AttrDef<Ckpt_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Ckpt_RuleAttr : Ckpt_Attr<"Rule", "rule"> {
  let summary = "one rule of a policy";
  let description = [{
    Says what happens to the values that it matches:

    ```
    #ckpt.rule<must save label "attention_out">
    #ckpt.rule<prefer recompute location "*/attn/*">
    #ckpt.rule<must recompute op "linalg.softmax">
    #ckpt.rule<prefer recompute kind "elementwise">
    ```

    The pattern is a glob (`*` any text, `?` one character, `[a-z]` a set) on

    * `label`: the label of a `ckpt.name` on the value;
    * `location`: the names in the op's location, which is where front ends keep
      their scopes (`loc("jit(f)/layer0/attn/dot"(...))`);
    * `op`: the op's name;
    * `kind`: `contraction`, `elementwise`, `reduction`, `data_movement` or
      `other`.

    `must` makes it an error if the rule cannot be followed (an op with effects
    cannot be recomputed), `prefer` does not.

    Errors: an unknown kind; a malformed glob.
  }];
  let parameters = (ins
    EnumParameter<Ckpt_Strength>:$strength,
    EnumParameter<Ckpt_Decision>:$decision,
    EnumParameter<Ckpt_Matcher>:$matcher,
    "::mlir::StringAttr":$pattern);
  let assemblyFormat = "`<` $strength $decision $matcher $pattern `>`";
  let genVerifyDecl = 1;
}

def Ckpt_PolicyAttr : Ckpt_Attr<"Policy", "policy"> {
  let summary = "ordered rules that say what to save and what to recompute";
  let description = [{
    The first rule that matches a value decides; where none matches, `default`
    does (`auto`: left to the planner).

    ```
    #ckpt.policy<[<must save label "attention_out">,
                  <prefer recompute location "*/mlp/*">], default = save>
    ```
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"::ckpt::RuleAttr">:$rules,
    DefaultValuedParameter<"::ckpt::Decision",
        "::ckpt::Decision::Auto">:$defaultDecision);
  let assemblyFormat = [{
    `<` `[` (`]`) : ($rules^ `]`)? (`,` `default` `=` $defaultDecision^)? `>`
  }];
}

def Ckpt_ScopeAttr : Ckpt_Attr<"Scope", "scope"> {
  let summary = "the region that an op came from";
  let description = [{
    Metadata of a fused location: once a region is inlined, each of its ops
    remembers the region's name and policy there
    (`loc(fused<#ckpt.scope<"block0", policy = ...>>[...])`).
  }];
  let parameters = (ins
    "::mlir::StringAttr":$name,
    OptionalParameter<"::ckpt::PolicyAttr">:$policy);
  let assemblyFormat = "`<` $name (`,` `policy` `=` $policy^)? `>`";
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

def Ckpt_PlanAttr : Ckpt_Attr<"Plan", "plan"> {
  let summary = "the order of a step's ops, recomputations included";
  let description = [{
    Written by `ckpt-plan` or by hand on a function whose ops carry numbers
    (`ckpt.op = 7`). `order` lists the numbers in the order of execution; a
    number that comes again is a recomputation. A value dies after its last use
    before its next recomputation. `a to b` is short for `a, a+1, ..., b`.

    ```
    #ckpt.plan<solver = "sqrt", order = [0 to 9, 4 to 6, 10, 1 to 3, 11 to 14],
               peak = 1048576, store_all_peak = 2097152>
    ```

    `peak` is what the step itself allocates at the most, in bytes, without the
    caller's arguments and results; `store_all_peak` is the same without
    recomputation. `ckpt-verify-plan` checks `peak` and the number of
    recomputations at any later time. Both are optional: `ckpt-materialize`
    fills them in.

    Errors: a negative number, an empty or decreasing range.
  }];
  let parameters = (ins
    "::mlir::StringAttr":$solver,
    ArrayRefParameter<"int64_t">:$order,
    DefaultValuedParameter<"int64_t", "-1">:$peak,
    DefaultValuedParameter<"int64_t", "-1">:$storeAllPeak);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // CKPT_IR_CKPTATTRIBUTES
