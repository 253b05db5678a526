//===- SerializeKernels.h - Kernels as bytes --------------------*- C++ -*-===//

#ifndef CKPT_CONVERSION_GPUTONVVM_SERIALIZEKERNELS_H
#define CKPT_CONVERSION_GPUTONVVM_SERIALIZEKERNELS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <string>
#include <vector>

namespace ckpt {

enum class KernelFormat {
  /// LLVM bitcode for the emulated device. Needs no CUDA toolkit.
  bitcode,
  /// PTX, as text.
  ptx,
  /// Machine code for one chip; needs ptxas.
  cubin,
  /// Machine code and PTX; needs ptxas and fatbinary.
  fatbin
};

struct SerializeOptions {
  KernelFormat format = KernelFormat::bitcode;
  /// As LLVM names it: sm_80, sm_90, ...
  std::string chip = "sm_80";
  /// Of the CUDA toolkit, for its tools and libdevice. Empty: CUDA_ROOT,
  /// CUDA_HOME or CUDA_PATH of the environment, /usr/local/cuda, or where ptxas
  /// is in PATH.
  std::string toolkit;
  /// 0 to 3, of LLVM's optimiser.
  unsigned optLevel = 3;
};

/// What ptxas says that one kernel takes.
struct KernelResources {
  std::string kernel;
  int64_t registers = 0;
  /// Bytes that each thread spills to local memory.
  int64_t spillStores = 0, spillLoads = 0;
  int64_t stackBytes = 0;
  int64_t sharedBytes = 0;
};

struct KernelImage {
  std::vector<char> bytes;
  /// For cubin and fatbin, in the order of ptxas; else empty.
  std::vector<KernelResources> resources;
};

/// The folder of a CUDA toolkit that has `file` ("bin/ptxas",
/// "nvvm/libdevice/libdevice.10.bc"), where `options` say to look; empty if
/// there is none.
std::string findToolkit(const SerializeOptions &options, llvm::StringRef file);

/// Serialises a lowered gpu.module. Fails with an error, at the module or the
/// op concerned, where it is not lowered, or a tool is missing or fails.
llvm::FailureOr<KernelImage> serializeKernels(mlir::gpu::GPUModuleOp module,
                                              const SerializeOptions &options);

/// Registers what serializeKernels() needs to translate to LLVM IR.
void registerKernelTranslations(mlir::DialectRegistry &registry);

} // namespace ckpt

#endif // CKPT_CONVERSION_GPUTONVVM_SERIALIZEKERNELS_H
