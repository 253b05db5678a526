//===- PortableMath.h - Math functions without libdevice --------*- C++ -*-===//
//
// Kernels call the functions of NVIDIA's libdevice, which comes with a CUDA
// toolkit. The emulated device must work on machines that have none, and give
// the same results on all: for it these definitions take libdevice's place.
// Kernels for GPUs never contain them.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_LIB_CONVERSION_GPUTONVVM_PORTABLEMATH_H
#define CKPT_LIB_CONVERSION_GPUTONVVM_PORTABLEMATH_H

namespace llvm {
class Module;
} // namespace llvm

namespace ckpt {

/// Gives bodies to the libdevice functions that `module` declares, made of
/// LLVM's intrinsics. A function that is not known stays a declaration. Errors
/// are a few units in the last place.
void definePortableMath(llvm::Module &module);

} // namespace ckpt

#endif // CKPT_LIB_CONVERSION_GPUTONVVM_PORTABLEMATH_H
