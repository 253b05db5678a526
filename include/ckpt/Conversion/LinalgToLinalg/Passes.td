//===- Passes.td - The form of linalg that is planned ------*- tablegen -*-===//

#ifndef CKPT_CONVERSION_LINALGTOLINALG_PASSES
#define CKPT_CONVERSION_LINALGTOLINALG_PASSES

include "mlir/Pass/PassBase.td"

def FuseElementwise : Pass<"ckpt-fuse-elementwise"> {
  let summary = "fuse elementwise ops where that saves a buffer";
  let description = [{
    Upstream's elementwise fusion, controlled so that

    * contractions stay recognisable: only what moves data (a transpose, a
      broadcast) is fused into them;
    * a producer with several readers is fused only if its result is larger than
      what it reads (a broadcast, a mask), so that nothing is computed twice for
      nothing;
    * a value that a policy saves keeps a buffer;
    * kernels stay within the limits of operands and registers.
  }];
  let options = [
    Option<"maxPayload", "max-payload", "unsigned", /*default=*/"64",
      "most scalar ops in one fused op">,
    Option<"maxOperands", "max-operands", "unsigned", /*default=*/"32",
      "most operands of one fused op">,
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def NormalizeStep : Pass<"ckpt-normalize-step"> {
  let summary = "make explicit every buffer and copy that a step needs";
  let description = [{
    Brings a step on tensors into the form in which what a planner sees is what
    bufferisation makes:

    * aggregate ops (`linalg.softmax`) are decomposed, elementwise ops on tensors
      become `linalg.generic`;
    * scalar arithmetic between ops becomes arithmetic on tensors of rank 0;
    * destinations that are not read are undefined tensors (`tensor.empty`), and
      destinations that are splat constants are fills;
    * each returned value has a buffer that is nothing else, and a slice is
      copied before its dimensions are collapsed.

    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tensor.empty() : tensor<4xf32>
      %1 = linalg.copy ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // CKPT_CONVERSION_LINALGTOLINALG_PASSES
