//===- StubDriver.cpp - A CUDA driver that checks its caller --------------===//

#include "StubDriver.h"

#include "Cuda/DriverApi.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

using namespace ckpt::test;

using namespace ckpt::cuda;

static constexpr CUresult success = CUDA_SUCCESS;
static constexpr CUresult invalidValue = CUDA_ERROR_INVALID_VALUE;
static constexpr CUresult outOfMemory = CUDA_ERROR_OUT_OF_MEMORY;
static constexpr CUresult invalidImage = 218;
static constexpr CUresult notFound = CUDA_ERROR_NOT_FOUND;

/// Bound to this thread by cuCtxSetCurrent.
static thread_local bool hasContext = false;

namespace {
/// Where no test looks at the state, the environment variable CKPT_STUB_REPORT
/// asks for a summary on standard error when the program ends.
struct ReportedState : StubState {
  ~ReportedState() {
    if (!std::getenv("CKPT_STUB_REPORT"))
      return;
    std::fprintf(stderr, "stub driver: %zu launches, peak of %zu bytes, %s\n",
                 launches.size(), peakBytes,
                 isClean() ? "all returned" : "SOMETHING LEFT OPEN");
    for (const std::string &text : violations)
      std::fprintf(stderr, "stub driver: VIOLATION: %s\n", text.c_str());
  }
};
} // namespace

extern "C" StubState *ckptStubState() {
  static ReportedState state;
  return &state;
}

static CUresult violation(const std::string &text) {
  ckptStubState()->violations.push_back(text);
  return invalidValue;
}

/// The injected failure of a function, if it is due.
static CUresult injected(const char *function) {
  StubState &state = *ckptStubState();
  if (state.failing != function || state.callsBeforeFailure-- > 0)
    return success;
  state.callsBeforeFailure = 0;
  return state.failureCode;
}

/// Every function that works on a context starts with this.
#define ENTER(function)                                                        \
  do {                                                                         \
    if (!hasContext)                                                           \
      return violation(#function " without a current context");                \
    if (CUresult result = injected(#function))                                 \
      return result;                                                           \
  } while (false)

static bool isLive(uint64_t address, size_t bytes) {
  const auto &allocations = ckptStubState()->allocations;
  auto it = allocations.upper_bound(address);
  if (it == allocations.begin())
    return false;
  --it;
  return address - it->first <= it->second &&
         bytes <= it->second - (address - it->first);
}

static bool isStream(const void *stream) {
  return ckptStubState()->streams.count(stream) != 0;
}

extern "C" {

//===----------------------------------------------------------------------===//
// Driver, devices, contexts
//===----------------------------------------------------------------------===//

CUresult cuInit(unsigned flags) {
  if (flags != 0)
    return violation("cuInit with flags");
  return injected("cuInit");
}

CUresult cuDriverGetVersion(int *version) {
  *version = ckptStubState()->version;
  return success;
}

CUresult cuGetErrorName(CUresult error, const char **name) {
  switch (error) {
  case invalidValue:
    *name = "CUDA_ERROR_INVALID_VALUE";
    return success;
  case outOfMemory:
    *name = "CUDA_ERROR_OUT_OF_MEMORY";
    return success;
  case invalidImage:
    *name = "CUDA_ERROR_INVALID_PTX";
    return success;
  case 700:
    *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
    return success;
  default:
    *name = nullptr;
    return invalidValue;
  }
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = error == outOfMemory ? "out of memory"
          : error == 700       ? "an illegal memory access was encountered"
                               : "stub error";
  return success;
}

CUresult cuDeviceGetCount(int *count) {
  *count = ckptStubState()->deviceCount;
  return injected("cuDeviceGetCount");
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  if (ordinal < 0 || ordinal >= ckptStubState()->deviceCount)
    return violation("cuDeviceGet of a device that is not there");
  *device = ordinal;
  return success;
}

CUresult cuDeviceGetName(char *name, int length, int) {
  std::strncpy(name, "Stub GPU", size_t(length));
  return success;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice) {
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
    *value = 1024;
    return success;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
    *value = 64;
    return success;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
    *value = 2147483647;
    return success;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
    *value = 65535;
    return success;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    *value = 227 * 1024;
    return success;
  }
  return violation("cuDeviceGetAttribute of an attribute that is not known");
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice) {
  if (CUresult result = injected("cuDevicePrimaryCtxRetain"))
    return result;
  ++ckptStubState()->contexts;
  *context = reinterpret_cast<CUcontext>(ckptStubState());
  return success;
}

CUresult cuDevicePrimaryCtxRelease_v2(int) {
  if (--ckptStubState()->contexts < 0)
    return violation("cuDevicePrimaryCtxRelease without a retain");
  return success;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  if (static_cast<void *>(context) != ckptStubState() ||
      ckptStubState()->contexts == 0)
    return violation("cuCtxSetCurrent of a context that is not there");
  hasContext = true;
  return success;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  ENTER(cuStreamCreate);
  if (flags > 1)
    return violation("cuStreamCreate with unknown flags");
  *stream = static_cast<CUstream>(std::malloc(1));
  ckptStubState()->streams.insert(*stream);
  return success;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  ENTER(cuStreamDestroy_v2);
  if (!ckptStubState()->streams.erase(stream))
    return violation("cuStreamDestroy of a stream that is not there");
  std::free(stream);
  return success;
}

CUresult cuStreamSynchronize(CUstream stream) {
  ENTER(cuStreamSynchronize);
  if (!isStream(stream))
    return violation("cuStreamSynchronize of a stream that is not there");
  ++ckptStubState()->synchronisations;
  return success;
}

//===----------------------------------------------------------------------===//
// Modules and kernels
//===----------------------------------------------------------------------===//

/// The kernels of PTX: ".entry NAME( .param ..., ... ) .maxntid X, Y, Z {".
static std::vector<StubKernel> kernelsOfPtx(const std::string &text) {
  std::vector<StubKernel> kernels;
  for (size_t at = 0; (at = text.find(".entry ", at)) != std::string::npos;) {
    const size_t begin = at + std::strlen(".entry ");
    const size_t open = text.find('(', begin);
    const size_t close = text.find(')', open);
    const size_t body = text.find('{', close);
    if (body == std::string::npos)
      break;
    StubKernel kernel;
    kernel.name = text.substr(begin, open - begin);
    for (size_t p = open; (p = text.find(".param", p)) < close; ++p)
      ++kernel.numParams;
    kernel.maxThreads = 1024;
    for (const char *directive : {".maxntid", ".reqntid"}) {
      const size_t found = text.find(directive, close);
      if (found > body)
        continue;
      int sizes[3] = {1, 1, 1};
      std::sscanf(text.c_str() + found + std::strlen(directive), "%d , %d , %d",
                  &sizes[0], &sizes[1], &sizes[2]);
      kernel.maxThreads = sizes[0] * sizes[1] * sizes[2];
    }
    kernels.push_back(kernel);
    at = body;
  }
  return kernels;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            CUjit_option *options, void **values) {
  ENTER(cuModuleLoadDataEx);
  const std::string text = static_cast<const char *>(image);
  if (text.find("syntax error") != std::string::npos) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
        std::strcpy(static_cast<char *>(values[i]),
                    "line 1: syntax error near 'oops'");
    return invalidImage;
  }
  *module = static_cast<CUmodule>(std::malloc(1));
  StubState &state = *ckptStubState();
  state.modules.insert(*module);
  for (StubKernel &kernel : kernelsOfPtx(text)) {
    kernel.module = *module;
    state.kernels[std::malloc(1)] = kernel;
  }
  std::istringstream words(text);
  std::string word;
  while (words >> word) {
    if (word != "kernel")
      continue;
    StubKernel kernel;
    words >> kernel.name >> kernel.numParams >> kernel.maxThreads >>
        kernel.staticSharedBytes;
    kernel.module = *module;
    state.kernels[std::malloc(1)] = kernel;
  }
  return success;
}

CUresult cuModuleUnload(CUmodule module) {
  ENTER(cuModuleUnload);
  StubState &state = *ckptStubState();
  if (!state.modules.erase(module))
    return violation("cuModuleUnload of a module that is not there");
  for (auto it = state.kernels.begin(); it != state.kernels.end();) {
    if (it->second.module != module) {
      ++it;
      continue;
    }
    std::free(const_cast<void *>(it->first));
    it = state.kernels.erase(it);
  }
  std::free(module);
  return success;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  ENTER(cuModuleGetFunction);
  if (!ckptStubState()->modules.count(module))
    return violation("cuModuleGetFunction of a module that is not there");
  for (const auto &[handle, kernel] : ckptStubState()->kernels)
    if (kernel.name == name && kernel.module == module) {
      *function = static_cast<CUfunction>(const_cast<void *>(handle));
      return success;
    }
  return notFound;
}

static StubKernel *kernelOf(const void *function) {
  auto it = ckptStubState()->kernels.find(function);
  return it == ckptStubState()->kernels.end() ? nullptr : &it->second;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                            CUfunction function) {
  ENTER(cuFuncGetAttribute);
  const StubKernel *kernel = kernelOf(function);
  if (!kernel)
    return violation("cuFuncGetAttribute of a kernel that is not there");
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
    *value = kernel->maxThreads;
  else if (attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
    *value = kernel->staticSharedBytes;
  else
    return violation("cuFuncGetAttribute of an attribute that is not known");
  return success;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                            int value) {
  ENTER(cuFuncSetAttribute);
  StubKernel *kernel = kernelOf(function);
  if (!kernel || attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    return violation("cuFuncSetAttribute with unknown arguments");
  if (value < 0 || value + kernel->staticSharedBytes > 227 * 1024)
    return violation("cuFuncSetAttribute beyond the GPU's shared memory");
  kernel->dynamicSharedLimit = value;
  return success;
}

#ifndef CKPT_STUB_WITHOUT_PARAM_INFO
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset,
                            size_t *size) {
  ENTER(cuFuncGetParamInfo);
  const StubKernel *kernel = kernelOf(function);
  if (!kernel)
    return violation("cuFuncGetParamInfo of a kernel that is not there");
  if (index >= kernel->numParams)
    return invalidValue;
  *offset = index * 8;
  *size = 8;
  return success;
}
#endif

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned sharedBytes, CUstream stream,
                        void **params, void **extra) {
  ENTER(cuLaunchKernel);
  const StubKernel *kernel = kernelOf(function);
  if (!kernel)
    return violation("cuLaunchKernel of a kernel that is not there");
  if (!isStream(stream))
    return violation("cuLaunchKernel on a stream that is not there");
  if (gridX < 1 || gridX > 2147483647u || gridY < 1 || gridY > 65535 ||
      gridZ < 1 || gridZ > 65535)
    return violation("cuLaunchKernel with a grid out of range");
  if (blockX < 1 || blockX > 1024 || blockY < 1 || blockY > 1024 ||
      blockZ < 1 || blockZ > 64 ||
      uint64_t(blockX) * blockY * blockZ > uint64_t(kernel->maxThreads))
    return violation("cuLaunchKernel with a block out of range");
  if (sharedBytes > unsigned(kernel->dynamicSharedLimit))
    return violation("cuLaunchKernel with more shared memory than was allowed");
  if (extra)
    return violation("cuLaunchKernel with extra arguments");
  StubLaunch launch{kernel->name,
                    {gridX, gridY, gridZ},
                    {blockX, blockY, blockZ},
                    sharedBytes,
                    {}};
  for (size_t i = 0; i < kernel->numParams; ++i) {
    uint64_t value;
    std::memcpy(&value, params[i], sizeof(value));
    launch.params.push_back(value);
  }
  ckptStubState()->launches.push_back(launch);
  return success;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

#ifndef CKPT_STUB_WITHOUT_MEM_ALLOC
CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  ENTER(cuMemAlloc_v2);
  if (bytes == 0)
    return violation("cuMemAlloc of nothing");
  StubState &state = *ckptStubState();
  if (bytes > state.capacity - state.bytes)
    return outOfMemory;
  void *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  *address = reinterpret_cast<uintptr_t>(memory);
  state.allocations[*address] = bytes;
  state.bytes += bytes;
  state.peakBytes = std::max(state.peakBytes, state.bytes);
  return success;
}
#endif

CUresult cuMemFree_v2(CUdeviceptr address) {
  ENTER(cuMemFree_v2);
  StubState &state = *ckptStubState();
  auto it = state.allocations.find(address);
  if (it == state.allocations.end())
    return violation("cuMemFree of an address that was not allocated");
  state.bytes -= it->second;
  state.allocations.erase(it);
  std::free(reinterpret_cast<void *>(uintptr_t(address)));
  return success;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                              CUstream stream) {
  ENTER(cuMemcpyHtoDAsync_v2);
  if (!isStream(stream) || !isLive(to, bytes))
    return violation("cuMemcpyHtoDAsync to memory that is not allocated");
  std::memcpy(reinterpret_cast<void *>(uintptr_t(to)), from, bytes);
  ckptStubState()->uploadedBytes += bytes;
  return success;
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  ENTER(cuMemcpyDtoHAsync_v2);
  if (!isStream(stream) || !isLive(from, bytes))
    return violation("cuMemcpyDtoHAsync from memory that is not allocated");
  std::memcpy(to, reinterpret_cast<void *>(uintptr_t(from)), bytes);
  ckptStubState()->downloadedBytes += bytes;
  return success;
}

} // extern "C"
