//===- CkptOps.td - Ops of the ckpt dialect ----------------*- tablegen -*-===//

#ifndef CKPT_IR_CKPTOPS
#define CKPT_IR_CKPTOPS

include "ckpt/IR/CkptAttributes.td"
include "ckpt/Interfaces/DifferentiableOpInterface.td"
include "ckpt/Interfaces/RematerializableOpInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Ckpt_Op<string mnemonic, list<Trait> traits = []>
    : Op<Ckpt_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Marking
//===----------------------------------------------------------------------===//

def Ckpt_RegionOp : Ckpt_Op<"region", [
    RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlockImplicitTerminator<"::ckpt::YieldOp">]> {
  let summary = "marks ops that are rematerialised under one policy";
  let description = [{
    Executes its body once and returns what it yields. The body uses values from
    above freely. Regions nest; the innermost policy that decides a value wins.

    ```mlir
    %y = ckpt.region "block0"
        policy <[<must save label "out">], default = recompute> {
      %h = linalg.matmul ...
      %o = ckpt.name %h "out" : tensor<4x8xf32>
      ...
      ckpt.yield %z : tensor<4x8xf32>
    } : tensor<4x8xf32>
    ```

    Verified: (R1) the types of the results are those of the yielded values.
  }];
  let arguments = (ins StrAttr:$sym_label, OptionalAttr<Ckpt_PolicyAttr>:$policy);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_label (`policy` $policy^)? attr-dict-with-keyword $body
    (`:` type($results)^)?
  }];
  let hasVerifier = 1;
}

def Ckpt_YieldOp : Ckpt_Op<"yield", [
    Pure, Terminator, ReturnLike, ParentOneOf<["::ckpt::RegionOp"]>]> {
  let summary = "ends a region and names its results";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ }]>];
}

def Ckpt_NameOp : Ckpt_Op<"name", [
    Pure, AllTypesMatch<["value", "result"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<RematerializableOpInterface, ["getStorage"]>]> {
  let summary = "gives a value a label that policies can name";
  let description = [{
    The identity. It keeps the value a buffer of its own: no fusion looks
    through it.

    ```mlir
    %q = ckpt.name %0 "query" : tensor<4x8xf32>
    ```

    Verified: (N1) the label is not empty.
  }];
  let arguments = (ins AnyType:$value, StrAttr:$label);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value $label attr-dict `:` type($value)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Differentiation
//===----------------------------------------------------------------------===//

def Ckpt_ValueAndGradOp : Ckpt_Op<"value_and_grad", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a function's results and the gradients of its loss";
  let description = [{
    Calls `callee` and returns its results, followed by the gradient of its
    first result (the loss: a scalar) with respect to each argument that `wrt`
    lists, in that order. `ckpt-differentiate` expands it where it stands, so
    that a planner sees loss, gradients and the caller's update together.

    ```mlir
    %loss, %dw = ckpt.value_and_grad @f(%w, %x) wrt [0]
      : (tensor<8x4xf32>, tensor<2x8xf32>) -> (tensor<f32>, tensor<8x4xf32>)
    ```

    Verified: (V1) `callee` is a function with a body; (V2) it takes the
    operands' types; (V3) its first result is a float or a tensor of rank 0 of
    floats; (V4) `wrt` lists arguments that exist, each once; (V5) each of them
    is a float or a tensor of floats; (V6) the results are the callee's results
    and then one of each listed argument's type.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands,
                       DenseI64ArrayAttr:$wrt);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $callee `(` $operands `)` `wrt` $wrt attr-dict
    `:` functional-type($operands, $results)
  }];
}

//===----------------------------------------------------------------------===//
// Rematerialisation
//===----------------------------------------------------------------------===//

def Ckpt_BarrierOp : Ckpt_Op<"barrier", [
    Pure, AttrSizedOperandSegments,
    InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<RematerializableOpInterface, ["getStorage"]>]> {
  let summary = "the identity that no optimisation may look through";
  let description = [{
    Returns its first operands unchanged, once the values after `after` exist.
    Clones that use its results are not the originals for CSE, and they cannot
    run before those values: this is what makes a rematerialisation hold.
    `place` tells barriers apart that would otherwise be equal.

    ```mlir
    %a2, %b2 = ckpt.barrier 3 %a, %b after %g
      : tensor<4xf32>, tensor<8xf32> after tensor<4xf32>
    ```

    It has no folder. Canonicalisation only drops results that nothing uses.

    Verified: (B1) there is at least one value. There is one result for each, of
    its type.
  }];
  let arguments = (ins I64Attr:$place, Variadic<AnyType>:$values,
                       Variadic<AnyType>:$gates);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $place $values (`after` $gates^)? attr-dict
    `:` type($values) (`after` type($gates)^)?
  }];
  let extraClassDeclaration = [{
    /// The value that `result` passes on.
    ::mlir::Value getValueFor(::mlir::OpResult result) {
      return getValues()[result.getResultNumber()];
    }
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

#endif // CKPT_IR_CKPTOPS
