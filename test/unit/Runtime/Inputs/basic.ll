; Kernels that are right, as NVPTX gets them.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [256 x float] undef, align 4
@dynamic = external addrspace(3) global [0 x float], align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
declare { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32, i32, i32, i32, i32, i32, float, float, float, float)

; z[i] = x[i] * s + y[i] for i < n
define ptx_kernel void @axpy(ptr %x, ptr %y, ptr %z, float %s, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %base = mul i32 %b, %d
  %i = add i32 %base, %t
  %in = icmp slt i32 %i, %n
  br i1 %in, label %body, label %exit
body:
  %i64 = sext i32 %i to i64
  %px = getelementptr inbounds float, ptr %x, i64 %i64
  %py = getelementptr inbounds float, ptr %y, i64 %i64
  %pz = getelementptr inbounds float, ptr %z, i64 %i64
  %vx = load float, ptr %px, align 4
  %vy = load float, ptr %py, align 4
  %m = fmul float %vx, %s
  %r = fadd float %m, %vy
  store float %r, ptr %pz, align 4
  br label %exit
exit:
  ret void
}

; out[block] = sum of x[256 * block ..], through shared memory
define ptx_kernel void @block_sum(ptr addrspace(1) %x, ptr addrspace(1) %out) "nvvm.reqntid"="256,1,1" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = mul i32 %b, 256
  %i = add i32 %base, %t
  %i64 = sext i32 %i to i64
  %px = getelementptr float, ptr addrspace(1) %x, i64 %i64
  %v = load float, ptr addrspace(1) %px, align 4
  %t64 = sext i32 %t to i64
  %mine = getelementptr [256 x float], ptr addrspace(3) @tile, i64 0, i64 %t64
  store float %v, ptr addrspace(3) %mine, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %loop
loop:
  %h = phi i32 [ 128, %0 ], [ %next, %latch ]
  %has = icmp ult i32 %t, %h
  br i1 %has, label %add, label %latch
add:
  %h64 = sext i32 %h to i64
  %j = add i64 %t64, %h64
  %other = getelementptr [256 x float], ptr addrspace(3) @tile, i64 0, i64 %j
  %a = load float, ptr addrspace(3) %mine, align 4
  %c = load float, ptr addrspace(3) %other, align 4
  %s = fadd float %a, %c
  store float %s, ptr addrspace(3) %mine, align 4
  br label %latch
latch:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = lshr i32 %h, 1
  %more = icmp ne i32 %next, 0
  br i1 %more, label %loop, label %done
done:
  %first = icmp eq i32 %t, 0
  br i1 %first, label %write, label %exit
write:
  %total = load float, ptr addrspace(3) @tile, align 4
  %b64 = sext i32 %b to i64
  %po = getelementptr float, ptr addrspace(1) %out, i64 %b64
  store float %total, ptr addrspace(1) %po, align 4
  br label %exit
exit:
  ret void
}

; out[warp] = sum of 32 values, by butterfly shuffles
define ptx_kernel void @warp_sum(ptr %x, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext i32 %t to i64
  %p = getelementptr float, ptr %x, i64 %t64
  %v = load float, ptr %p, align 4
  %v16 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %v, i32 16, i32 31)
  %s16 = fadd float %v, %v16
  %v8 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %s16, i32 8, i32 31)
  %s8 = fadd float %s16, %v8
  %v4 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %s8, i32 4, i32 31)
  %s4 = fadd float %s8, %v4
  %v2 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %s4, i32 2, i32 31)
  %s2 = fadd float %s4, %v2
  %v1 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %s2, i32 1, i32 31)
  %s1 = fadd float %s2, %v1
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %first = icmp eq i32 %lane, 0
  br i1 %first, label %write, label %exit
write:
  %w = lshr i32 %t, 5
  %w64 = zext i32 %w to i64
  %po = getelementptr float, ptr %out, i64 %w64
  store float %s1, ptr %po, align 4
  br label %exit
exit:
  ret void
}

; out[lane] = ballot(lane is odd) + redux.add(lane)
define ptx_kernel void @votes(ptr %out) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %odd = trunc i32 %lane to i1
  %ballot = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %odd)
  %sum = call i32 @llvm.nvvm.redux.sync.add(i32 %lane, i32 -1)
  %r = add i32 %ballot, %sum
  %lane64 = zext i32 %lane to i64
  %p = getelementptr i32, ptr %out, i64 %lane64
  store i32 %r, ptr %p, align 4
  ret void
}

; One m16n8k16 product of bf16 matrices in row-major (A: 16 x 16, B as 8 x 16
; transposed, D: 16 x 8 in f32).
define ptx_kernel void @mma(ptr %a, ptr %b, ptr %d) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %group = lshr i32 %lane, 2
  %quad = and i32 %lane, 3
  ; Words of two elements: row * 8 + quad.
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
  %r = call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32 %a0, i32 %a1, i32 %a2, i32 %a3, i32 %b0, i32 %b1, float 1.0, float 1.0, float 1.0, float 1.0)
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

; Reverses 64 floats through dynamic shared memory.
define ptx_kernel void @reverse_dynamic(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext i32 %t to i64
  %p = getelementptr float, ptr %x, i64 %t64
  %v = load float, ptr %p, align 4
  %s = getelementptr float, ptr addrspace(3) @dynamic, i64 %t64
  store float %v, ptr addrspace(3) %s, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %r = sub i64 63, %t64
  %q = getelementptr float, ptr addrspace(3) @dynamic, i64 %r
  %w = load float, ptr addrspace(3) %q, align 4
  store float %w, ptr %p, align 4
  ret void
}

; out[...] = linear index of each thread in a grid and block of several
; dimensions.
define ptx_kernel void @positions(ptr %out) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %bz = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %nx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %gx = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %gy = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %r0 = mul i32 %bz, %gy
  %r1 = add i32 %r0, %by
  %r2 = mul i32 %r1, %gx
  %block = add i32 %r2, %bx
  %b6 = mul i32 %block, 6
  %trow = mul i32 %ty, %nx
  %t = add i32 %trow, %tx
  %i = add i32 %b6, %t
  %i64 = zext i32 %i to i64
  %p = getelementptr i32, ptr %out, i64 %i64
  store i32 %i, ptr %p, align 4
  ret void
}

; y[i] = x[i] rounded to bf16, 4 at a time.
define ptx_kernel void @to_bf16(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext i32 %t to i64
  %p = getelementptr <4 x float>, ptr %x, i64 %t64
  %v = load <4 x float>, ptr %p, align 16
  %n = fptrunc <4 x float> %v to <4 x bfloat>
  %q = getelementptr <4 x bfloat>, ptr %y, i64 %t64
  store <4 x bfloat> %n, ptr %q, align 8
  ret void
}

; Adds 1 to one counter from every thread.
define ptx_kernel void @count(ptr %counter) {
  %old = atomicrmw add ptr %counter, i32 1 syncscope("device") monotonic
  ret void
}
