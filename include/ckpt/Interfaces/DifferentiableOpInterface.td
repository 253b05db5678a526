//===- DifferentiableOpInterface.td - Adjoints of ops ------*- tablegen -*-===//

#ifndef CKPT_INTERFACES_DIFFERENTIABLEOPINTERFACE
#define CKPT_INTERFACES_DIFFERENTIABLEOPINTERFACE

include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::ckpt";
  let description = [{
    The reverse-mode rule of an op: from the cotangents of its results, the
    contributions to the cotangents of what it reads (operands and values that
    its regions capture). Rules are local. They do not choose what is stored:
    they read forward values through a lookup, and whoever drives them may
    answer with the value itself, a stored copy or a recomputation.

    A value is *active* if it depends differentiably on an input of interest and
    the loss depends on it. All others have no cotangent.

    Attach a model to ops of another dialect with
    `SomeOp::attachInterface<Model>(context)`; the model that was attached first
    wins. For a function, `ckpt.custom_gradient` names another function instead.
  }];
  let methods = [
    InterfaceMethod<[{
        Appends to `primals` the forward values that `emitAdjoint` may look up
        when the values for which `isActive` holds are active: operands, results
        and captured values. A superset is a valid answer, and the conservative
        one is all of them. Never mutates IR.
      }],
      "void", "getNeededPrimals",
      (ins "::llvm::function_ref<bool(::mlir::Value)>":$isActive,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$primals)>,
    InterfaceMethod<[{
        Emits the adjoint where `builder` stands, with `builder`'s location.

        `cotangents` has one entry per result; null is a symbolic zero, for
        which nothing may be emitted. At least one is not null. `primal` gives
        the value to read for a forward value; only values that
        `getNeededPrimals` reports may be asked for. Each contribution goes to
        `accumulate`, with the forward value that it belongs to, as often as
        there are contributions; only for values for which `isActive` holds.
        A contribution has the type of its value.

        What depends on forward values alone, is small, and is read in place of
        larger ones may stand directly after this op instead, if `primal`
        answers with the forward values themselves.

        Fails after an error at this op if it has no derivative that the rule
        knows; ops that were created until then are erased by the caller. Never
        mutates this op.
      }],
      "::llvm::LogicalResult", "emitAdjoint",
      (ins "::mlir::ImplicitLocOpBuilder &":$builder,
           "::llvm::ArrayRef<::mlir::Value>":$cotangents,
           "::llvm::function_ref<bool(::mlir::Value)>":$isActive,
           "::llvm::function_ref<::mlir::Value(::mlir::Value)>":$primal,
           "::ckpt::AccumulateFn":$accumulate)>,
  ];
}

#endif // CKPT_INTERFACES_DIFFERENTIABLEOPINTERFACE
