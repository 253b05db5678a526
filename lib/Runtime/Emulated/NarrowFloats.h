//===- NarrowFloats.h - bfloat16 arithmetic on the host ---------*- C++ -*-===//
#ifndef CKPT_LIB_RUNTIME_EMULATED_NARROWFLOATS_H
#define CKPT_LIB_RUNTIME_EMULATED_NARROWFLOATS_H

namespace llvm {
class Function;
}

namespace ckpt::emulated {

/// Rewrites arithmetic on bfloat to f32, and f32 -> bfloat to integer
/// operations that round to nearest even and keep denormals. Left alone, the
/// host's code generator would call a function per element, or use instructions
/// that flush denormals on some processors only.
void expandNarrowFloats(llvm::Function &function);

} // namespace ckpt::emulated

#endif // CKPT_LIB_RUNTIME_EMULATED_NARROWFLOATS_H
