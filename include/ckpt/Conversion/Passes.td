//===- Passes.td - From tensors to kernels and host code ---*- tablegen -*-===//

#ifndef CKPT_CONVERSION_PASSES
#define CKPT_CONVERSION_PASSES

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

def BufferizeStep : Pass<"ckpt-bufferize-step", "::mlir::ModuleOp"> {
  let summary = "turn a planned step's tensors into buffers";
  let description = [{
    Drops the barriers of the plan (the order of the block is the plan from here
    on), gives every destination an undefined tensor or fill of its own, and runs
    upstream's one-shot bufferisation over function boundaries. Arguments are
    never written. Functions still return their results.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}

def PlaceBuffers : Pass<"ckpt-place-buffers"> {
  let summary = "give every buffer an offset in one arena";
  let description = [{
    Results become trailing out arguments; the first argument becomes the arena,
    `memref<Nxi8>`. Every `memref.alloc` becomes a view of it at a static offset,
    a multiple of 256. Buffers whose lives overlap (from the first op that writes
    to the last that reads) do not overlap in the arena. Offsets: by decreasing
    size, the best fitting gap; N is within a percent of the most bytes alive at
    once on training steps.

    Errors: an allocation of dynamic size, of elements that are no numbers, or in
    a nested region; an op that refers to a function, whose type changes.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def OutlineKernels : Pass<"ckpt-outline-kernels", "mlir::ModuleOp"> {
  let summary = "turn structured ops on placed buffers into kernel launches";
  let description = [{
    Every linalg op, `memref.copy` and top-level `memref.store` or `cf.assert`
    of the module's functions becomes a `gpu.launch_func` of a kernel in one
    `gpu.module`. The functions must be of one block; their memrefs static views
    of function arguments, of an arena (an argument of type `memref<Nxi8>`) or of
    constants.

    - All-parallel ops: one thread per element, or per 16 bytes of elements where
      the operands allow it; transposed operands go through tiles in shared
      memory.
    - Reductions: the threads of a block share the reduced iterations; partial
      results are combined by shuffles and through shared memory in an order that
      depends on the shapes alone. bf16 and f16 accumulate in f32. The payload is
      a combination (sum, product, maximum, ...) of any value with the result, or
      an extreme value with what belongs to the iteration where it is first
      found; any other payload runs with one thread per result, in program order.
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

    Not for functions with control flow or dynamic shapes, nor for ops that read
    elements of their results which other iterations write: these give an error.
    Buffers of different arguments are taken to be disjoint.

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

def VerifyLowered : Pass<"ckpt-verify-lowered", "mlir::ModuleOp"> {
  let summary = "check that nothing is left that would run wrong";
  let description = [{
    Upstream leaves some ops as they are, or lowers them to what is silently
    wrong or slow. A lowered step must obey these rules:

    1. outside of the kernels' module there is nothing but the LLVM dialect;
    2. inside there is nothing but the LLVM and NVVM dialects;
    3. shared buffers are aligned to 16 bytes;
    4. kernels call no function but libdevice's: no `malloc`;
    5. a kernel takes at most 4 KiB of parameters;
    6. kernels allocate no memory of their own.

    Changes nothing. Run it after `ckpt-lower-host`.
  }];
}

#endif // CKPT_CONVERSION_PASSES
