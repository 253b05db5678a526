//===- DifferentiableTypeInterface.td - Cotangents ---------*- tablegen -*-===//

#ifndef CKPT_INTERFACES_DIFFERENTIABLETYPEINTERFACE
#define CKPT_INTERFACES_DIFFERENTIABLETYPEINTERFACE

include "mlir/IR/OpBase.td"

def DifferentiableTypeInterface
    : TypeInterface<"DifferentiableTypeInterface"> {
  let cppNamespace = "::ckpt";
  let description = [{
    The arithmetic that reverse mode itself needs for values of a type. A
    cotangent has the type of its value; while it is being summed it may have a
    wider one, the accumulator type. Methods that create ops insert them where
    the builder stands, and cannot fail on a type that `verifyDifferentiable`
    accepts.

    A type without the interface is taken to carry gradients that cannot be
    computed: an error where it matters.
  }];
  let methods = [
    InterfaceMethod<[{
        Whether a value of this type can depend differentiably on another.
        Integers and indices cannot. The conservative answer is true.
      }],
      "bool", "carriesGradient", (ins)>,
    InterfaceMethod<[{
        Says through `emitError` why cotangents of this type are not supported,
        if they are not. Only asked where `carriesGradient`. Never mutates IR.
      }],
      "::llvm::LogicalResult", "verifyDifferentiable",
      (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError)>,
    InterfaceMethod<[{
        A value of this type with every element equal to `value`, rounded to the
        element type.
      }],
      "::mlir::Value", "createSplat",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "double":$value)>,
    InterfaceMethod<[{
        `sum` + `term`. Added in the accumulator type, which is also the
        result's: f32 for elements narrower than that, else this type. `sum` is
        of this or of the accumulator type, `term` of this type. Where nothing
        has to be added (one of them is zero wherever the other is not), the
        result may be of this type.
      }],
      "::mlir::Value", "createSum",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::Value":$sum, "::mlir::Value":$term)>,
    InterfaceMethod<[{
        `sum`, of this or of the accumulator type, rounded to this type.
      }],
      "::mlir::Value", "roundSum",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::Value":$sum)>,
    InterfaceMethod<[{
        Elementwise `condition` ? `ifTrue` : `ifFalse`, both of this type. The
        condition is an i1, or a tensor of them of this type's shape.
      }],
      "::mlir::Value", "createSelect",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::Value":$condition, "::mlir::Value":$ifTrue,
           "::mlir::Value":$ifFalse)>,
  ];
}

#endif // CKPT_INTERFACES_DIFFERENTIABLETYPEINTERFACE
