//===- Runtime.h - The C ABI between compiled steps and devices -*- C -*-===//
//
// One header, three users: host code that the compiler emits (first part), the
// program that embeds or runs a step (second part), and the backends behind it
// (CUDA driver, emulated device). Plain C: a compiled step and the runtime may
// come from different compilers.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_RUNTIME_RUNTIME_H
#define CKPT_RUNTIME_RUNTIME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// An execution context: one device, its streams, one loaded kernel image, and
/// the accounting of every byte allocated through it. Errors are sticky: after
/// the first one every call returns non-zero and does nothing, and
/// ckptLastError() says what happened first.
typedef struct CkptContext CkptContext;

//===----------------------------------------------------------------------===//
// What compiled host code calls
//===----------------------------------------------------------------------===//

/// Allocates the step's arena: `bytes` of device memory aligned to 256, counted
/// by the accounting. Null after an error.
void *ckptArenaAcquire(CkptContext *context, int64_t bytes);
/// Returns the arena; the memory is free once the work queued so far is done. A
/// null arena is ignored; any other pointer that is no live arena is an error.
void ckptArenaRelease(CkptContext *context, void *arena);

/// The device address of the i32 word where a kernel's failing check writes its
/// id (1-based index into CkptStepInfo::messages; 0: none failed). Zeroed
/// before each run, read by ckptRun() after it.
void *ckptStatusWord(CkptContext *context);

/// Queues kernel `name` of the loaded image on `stream` (0: compute, the only
/// one). A launch beyond the device's limits is an error that names it.
/// `params` points to one pointer per kernel parameter, as cuLaunchKernel wants
/// it. `sharedBytes` is dynamic shared memory. Returns 0, or non-zero after an
/// error.
int32_t ckptLaunch(CkptContext *context, const char *name, uint32_t gridX,
                   uint32_t gridY, uint32_t gridZ, uint32_t blockX,
                   uint32_t blockY, uint32_t blockZ, uint32_t sharedBytes,
                   int32_t stream, void **params, int32_t numParams);

//===----------------------------------------------------------------------===//
// What a compiled step exports
//===----------------------------------------------------------------------===//

/// A caller's buffer: contiguous, C order. `type` is the MLIR element type
/// ("f32", "bf16", "i1", ...); an i1 takes one byte.
typedef struct CkptBufferInfo {
  const char *type;
  int32_t rank;
  const int64_t *shape;
  int64_t bytes;
} CkptBufferInfo;

/// The step: queues all its work. `buffers` holds device addresses: first the
/// arguments, then the results. Returns 0 or the error of the first failed
/// call.
typedef int32_t (*CkptStepFunction)(CkptContext *context, void *const *buffers);

/// Exported by compiled host code under the name "ckpt_step_info".
typedef struct CkptStepInfo {
  int32_t abiVersion; /* CKPT_ABI_VERSION */
  int32_t numArguments;
  int32_t numResults;
  int32_t numMessages;
  const CkptBufferInfo *arguments;
  const CkptBufferInfo *results;
  /// What each device-side check says when it fails, with the op's location.
  const char *const *messages;
  int64_t arenaBytes;
  CkptStepFunction run;
} CkptStepInfo;

#define CKPT_ABI_VERSION 1

//===----------------------------------------------------------------------===//
// What a program that runs a step calls
//===----------------------------------------------------------------------===//

/// Opens a device: "emulated" (after ckptRegisterEmulatedDevice(), see
/// Emulated.h), "cuda" (the first GPU; "cuda:N" number N, from 0), or "auto" (a
/// GPU if there is one, else emulated). `seed` orders the emulated device's
/// threads and blocks: 0 is ascending order, any other an order of its own, so
/// that results which depend on the order differ between seeds. On failure
/// returns null and, where `error` is not null, writes a message of at most
/// `errorSize` bytes, its end included.
///
/// Calls on one context must not overlap; contexts are independent.
CkptContext *ckptOpen(const char *device, uint64_t seed, char *error,
                      int64_t errorSize);
/// Frees all that the context holds; null is ignored.
void ckptClose(CkptContext *context);

/// Replaces the loaded kernel image: LLVM bitcode for the emulated device; PTX,
/// cubin or fatbin for a GPU. Returns 0, or non-zero with ckptLastError() set.
int32_t ckptLoadImage(CkptContext *context, const void *data, int64_t size);

/// The caller's own device memory (arguments and results), aligned to 256,
/// accounted apart from what steps allocate.
/// Zero bytes give an address of their own that nothing may access.
void *ckptAllocate(CkptContext *context, int64_t bytes);
int32_t ckptFree(CkptContext *context, void *buffer);
int32_t ckptUpload(CkptContext *context, void *device, const void *host,
                   int64_t bytes);
int32_t ckptDownload(CkptContext *context, void *host, const void *device,
                     int64_t bytes);

/// Runs a step and waits for it. Every buffer must be inside one live buffer of
/// the context, and the step must have released its arena at the end. Returns
/// 0; otherwise ckptLastError() says what failed: a launch, an access out of
/// bounds, a check of the program.
int32_t ckptRun(CkptContext *context, const CkptStepInfo *step,
                void *const *buffers);

/// The first error, or the empty string. Owned by the context.
const char *ckptLastError(CkptContext *context);
/// "emulated", or the GPU's name.
const char *ckptDeviceName(CkptContext *context);
/// 1 for the emulated device, 0 for a GPU.
int32_t ckptIsEmulated(CkptContext *context);

typedef struct CkptCounters {
  /// Bytes that steps hold now, and the most they held since the last reset.
  int64_t stepBytes;
  int64_t stepPeakBytes;
  /// Bytes of the caller's buffers now.
  int64_t callerBytes;
  int64_t launches;
} CkptCounters;
CkptCounters ckptCounters(CkptContext *context);
void ckptResetCounters(CkptContext *context);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_RUNTIME_RUNTIME_H */
