//===- Passes.td - From tensors to one arena ---------------*- tablegen -*-===//

#ifndef CKPT_CONVERSION_TENSORTOMEMREF_PASSES
#define CKPT_CONVERSION_TENSORTOMEMREF_PASSES

include "mlir/Pass/PassBase.td"

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

    Errors: an allocation of dynamic size, or in a nested region.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif // CKPT_CONVERSION_TENSORTOMEMREF_PASSES
