// The options of a pipeline are checked as those of its passes are.

// RUN: not ckpt-opt %s '-ckpt-training-step=plan="solvr=sqrt"' 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not ckpt-opt %s '-ckpt-training-step=plan="interval=x"' 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not ckpt-opt %s -ckpt-training-step=pln=3 2>&1 | FileCheck %s --check-prefix=PIPELINE
// OPTION: error: <Pass-Options-Parser>: no such option solvr
// VALUE: 'x' value invalid
// PIPELINE: no such option pln

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
