//===- EmulatedDevice.cpp - NVVM kernels on the CPU -----------------------===//

#include "BlockRunner.h"
#include "KernelImage.h"
#include "ckpt/Runtime/Emulated.h"

#include "llvm/IR/Function.h"

#include <cstring>

using namespace ckpt;
using namespace ckpt::emulated;
using runtime::Status;

namespace {

class EmulatedDevice final : public runtime::Device {
public:
  explicit EmulatedDevice(uint64_t seed) : runner(memory, seed) {}

  std::string name() const override { return "emulated"; }
  bool isEmulated() const override { return true; }

  Status allocate(int64_t bytes, void *&address) override {
    return memory.allocate(bytes, address);
  }
  Status free(void *address) override { return memory.free(address); }
  Status upload(void *device, const void *host, int64_t bytes) override {
    std::memcpy(device, host, size_t(bytes));
    return Status();
  }
  Status download(void *host, const void *device, int64_t bytes) override {
    std::memcpy(host, device, size_t(bytes));
    return Status();
  }
  Status loadImage(const void *data, int64_t size) override {
    return KernelImage::load(data, size, image);
  }
  Status launch(const char *name, const runtime::LaunchConfig &config,
                void **params, int32_t numParams) override;
  Status synchronize() override { return Status(); }

private:
  DeviceMemory memory;
  BlockRunner runner;
  std::unique_ptr<KernelImage> image;
};

} // namespace

static std::vector<KernelArgument>
pointerArguments(const DeviceMemory &memory, const llvm::Function &kernel,
                 void **params) {
  std::vector<KernelArgument> arguments(kernel.arg_size());
  for (const llvm::Argument &param : kernel.args()) {
    if (!param.getType()->isPointerTy() || param.hasByValAttr())
      continue;
    KernelArgument &argument = arguments[param.getArgNo()];
    std::memcpy(&argument.address, params[param.getArgNo()],
                sizeof(argument.address));
    argument.range = memory.rangeOf(argument.address);
  }
  return arguments;
}

Status EmulatedDevice::launch(const char *name,
                              const runtime::LaunchConfig &config,
                              void **params, int32_t numParams) {
  const llvm::Function *kernel = nullptr;
  if (Status status = image->find(name, kernel); !status.ok())
    return status;
  if (kernel->arg_size() != size_t(numParams))
    return Status::error("kernel '" + std::string(name) + "': takes " +
                         std::to_string(kernel->arg_size()) +
                         " parameters, was given " + std::to_string(numParams));
  const std::vector<KernelArgument> arguments =
      pointerArguments(memory, *kernel, params);
  const CompiledKernel *compiled = nullptr;
  if (Status status = image->prepare(*kernel, config, arguments, compiled);
      !status.ok())
    return status;
  if (compiled->sharedStaticBytes + config.sharedBytes > limits().sharedBytes)
    return Status::error(
        "kernel '" + std::string(name) + "': " +
        std::to_string(compiled->sharedStaticBytes + config.sharedBytes) +
        " bytes of shared memory, must be at most " +
        std::to_string(limits().sharedBytes));
  return runner.run(*compiled, config, params, arguments.data());
}

static std::unique_ptr<runtime::Device>
openEmulatedDevice(int ordinal, uint64_t seed, std::string &error) {
  if (ordinal != 0) {
    error = "there is one emulated device, number 0";
    return nullptr;
  }
  return std::make_unique<EmulatedDevice>(seed);
}

void ckptRegisterEmulatedDevice(void) {
  runtime::registerDeviceKind("emulated", openEmulatedDevice);
}
