//===- Runtime.cpp - The C ABI --------------------------------------------===//

#include "ckpt/Runtime/Runtime.h"

#include "Context.h"

#include <algorithm>
#include <cstring>

using namespace ckpt::runtime;

static const char nullContext[] = "null context";

/// The result of a call that has failed already or may have failed.
static int32_t result(const CkptContext *context) {
  return context->failed() ? 1 : 0;
}

void *ckptArenaAcquire(CkptContext *context, int64_t bytes) {
  return context ? context->allocate(bytes, Owner::Step) : nullptr;
}

void ckptArenaRelease(CkptContext *context, void *arena) {
  if (context && arena)
    context->release(arena, Owner::Step);
}

void *ckptStatusWord(CkptContext *context) {
  return context ? context->statusWord() : nullptr;
}

int32_t ckptLaunch(CkptContext *context, const char *name, uint32_t gridX,
                   uint32_t gridY, uint32_t gridZ, uint32_t blockX,
                   uint32_t blockY, uint32_t blockZ, uint32_t sharedBytes,
                   int32_t stream, void **params, int32_t numParams) {
  if (!context)
    return 1;
  LaunchConfig config;
  config.grid = {gridX, gridY, gridZ};
  config.block = {blockX, blockY, blockZ};
  config.sharedBytes = sharedBytes;
  context->launch(name, config, stream, params, numParams);
  return result(context);
}

CkptContext *ckptOpen(const char *device, uint64_t seed, char *error,
                      int64_t errorSize) {
  std::string message;
  std::unique_ptr<CkptContext> context =
      CkptContext::open(device, seed, message);
  if (error && errorSize > 0) {
    size_t length = std::min<size_t>(message.size(), size_t(errorSize) - 1);
    std::memcpy(error, message.data(), length);
    error[length] = '\0';
  }
  return context.release();
}

void ckptClose(CkptContext *context) { delete context; }

int32_t ckptLoadImage(CkptContext *context, const void *data, int64_t size) {
  if (!context)
    return 1;
  context->loadImage(data, size);
  return result(context);
}

void *ckptAllocate(CkptContext *context, int64_t bytes) {
  return context ? context->allocate(bytes, Owner::Caller) : nullptr;
}

int32_t ckptFree(CkptContext *context, void *buffer) {
  if (!context)
    return 1;
  if (buffer)
    context->release(buffer, Owner::Caller);
  return result(context);
}

int32_t ckptUpload(CkptContext *context, void *device, const void *host,
                   int64_t bytes) {
  if (!context)
    return 1;
  context->upload(device, host, bytes);
  return result(context);
}

int32_t ckptDownload(CkptContext *context, void *host, const void *device,
                     int64_t bytes) {
  if (!context)
    return 1;
  context->download(host, device, bytes);
  return result(context);
}

int32_t ckptRun(CkptContext *context, const CkptStepInfo *step,
                void *const *buffers) {
  if (!context)
    return 1;
  context->run(step, buffers);
  return result(context);
}

const char *ckptLastError(CkptContext *context) {
  return context ? context->error().c_str() : nullContext;
}

const char *ckptDeviceName(CkptContext *context) {
  return context ? context->deviceName().c_str() : nullContext;
}

int32_t ckptIsEmulated(CkptContext *context) {
  return context && context->isEmulated() ? 1 : 0;
}

CkptCounters ckptCounters(CkptContext *context) {
  return context ? context->counters() : CkptCounters();
}

void ckptResetCounters(CkptContext *context) {
  if (context)
    context->resetCounters();
}
