//===- DeviceRegistry.cpp - Devices by name -------------------------------===//

#include "Cuda/CudaDevice.h"
#include "ckpt/Runtime/Device.h"

#include <charconv>
#include <map>
#include <mutex>

using namespace ckpt::runtime;

namespace {
struct Registry {
  std::mutex mutex;
  std::map<std::string, DeviceFactory> factories = {{"cuda", openCudaDevice}};

  DeviceFactory find(const std::string &kind) {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = factories.find(kind);
    return it == factories.end() ? nullptr : it->second;
  }
};
} // namespace

static Registry &registry() {
  static Registry instance;
  return instance;
}

void ckpt::runtime::registerDeviceKind(const char *kind,
                                       DeviceFactory factory) {
  Registry &known = registry();
  std::lock_guard<std::mutex> lock(known.mutex);
  known.factories[kind] = factory;
}

static std::unique_ptr<Device> openAuto(uint64_t seed, std::string &error) {
  std::string cudaError;
  if (auto device = openCudaDevice(0, seed, cudaError))
    return device;
  DeviceFactory emulated = registry().find("emulated");
  if (!emulated) {
    error =
        "no GPU (" + cudaError + "), and no emulated device in this program";
    return nullptr;
  }
  return emulated(0, seed, error);
}

std::unique_ptr<Device> ckpt::runtime::openDevice(const std::string &name,
                                                  uint64_t seed,
                                                  std::string &error) {
  if (name == "auto")
    return openAuto(seed, error);
  size_t colon = name.find(':');
  std::string kind = name.substr(0, colon);
  int ordinal = 0;
  if (colon != std::string::npos) {
    const char *first = name.data() + colon + 1;
    const char *last = name.data() + name.size();
    auto [end, code] = std::from_chars(first, last, ordinal);
    if (code != std::errc() || end != last || ordinal < 0) {
      error = "'" + name + "' is no device: a number must follow the colon";
      return nullptr;
    }
  }
  DeviceFactory factory = registry().find(kind);
  if (!factory) {
    error = "unknown device '" + name + "'; known are auto, cuda, cuda:N" +
            (registry().find("emulated") ? ", emulated" : "");
    return nullptr;
  }
  return factory(ordinal, seed, error);
}
