; Kernels with one fault each.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [64 x float] undef, align 4
@rows = internal addrspace(3) global [256 x i16] undef, align 2
@buffer = internal addrspace(3) global [64 x float] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare float @llvm.nvvm.shfl.sync.idx.f32(i32, float, i32, i32)
declare i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3(ptr addrspace(3))
declare void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
declare void @llvm.trap()

; y[i] = x[i + shift]
define ptx_kernel void @shifted_copy(ptr %x, ptr %y, i64 %shift) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext i32 %t to i64
  %i = add i64 %t64, %shift
  %p = getelementptr inbounds float, ptr %x, i64 %i
  %v = load float, ptr %p, align 4
  %q = getelementptr inbounds float, ptr %y, i64 %t64
  store float %v, ptr %q, align 4
  ret void
}

; y[i + 64 * block] = 0
define ptx_kernel void @fill(ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b64 = mul i32 %b, 64
  %i = add i32 %b64, %t
  %i64 = zext i32 %i to i64
  %q = getelementptr inbounds float, ptr %y, i64 %i64
  store float 0.0, ptr %q, align 4
  ret void
}

; y[i] = x[index[i]]
define ptx_kernel void @gather(ptr %x, ptr %index, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext i32 %t to i64
  %pi = getelementptr i32, ptr %index, i64 %t64
  %i = load i32, ptr %pi, align 4
  %i64 = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr %x, i64 %i64
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %y, i64 %t64
  store float %v, ptr %q, align 4
  ret void
}

; A vector of four from an address that is a multiple of 4 only.
define ptx_kernel void @misaligned(ptr align 16 %x, ptr %y) {
  %p = getelementptr float, ptr %x, i64 1
  %v = load <4 x float>, ptr %p, align 16
  %e = extractelement <4 x float> %v, i32 0
  store float %e, ptr %y, align 4
  ret void
}

; The address of a pointer to floats, plus what the caller says.
define ptx_kernel void @vector_store(ptr align 16 %x) {
  store <4 x float> zeroinitializer, ptr %x, align 16
  ret void
}

define ptx_kernel void @shared_overrun(ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add i32 %t, 32
  %i64 = zext i32 %i to i64
  %s = getelementptr inbounds [64 x float], ptr addrspace(3) @tile, i64 0, i64 %i64
  store float 1.0, ptr addrspace(3) %s, align 4
  ret void
}

; ldmatrix wants rows at multiples of 16; the buffer is aligned to 2.
define ptx_kernel void @shared_misaligned(ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = and i32 %t, 7
  %o = mul i32 %r, 8
  %s = getelementptr i16, ptr addrspace(3) @rows, i32 %o
  store i16 0, ptr addrspace(3) %s, align 2
  %v = call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3(ptr addrspace(3) %s)
  %t64 = zext i32 %t to i64
  %q = getelementptr i32, ptr %y, i64 %t64
  store i32 %v, ptr %q, align 4
  ret void
}

; Reverses 64 floats through shared memory, without the barrier in between.
define ptx_kernel void @missing_barrier(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext i32 %t to i64
  %p = getelementptr float, ptr %x, i64 %t64
  %v = load float, ptr %p, align 4
  %s = getelementptr [64 x float], ptr addrspace(3) @buffer, i64 0, i64 %t64
  store float %v, ptr addrspace(3) %s, align 4
  %r = sub i64 63, %t64
  %o = getelementptr [64 x float], ptr addrspace(3) @buffer, i64 0, i64 %r
  %w = load float, ptr addrspace(3) %o, align 4
  %q = getelementptr float, ptr %y, i64 %t64
  store float %w, ptr %q, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}

; All threads of all blocks write one word.
define ptx_kernel void @last_writer(ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b64 = mul i32 %b, 64
  %i = add i32 %b64, %t
  store i32 %i, ptr %y, align 4
  ret void
}

; y[i] = x[i] through shared memory; waits for the copy only if asked to.
define ptx_kernel void @async_copy(ptr addrspace(1) %x, ptr %y, i1 %wait) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext i32 %t to i64
  %p = getelementptr float, ptr addrspace(1) %x, i64 %t64
  %s = getelementptr [64 x float], ptr addrspace(3) @buffer, i64 0, i64 %t64
  store float 0.0, ptr addrspace(3) %s, align 4
  call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %s, ptr addrspace(1) %p)
  call void @llvm.nvvm.cp.async.commit.group()
  br i1 %wait, label %waiting, label %reading
waiting:
  call void @llvm.nvvm.cp.async.wait.group(i32 0)
  br label %reading
reading:
  %v = load float, ptr addrspace(3) %s, align 4
  %q = getelementptr float, ptr %y, i64 %t64
  store float %v, ptr %q, align 4
  ret void
}

; Half of the threads wait.
define ptx_kernel void @divergent_barrier() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = icmp ult i32 %t, 16
  br i1 %low, label %waits, label %exit
waits:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %exit
exit:
  ret void
}

; The two halves of a warp wait at different barriers.
define ptx_kernel void @two_barriers(ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = icmp ult i32 %t, 16
  br i1 %low, label %first, label %second
first:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 1, ptr %y, align 4
  br label %exit
second:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %exit
exit:
  ret void
}

; Half of the lanes that the mask names shuffle, the others wait at a barrier.
define ptx_kernel void @divergent_shuffle(ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = icmp ult i32 %t, 16
  br i1 %low, label %shuffles, label %exit
shuffles:
  %v = call float @llvm.nvvm.shfl.sync.idx.f32(i32 -1, float 1.0, i32 0, i32 31)
  store float %v, ptr %y, align 4
  br label %exit
exit:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}

; A lane that is not in its own mask.
define ptx_kernel void @wrong_mask(ptr %y) {
  %v = call float @llvm.nvvm.shfl.sync.idx.f32(i32 1, float 1.0, i32 0, i32 31)
  store float %v, ptr %y, align 4
  ret void
}

define ptx_kernel void @traps() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bad = icmp eq i32 %t, 7
  br i1 %bad, label %trap, label %exit
trap:
  call void @llvm.trap()
  unreachable
exit:
  ret void
}

; Reads shared memory that nobody wrote.
define ptx_kernel void @uninitialised_shared(ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext i32 %t to i64
  %s = getelementptr [64 x float], ptr addrspace(3) @buffer, i64 0, i64 %t64
  %v = load float, ptr addrspace(3) %s, align 4
  %q = getelementptr float, ptr %y, i64 %t64
  store float %v, ptr %q, align 4
  ret void
}

; Writes index i of a local array of 8, then reads index 0.
define ptx_kernel void @local_overrun(ptr %y, i64 %i) {
  %a = alloca [8 x float], align 4
  %p = getelementptr [8 x float], ptr %a, i64 0, i64 %i
  store float 1.0, ptr %p, align 4
  %v = load float, ptr %a, align 4
  store float %v, ptr %y, align 4
  ret void
}
