//===- Passes.td - From buffers to kernels and host code ---*- tablegen -*-===//

#ifndef CKPT_CONVERSION_PASSES
#define CKPT_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def OutlineKernels : Pass<"ckpt-outline-kernels", "mlir::ModuleOp"> {
  let summary = "turn structured ops on placed buffers into kernel launches";
  let description = [{
    Every linalg op, `memref.copy` and top-level `memref.store` or `cf.assert`
    of the module's functions becomes a `gpu.launch_func` of a kernel in one
    `gpu.module`. The functions must be of one block; their memrefs static views
    of function arguments, of an arena (an argument of type `memref<Nxi8>`) or of
    constants.

    - All-parallel ops: one thread per element, or per 16 bytes of elements where
      the operands allow it.
    - Reductions: the threads of a block share the reduced iterations; partial
      results are combined by shuffles and through shared memory in an order that
      depends on the shapes alone. bf16 and f16 sums accumulate in f32. A payload
      that is no plain combination runs with one thread per result, in program
      order.
    - Contractions, found by their structure in any generic, convolutions
      included: tiles through shared memory, f32 accumulators for bf16 and f16.

    A kernel's parameters are the addresses of its operands; shapes are part of
    the kernel, places are not, so that equal ops share one kernel wherever their
    buffers lie. A fill becomes the initial value of the op that accumulates onto
    it. Scalars that the function computes from loads are computed by the kernels
    that use them.

    A `cf.assert` becomes a check: where it fails, its number goes to the status
    word (an argument with `ckpt.status`, added where there are checks), what it
    guards is not evaluated, and zeros are written. The texts are the module's
    attribute `ckpt.check_messages`.

    Not for functions with control flow or dynamic shapes: these give an error.

    ```mlir
    func.func @step(%arena: memref<256xi8>, %x: memref<64xf32>) {
      %c0 = arith.constant 0 : index
      %y = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
      linalg.exp ins(%x : memref<64xf32>) outs(%y : memref<64xf32>)
      return
    }
    ```
    becomes
    ```mlir
    func.func @step(%arena: memref<256xi8>, %x: memref<64xf32>) {
      ...
      gpu.launch_func @kernels::@elementwise_64xf32 blocks in (%c1, %c1, %c1)
          threads in (%c32, %c1, %c1)
          args(%x : memref<64xf32>, %y : memref<64xf32>)
      return
    }
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::gpu::GPUDialect",
    "mlir::linalg::LinalgDialect", "mlir::LLVM::LLVMDialect",
    "mlir::math::MathDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
  ];
  let options = [
    Option<"kernelModule", "kernel-module", "std::string",
           /*default=*/"\"kernels\"", "The name of the gpu.module">
  ];
}

def LowerKernels : Pass<"ckpt-lower-kernels", "mlir::gpu::GPUModuleOp"> {
  let summary = "lower kernels to the LLVM and NVVM dialects";
  let description = [{
    Lowers what `ckpt-outline-kernels` emits by upstream's conversions, with bare
    pointers as parameters and 64-bit indices. Math ops that processors have
    instructions for (`sqrt`, `fma`, `floor`, ...) become LLVM intrinsics, exactly
    rounded; the others become calls of libdevice. Gives the module a target for
    `chip`, so that upstream's `gpu-module-to-binary` works too.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect",
    "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect", "mlir::NVVM::NVVMDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
  ];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_80\"",
           "The processor, as LLVM names it">
  ];
}

def LowerHost : Pass<"ckpt-lower-host", "mlir::ModuleOp"> {
  let summary = "lower a step's launches to calls of the runtime";
  let description = [{
    Replaces the step by an `llvm.func` that acquires the arena, calls
    `ckptLaunch` for each `gpu.launch_func` and releases the arena, and by the
    exported constant `ckpt_step_info` that describes it (see
    `ckpt/Runtime/Runtime.h`). After the first call that fails the others are
    skipped and its code is returned.

    The step's first argument is the arena; arguments with `bufferize.result` are
    results, the others the caller's arguments. Every operand of a launch must be
    an argument at a constant offset. The kernels' module stays as it is.

    ```mlir
    gpu.launch_func @kernels::@fill blocks in (%c4, %c1, %c1)
        threads in (%c256, %c1, %c1) args(%y : memref<1024xf32>)
    ```
    becomes
    ```mlir
    llvm.store %y, %slots : !llvm.ptr, !llvm.ptr
    %code = llvm.call @ckptLaunch(%context, %name, %c4, %c1, %c1, %c256, %c1,
        %c1, %c0, %c0, %parameters, %c1)
    %fails = llvm.icmp "ne" %code, %c0 : i32
    llvm.cond_br %fails, ^release(%code : i32), ^next
    ```
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
  let options = [
    Option<"entry", "entry", "std::string", /*default=*/"",
           "The step; empty: the only function with a body">
  ];
}

#endif // CKPT_CONVERSION_PASSES
