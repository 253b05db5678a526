//===- CudaDevice.cpp - An NVIDIA GPU through the driver API --------------===//

#include "CudaDevice.h"

#include "DriverTable.h"

#include <map>
#include <utility>
#include <vector>

using namespace ckpt;
using namespace ckpt::cuda;
using runtime::LaunchConfig;
using runtime::LaunchLimits;
using runtime::Status;

namespace {

/// A kernel of the loaded image, with what the driver says of it.
struct Kernel {
  CUfunction function = nullptr;
  int maxThreads = 0;
  int staticSharedBytes = 0;
  /// Dynamic shared memory that the driver was told to allow.
  uint32_t allowedSharedBytes = 0;
  /// Where the driver can tell; else -1.
  int32_t numParams = -1;
};

class CudaDevice final : public runtime::Device {
public:
  explicit CudaDevice(std::unique_ptr<DriverTable> table)
      : driver(std::move(table)) {}
  ~CudaDevice() override;

  Status open(int ordinal);

  std::string name() const override { return deviceName; }
  bool isEmulated() const override { return false; }
  LaunchLimits limits() const override { return deviceLimits; }
  Status allocate(int64_t bytes, void *&address) override;
  Status free(void *address) override;
  Status upload(void *to, const void *from, int64_t bytes) override;
  Status download(void *to, const void *from, int64_t bytes) override;
  Status loadImage(const void *data, int64_t size) override;
  Status launch(const char *name, const LaunchConfig &config, void **params,
                int32_t numParams) override;
  Status synchronize() override;

private:
  Status readLimits();
  /// The driver's state is per host thread, and ours may change.
  Status makeCurrent();
  Status findKernel(const char *name, Kernel *&kernel);
  Status prepareLaunch(const char *name, Kernel &kernel,
                       const LaunchConfig &config, int32_t numParams);
  int32_t countParams(CUfunction function) const;
  void dropSpare();

  std::unique_ptr<DriverTable> driver;
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  CUmodule module = nullptr;
  std::string deviceName;
  LaunchLimits deviceLimits;
  std::map<std::string, Kernel> kernels;
  std::string lastKernel;
  /// Sizes of live allocations, and the last one that was freed: the next step
  /// asks for an arena of the same size, and the driver takes milliseconds.
  std::map<CUdeviceptr, size_t> live;
  CUdeviceptr spare = 0;
  size_t spareBytes = 0;
};

} // namespace

static CUdeviceptr deviceAddress(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

//===----------------------------------------------------------------------===//
// Opening and closing
//===----------------------------------------------------------------------===//

std::unique_ptr<runtime::Device> runtime::openCudaDevice(int ordinal, uint64_t,
                                                         std::string &error) {
  std::unique_ptr<DriverTable> table;
  Status status = DriverTable::open(table);
  if (status.ok()) {
    auto device = std::make_unique<CudaDevice>(std::move(table));
    status = device->open(ordinal);
    if (status.ok())
      return device;
  }
  error = status.message();
  return nullptr;
}

Status CudaDevice::open(int ordinal) {
  int count = 0;
  if (Status status =
          driver->check("counting GPUs", driver->deviceGetCount(&count));
      !status.ok())
    return status;
  if (ordinal >= count)
    return Status::error("there is no GPU number " + std::to_string(ordinal) +
                         "; the CUDA driver sees " + std::to_string(count));
  if (Status status =
          driver->check("opening the GPU", driver->deviceGet(&device, ordinal));
      !status.ok())
    return status;
  char name[256] = {};
  if (Status status =
          driver->check("asking for the GPU's name",
                        driver->deviceGetName(name, sizeof(name) - 1, device));
      !status.ok())
    return status;
  deviceName = name;
  if (Status status = readLimits(); !status.ok())
    return status;
  if (Status status = driver->check("creating a context on the GPU",
                                    driver->primaryCtxRetain(&context, device));
      !status.ok())
    return status;
  if (Status status = makeCurrent(); !status.ok())
    return status;
  return driver->check("creating a stream",
                       driver->streamCreate(&stream, CU_STREAM_NON_BLOCKING));
}

CudaDevice::~CudaDevice() {
  if (!context)
    return;
  // Nobody is left to hear of an error.
  (void)makeCurrent();
  if (stream)
    (void)driver->streamSynchronize(stream);
  dropSpare();
  if (module)
    (void)driver->moduleUnload(module);
  if (stream)
    (void)driver->streamDestroy(stream);
  (void)driver->primaryCtxRelease(device);
}

Status CudaDevice::readLimits() {
  const struct {
    CUdevice_attribute attribute;
    uint32_t *limit;
  } rows[] = {
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &deviceLimits.grid.x},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, &deviceLimits.grid.y},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, &deviceLimits.grid.z},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, &deviceLimits.block.x},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, &deviceLimits.block.y},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, &deviceLimits.block.z},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
       &deviceLimits.threadsPerBlock},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
       &deviceLimits.sharedBytes},
  };
  for (const auto &row : rows) {
    int value = 0;
    if (Status status = driver->check(
            "asking for the GPU's limits",
            driver->deviceGetAttribute(&value, row.attribute, device));
        !status.ok())
      return status;
    *row.limit = uint32_t(value);
  }
  return Status();
}

Status CudaDevice::makeCurrent() {
  return driver->check("switching to the GPU's context",
                       driver->ctxSetCurrent(context));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void CudaDevice::dropSpare() {
  if (spare)
    (void)driver->memFree(spare);
  spare = 0;
  spareBytes = 0;
}

Status CudaDevice::allocate(int64_t bytes, void *&address) {
  if (Status status = makeCurrent(); !status.ok())
    return status;
  // The driver refuses to allocate nothing.
  const size_t size = bytes > 0 ? size_t(bytes) : 1;
  CUdeviceptr allocated = 0;
  if (spare && spareBytes == size) {
    std::swap(allocated, spare);
    spareBytes = 0;
  } else {
    CUresult result = driver->memAlloc(&allocated, size);
    if (result == CUDA_ERROR_OUT_OF_MEMORY && spare) {
      dropSpare();
      result = driver->memAlloc(&allocated, size);
    }
    if (result != CUDA_SUCCESS)
      return driver->error("cannot allocate " + std::to_string(bytes) +
                               " bytes on the GPU",
                           result);
  }
  live[allocated] = size;
  address = reinterpret_cast<void *>(uintptr_t(allocated));
  return Status();
}

Status CudaDevice::free(void *address) {
  if (Status status = makeCurrent(); !status.ok())
    return status;
  auto it = live.find(deviceAddress(address));
  if (it == live.end())
    return Status::error("the GPU has no such allocation");
  // Whoever gets it next uses it in the order of the stream.
  const CUdeviceptr outgoing = spare;
  spare = it->first;
  spareBytes = it->second;
  live.erase(it);
  return outgoing ? driver->check("freeing memory of the GPU",
                                  driver->memFree(outgoing))
                  : Status();
}

Status CudaDevice::upload(void *to, const void *from, int64_t bytes) {
  if (Status status = makeCurrent(); !status.ok())
    return status;
  if (Status status = driver->check(
          "copying to the GPU", driver->memcpyHtoDAsync(deviceAddress(to), from,
                                                        size_t(bytes), stream));
      !status.ok())
    return status;
  return synchronize();
}

Status CudaDevice::download(void *to, const void *from, int64_t bytes) {
  if (Status status = makeCurrent(); !status.ok())
    return status;
  if (Status status =
          driver->check("copying from the GPU",
                        driver->memcpyDtoHAsync(to, deviceAddress(from),
                                                size_t(bytes), stream));
      !status.ok())
    return status;
  return synchronize();
}

Status CudaDevice::synchronize() {
  if (Status status = makeCurrent(); !status.ok())
    return status;
  const CUresult result = driver->streamSynchronize(stream);
  if (result == CUDA_SUCCESS)
    return Status();
  std::string what = "the GPU's queued work failed";
  if (!lastKernel.empty())
    what += " (the last kernel queued was '" + lastKernel + "')";
  return driver->error(what, result);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Status CudaDevice::loadImage(const void *data, int64_t size) {
  if (Status status = makeCurrent(); !status.ok())
    return status;
  if (Status status = synchronize(); !status.ok())
    return status;
  kernels.clear();
  if (module) {
    CUmodule old = std::exchange(module, nullptr);
    if (Status status = driver->check("unloading the kernel image",
                                      driver->moduleUnload(old));
        !status.ok())
      return status;
  }
  // PTX has to end in a zero byte.
  const char *bytes = static_cast<const char *>(data);
  std::vector<char> image(bytes, bytes + size);
  image.push_back('\0');
  std::vector<char> log(16 * 1024);
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log.data(),
                    reinterpret_cast<void *>(uintptr_t(log.size() - 1))};
  const CUresult result =
      driver->moduleLoadDataEx(&module, image.data(), 2, options, values);
  if (result == CUDA_SUCCESS)
    return Status();
  module = nullptr;
  Status failure = driver->error("cannot load the kernel image", result);
  const std::string text = log.data();
  return text.empty() ? failure
                      : Status::error(failure.message() + "\n" + text);
}

/// The number of a kernel's parameters, or -1 from drivers before CUDA 12.4.
int32_t CudaDevice::countParams(CUfunction function) const {
  if (!driver->funcGetParamInfo)
    return -1;
  size_t offset = 0;
  size_t size = 0;
  int32_t count = 0;
  while (driver->funcGetParamInfo(function, size_t(count), &offset, &size) ==
         CUDA_SUCCESS)
    ++count;
  return count;
}

Status CudaDevice::findKernel(const char *name, Kernel *&kernel) {
  auto known = kernels.find(name);
  if (known != kernels.end()) {
    kernel = &known->second;
    return Status();
  }
  Kernel found;
  const std::string prefix = "kernel '" + std::string(name) + "'";
  const CUresult result =
      driver->moduleGetFunction(&found.function, module, name);
  if (result == CUDA_ERROR_NOT_FOUND)
    return Status::error("the kernel image has no " + prefix);
  if (Status status = driver->check("looking up " + prefix, result);
      !status.ok())
    return status;
  if (Status status = driver->check(
          "asking for limits of " + prefix,
          driver->funcGetAttribute(&found.maxThreads,
                                   CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                   found.function));
      !status.ok())
    return status;
  if (Status status = driver->check(
          "asking for the shared memory of " + prefix,
          driver->funcGetAttribute(&found.staticSharedBytes,
                                   CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                                   found.function));
      !status.ok())
    return status;
  found.numParams = countParams(found.function);
  kernel = &kernels.emplace(name, found).first->second;
  return Status();
}

Status CudaDevice::prepareLaunch(const char *name, Kernel &kernel,
                                 const LaunchConfig &config,
                                 int32_t numParams) {
  const std::string prefix = "kernel '" + std::string(name) + "': ";
  // The driver reads as many parameters as the kernel has, whatever was given.
  if (kernel.numParams >= 0 && kernel.numParams != numParams)
    return Status::error(prefix + "takes " + std::to_string(kernel.numParams) +
                         " parameters, was given " + std::to_string(numParams));
  if (config.block.count() > uint64_t(kernel.maxThreads))
    return Status::error(
        prefix + "a block of " + std::to_string(config.block.count()) +
        " threads, its registers allow " + std::to_string(kernel.maxThreads));
  const uint64_t sharedBytes =
      uint64_t(kernel.staticSharedBytes) + config.sharedBytes;
  if (sharedBytes > deviceLimits.sharedBytes)
    return Status::error(prefix + std::to_string(sharedBytes) +
                         " bytes of shared memory, must be at most " +
                         std::to_string(deviceLimits.sharedBytes));
  if (config.sharedBytes > kernel.allowedSharedBytes) {
    if (Status status =
            driver->check(prefix + "asking for shared memory",
                          driver->funcSetAttribute(
                              kernel.function,
                              CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                              int(config.sharedBytes)));
        !status.ok())
      return status;
    kernel.allowedSharedBytes = config.sharedBytes;
  }
  return Status();
}

Status CudaDevice::launch(const char *name, const LaunchConfig &config,
                          void **params, int32_t numParams) {
  if (Status status = makeCurrent(); !status.ok())
    return status;
  Kernel *kernel = nullptr;
  if (Status status = findKernel(name, kernel); !status.ok())
    return status;
  if (Status status = prepareLaunch(name, *kernel, config, numParams);
      !status.ok())
    return status;
  lastKernel = name;
  return driver->check(
      "launching kernel '" + lastKernel + "'",
      driver->launchKernel(kernel->function, config.grid.x, config.grid.y,
                           config.grid.z, config.block.x, config.block.y,
                           config.block.z, config.sharedBytes, stream, params,
                           /*extra=*/nullptr));
}
