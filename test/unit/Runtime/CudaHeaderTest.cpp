//===- CudaHeaderTest.cpp - Our declarations are those of cuda.h ----------===//
//
// Compiled where a CUDA toolkit is; there is nothing to run.
//
//===----------------------------------------------------------------------===//

#include "Cuda/DriverApi.h"

#include <cuda.h>

#include <type_traits>

#define CKPT_SAME(name)                                                        \
  static_assert(int(ckpt::cuda::name) == int(::name), #name)

CKPT_SAME(CUDA_SUCCESS);
CKPT_SAME(CUDA_ERROR_INVALID_VALUE);
CKPT_SAME(CUDA_ERROR_OUT_OF_MEMORY);
CKPT_SAME(CUDA_ERROR_NOT_FOUND);
CKPT_SAME(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
CKPT_SAME(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
CKPT_SAME(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
CKPT_SAME(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
CKPT_SAME(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
CKPT_SAME(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
CKPT_SAME(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
CKPT_SAME(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
CKPT_SAME(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
CKPT_SAME(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
CKPT_SAME(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
CKPT_SAME(CU_JIT_ERROR_LOG_BUFFER);
CKPT_SAME(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
CKPT_SAME(CU_STREAM_NON_BLOCKING);

static_assert(sizeof(ckpt::cuda::CUresult) == sizeof(::CUresult));
static_assert(std::is_same_v<ckpt::cuda::CUdevice, ::CUdevice>);
static_assert(std::is_same_v<ckpt::cuda::CUdeviceptr, ::CUdeviceptr>);

/// A function's type with our names of the handles and enumerations: all are
/// pointers or ints.
template <typename Theirs>
struct Shape;
template <typename Result, typename... Args>
struct Shape<Result (*)(Args...)> {
  static constexpr size_t numArguments = sizeof...(Args);
  static constexpr size_t sizes[] = {sizeof(Args)..., 0};
};

template <typename Ours, typename Theirs>
constexpr bool sameShape() {
  if (Shape<Ours>::numArguments != Shape<Theirs>::numArguments)
    return false;
  for (size_t i = 0; i < Shape<Ours>::numArguments; ++i)
    if (Shape<Ours>::sizes[i] != Shape<Theirs>::sizes[i])
      return false;
  return true;
}

namespace ckpt::cuda {
#define CKPT_CUDA_SYMBOL(member, symbol, parameters)                           \
  static_assert(sameShape<CUresult(*) parameters, decltype(&::symbol)>(),      \
                #symbol);
#include "Cuda/DriverSymbols.def"
} // namespace ckpt::cuda
