//===- CostOpInterface.td - What an op costs ---------------*- tablegen -*-===//

#ifndef CKPT_INTERFACES_COSTOPINTERFACE
#define CKPT_INTERFACES_COSTOPINTERFACE

include "mlir/IR/OpBase.td"

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::ckpt";
  let description = [{
    The arithmetic and the kind of an op, from which the cost model estimates
    its time (a roofline: arithmetic against bytes moved). Queries never mutate
    IR. An op without the interface counts as data movement of its operands and
    results without arithmetic.
  }];
  let methods = [
    InterfaceMethod<[{
        Floating-point and integer operations of one execution: 2 per
        multiply-add of a contraction, 1 per element of other arithmetic. 0 is
        the answer for pure data movement. Saturates at the largest int64_t.
      }],
      "int64_t", "getFlops", (ins)>,
    InterfaceMethod<[{
        The kind that policies name and that picks the peak rate in the cost
        model.
      }],
      "::ckpt::OpKind", "getKind", (ins)>,
    InterfaceMethod<[{
        The element type in which a contraction multiplies (bf16, f16, tf32
        inputs run on tensor cores). Null for every other op.
      }],
      "::mlir::Type", "getContractionType", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return ::mlir::Type();">,
  ];
}

#endif // CKPT_INTERFACES_COSTOPINTERFACE
