//===- Device.h - What a device backend implements --------------*- C++ -*-===//
//
// The C ABI of Runtime.h is implemented once, over this interface: the context
// checks arguments, keeps the accounts and holds the first error; a backend
// allocates, copies and launches. Adding a device is one class and one call of
// registerDeviceKind().
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_RUNTIME_DEVICE_H
#define CKPT_RUNTIME_DEVICE_H

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace ckpt::runtime {

/// Success, or one line that says what failed.
class [[nodiscard]] Status {
public:
  Status() = default;
  static Status error(std::string message) {
    Status status;
    status.text = message.empty() ? "unknown error" : std::move(message);
    return status;
  }
  bool ok() const { return text.empty(); }
  /// The error; empty where ok().
  const std::string &message() const { return text; }

private:
  std::string text;
};

struct Dim3 {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

struct LaunchConfig {
  Dim3 grid;
  Dim3 block;
  /// Dynamic shared memory in bytes.
  uint32_t sharedBytes = 0;
};

/// The largest launch a device takes. The defaults are those of every NVIDIA
/// GPU since compute capability 3.0 (CUDA C++ Programming Guide, table
/// "Technical Specifications per Compute Capability"), and H100's shared
/// memory.
struct LaunchLimits {
  Dim3 grid = {2147483647u, 65535u, 65535u};
  Dim3 block = {1024u, 1024u, 64u};
  uint32_t threadsPerBlock = 1024;
  /// Static and dynamic shared memory of one block, in bytes.
  uint32_t sharedBytes = 227 * 1024;
};

/// One device with one loaded kernel image. Calls come from one thread at a
/// time; all work is in the order of the calls.
class Device {
public:
  virtual ~Device() = default;

  virtual std::string name() const = 0;
  virtual bool isEmulated() const = 0;
  virtual LaunchLimits limits() const { return LaunchLimits(); }

  /// Allocates `bytes` >= 0 of device memory aligned to 256. Zero bytes give an
  /// address of their own that nothing may access.
  virtual Status allocate(int64_t bytes, void *&address) = 0;
  /// Gives back what allocate() returned, once the queued work is done.
  virtual Status free(void *address) = 0;

  /// Copies between host and device; both wait for the queued work.
  virtual Status upload(void *device, const void *host, int64_t bytes) = 0;
  virtual Status download(void *host, const void *device, int64_t bytes) = 0;

  /// Replaces the loaded kernel image.
  virtual Status loadImage(const void *data, int64_t size) = 0;
  /// Queues a kernel. `config` is within limits(). `params` holds `numParams`
  /// pointers to the values, which are read before this returns.
  virtual Status launch(const char *kernel, const LaunchConfig &config,
                        void **params, int32_t numParams) = 0;
  /// Waits for the queued work and reports what failed in it.
  virtual Status synchronize() = 0;
};

/// Opens device number `ordinal` of a kind. Returns null with `error` set where
/// there is none.
using DeviceFactory = std::unique_ptr<Device> (*)(int ordinal, uint64_t seed,
                                                  std::string &error);

/// Makes `kind` ("emulated", ...) known to ckptOpen(); the last call for a kind
/// wins. `kind` must outlive the process's use of the runtime. Thread-safe.
void registerDeviceKind(const char *kind, DeviceFactory factory);

/// Opens a device by ckptOpen()'s names: "kind", "kind:N" or "auto". Null with
/// `error` set on failure.
std::unique_ptr<Device> openDevice(const std::string &name, uint64_t seed,
                                   std::string &error);

/// Checks a launch against the limits; the error names the kernel.
Status checkLaunch(const char *kernel, const LaunchConfig &config,
                   const LaunchLimits &limits);

} // namespace ckpt::runtime

#endif // CKPT_RUNTIME_DEVICE_H
