; Kernels of the conformance suite: every device runs these.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [128 x float] undef, align 16
@dynamic = external addrspace(3) global [0 x float], align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)
declare { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3))
declare { float, float, float, float } @llvm.nvvm.mma.m16n8k8.row.col.tf32(i32, i32, i32, i32, i32, i32, float, float, float, float)
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)

; y[i] = 2 * x[i] + 1 for i < n
define ptx_kernel void @affine(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = mul i32 %b, 128
  %i = add i32 %base, %t
  %in = icmp ult i32 %i, %n
  br i1 %in, label %body, label %exit
body:
  %i64 = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %i64
  %v = load float, ptr %p, align 4
  %m = fmul float %v, 2.0
  %r = fadd float %m, 1.0
  %q = getelementptr float, ptr %y, i64 %i64
  store float %r, ptr %q, align 4
  br label %exit
exit:
  ret void
}

; Reverses each block's 128 floats, through a static or the dynamic buffer.
define ptx_kernel void @reverse_static(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext i32 %t to i64
  %p = getelementptr float, ptr %x, i64 %t64
  %v = load float, ptr %p, align 4
  %s = getelementptr float, ptr addrspace(3) @tile, i64 %t64
  store float %v, ptr addrspace(3) %s, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %r = sub i64 127, %t64
  %o = getelementptr float, ptr addrspace(3) @tile, i64 %r
  %w = load float, ptr addrspace(3) %o, align 4
  store float %w, ptr %p, align 4
  ret void
}

define ptx_kernel void @reverse_dynamic(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext i32 %t to i64
  %p = getelementptr float, ptr %x, i64 %t64
  %v = load float, ptr %p, align 4
  %s = getelementptr float, ptr addrspace(3) @dynamic, i64 %t64
  store float %v, ptr addrspace(3) %s, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %r = sub i64 127, %t64
  %o = getelementptr float, ptr addrspace(3) @dynamic, i64 %r
  %w = load float, ptr addrspace(3) %o, align 4
  store float %w, ptr %p, align 4
  ret void
}

; out[lane + 32 k] for k = 0..5: shuffles down 3, up 2, from 7 within halves of
; the warp, across 5; ballot(lane < 10); match of lane / 4.
define ptx_kernel void @warp_operations(ptr %out) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %v = mul i32 %lane, 100
  %down = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %v, i32 3, i32 31)
  %up = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %v, i32 2, i32 0)
  %idx = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %v, i32 7, i32 4127)
  %bfly = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %v, i32 5, i32 31)
  %low = icmp ult i32 %lane, 10
  %ballot = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %low)
  %quad = lshr i32 %lane, 2
  %match = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %quad)
  %l64 = zext i32 %lane to i64
  %p0 = getelementptr i32, ptr %out, i64 %l64
  %p1 = getelementptr i32, ptr %p0, i64 32
  %p2 = getelementptr i32, ptr %p0, i64 64
  %p3 = getelementptr i32, ptr %p0, i64 96
  %p4 = getelementptr i32, ptr %p0, i64 128
  %p5 = getelementptr i32, ptr %p0, i64 160
  store i32 %down, ptr %p0, align 4
  store i32 %up, ptr %p1, align 4
  store i32 %idx, ptr %p2, align 4
  store i32 %bfly, ptr %p3, align 4
  store i32 %ballot, ptr %p4, align 4
  store i32 %match, ptr %p5, align 4
  ret void
}

; Copies 128 floats to shared memory asynchronously, reads them back as 8 x 8
; matrices of 16-bit elements: out[4 lane + m] is register m.
define ptx_kernel void @load_matrices(ptr addrspace(1) %x, ptr %out) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %o = mul i32 %lane, 4
  %o64 = zext i32 %o to i64
  %p = getelementptr float, ptr addrspace(1) %x, i64 %o64
  %s = getelementptr float, ptr addrspace(3) @tile, i64 %o64
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %s, ptr addrspace(1) %p)
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.cp.async.wait.group(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %r = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %s)
  %r0 = extractvalue { i32, i32, i32, i32 } %r, 0
  %r1 = extractvalue { i32, i32, i32, i32 } %r, 1
  %r2 = extractvalue { i32, i32, i32, i32 } %r, 2
  %r3 = extractvalue { i32, i32, i32, i32 } %r, 3
  %q0 = getelementptr i32, ptr %out, i64 %o64
  %q1 = getelementptr i32, ptr %q0, i64 1
  %q2 = getelementptr i32, ptr %q0, i64 2
  %q3 = getelementptr i32, ptr %q0, i64 3
  store i32 %r0, ptr %q0, align 4
  store i32 %r1, ptr %q1, align 4
  store i32 %r2, ptr %q2, align 4
  store i32 %r3, ptr %q3, align 4
  ret void
}

; D = A * B for A: 16 x 8, B transposed: 8 x 8, D: 16 x 8, in tf32.
define ptx_kernel void @mma_tf32(ptr %a, ptr %b, ptr %d) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %group = lshr i32 %lane, 2
  %quad = and i32 %lane, 3
  %row = mul i32 %group, 8
  %w0 = add i32 %row, %quad
  %w1 = add i32 %w0, 64
  %w2 = add i32 %w0, 4
  %w3 = add i32 %w0, 68
  %p0 = getelementptr i32, ptr %a, i32 %w0
  %p1 = getelementptr i32, ptr %a, i32 %w1
  %p2 = getelementptr i32, ptr %a, i32 %w2
  %p3 = getelementptr i32, ptr %a, i32 %w3
  %a0 = load i32, ptr %p0, align 4
  %a1 = load i32, ptr %p1, align 4
  %a2 = load i32, ptr %p2, align 4
  %a3 = load i32, ptr %p3, align 4
  %q0 = getelementptr i32, ptr %b, i32 %w0
  %q1 = getelementptr i32, ptr %b, i32 %w2
  %b0 = load i32, ptr %q0, align 4
  %b1 = load i32, ptr %q1, align 4
  %r = call { float, float, float, float } @llvm.nvvm.mma.m16n8k8.row.col.tf32(i32 %a0, i32 %a1, i32 %a2, i32 %a3, i32 %b0, i32 %b1, float 0.0, float 0.0, float 0.0, float 0.0)
  %r0 = extractvalue { float, float, float, float } %r, 0
  %r1 = extractvalue { float, float, float, float } %r, 1
  %r2 = extractvalue { float, float, float, float } %r, 2
  %r3 = extractvalue { float, float, float, float } %r, 3
  %c = mul i32 %quad, 2
  %e0 = add i32 %row, %c
  %e1 = add i32 %e0, 1
  %e2 = add i32 %e0, 64
  %e3 = add i32 %e0, 65
  %d0 = getelementptr float, ptr %d, i32 %e0
  %d1 = getelementptr float, ptr %d, i32 %e1
  %d2 = getelementptr float, ptr %d, i32 %e2
  %d3 = getelementptr float, ptr %d, i32 %e3
  store float %r0, ptr %d0, align 4
  store float %r1, ptr %d1, align 4
  store float %r2, ptr %d2, align 4
  store float %r3, ptr %d3, align 4
  ret void
}

; A check of the program: an index of 100 and more writes its id.
define ptx_kernel void @checked(ptr %index, ptr %status, i32 %id) {
  %i = load i32, ptr %index, align 4
  %bad = icmp uge i32 %i, 100
  br i1 %bad, label %fails, label %exit
fails:
  store i32 %id, ptr %status, align 4
  br label %exit
exit:
  ret void
}
