//===- KernelTarget.h - What kernels are compiled for -----------*- C++ -*-===//
#ifndef CKPT_LIB_CONVERSION_GPUTONVVM_KERNELTARGET_H
#define CKPT_LIB_CONVERSION_GPUTONVVM_KERNELTARGET_H

#include "llvm/ADT/StringRef.h"

namespace ckpt {

inline constexpr llvm::StringLiteral kernelTriple = "nvptx64-nvidia-cuda";
/// PTX 8.0: the first version that every chip up to sm_90 can do with.
inline constexpr llvm::StringLiteral kernelFeatures = "+ptx80";

} // namespace ckpt

#endif // CKPT_LIB_CONVERSION_GPUTONVVM_KERNELTARGET_H
