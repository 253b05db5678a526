//===- CudaDevice.h - An NVIDIA GPU through the driver API ------*- C++ -*-===//
#ifndef CKPT_LIB_RUNTIME_CUDA_CUDADEVICE_H
#define CKPT_LIB_RUNTIME_CUDA_CUDADEVICE_H

#include "ckpt/Runtime/Device.h"

namespace ckpt::runtime {

/// Opens GPU number `ordinal`. Null with `error` set where the driver, or the
/// GPU, is missing or too old. `seed` has no effect: a GPU orders its threads
/// itself.
std::unique_ptr<Device> openCudaDevice(int ordinal, uint64_t seed,
                                       std::string &error);

} // namespace ckpt::runtime

#endif // CKPT_LIB_RUNTIME_CUDA_CUDADEVICE_H
