//===- Context.h - State behind the C ABI -----------------------*- C++ -*-===//
#ifndef CKPT_LIB_RUNTIME_CONTEXT_H
#define CKPT_LIB_RUNTIME_CONTEXT_H

#include "Accounting.h"
#include "ckpt/Runtime/Device.h"
#include "ckpt/Runtime/Runtime.h"

#include <memory>
#include <string>

/// What the C ABI's functions do, with the first error kept. Every method
/// returns without effect once failed().
struct CkptContext {
  /// Opens `name` (see ckptOpen()). Null with `error` set on failure.
  static std::unique_ptr<CkptContext> open(const char *name, uint64_t seed,
                                           std::string &error);
  ~CkptContext();
  CkptContext(const CkptContext &) = delete;
  CkptContext &operator=(const CkptContext &) = delete;

  bool failed() const { return !firstError.empty(); }
  const std::string &error() const { return firstError; }

  void *allocate(int64_t bytes, ckpt::runtime::Owner owner);
  void release(void *address, ckpt::runtime::Owner owner);
  void upload(void *device, const void *host, int64_t bytes);
  void download(void *host, const void *device, int64_t bytes);
  void loadImage(const void *data, int64_t size);
  void launch(const char *kernel, const ckpt::runtime::LaunchConfig &config,
              int32_t stream, void **params, int32_t numParams);
  void run(const CkptStepInfo *step, void *const *buffers);
  void *statusWord();

  const std::string &deviceName() const { return name; }
  bool isEmulated() const { return device->isEmulated(); }
  CkptCounters counters() const { return accounting.current(); }
  void resetCounters() { accounting.reset(); }

private:
  explicit CkptContext(std::unique_ptr<ckpt::runtime::Device> device);

  /// Keeps the first error; returns whether `status` is a success.
  bool check(const ckpt::runtime::Status &status);
  void fail(std::string message);
  bool checkCopy(const char *what, const void *device, const void *host,
                 int64_t bytes);
  bool checkStep(const CkptStepInfo *step, void *const *buffers);
  bool checkBuffers(const char *what, const CkptBufferInfo *infos,
                    int32_t count, void *const *buffers);
  void reportStatusWord(const CkptStepInfo &step);
  /// Returns what a step that ended has not released; false if there was any.
  bool reclaimStepMemory();

  std::unique_ptr<ckpt::runtime::Device> device;
  ckpt::runtime::LaunchLimits limits;
  ckpt::runtime::Accounting accounting;
  std::string name;
  std::string firstError;
  void *statusAddress = nullptr;
  bool imageLoaded = false;
};

#endif // CKPT_LIB_RUNTIME_CONTEXT_H
