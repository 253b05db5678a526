//===- Step.cpp - What the compiler would put into step.so ----------------===//
//
// y = 2 x + 1 into an arena, then z = 2 y + 1 from there; a second result of
// type bf16 is left to a check that can fail.
//
//===----------------------------------------------------------------------===//

#include "ckpt/Runtime/Runtime.h"

static const int64_t shape[] = {2, 64};
static const int64_t scalarShape[] = {1};
static const CkptBufferInfo arguments[] = {{"f32", 2, shape, 512},
                                           {"i32", 1, scalarShape, 4}};
static const CkptBufferInfo results[] = {{"f32", 2, shape, 512}};
static const char *const messages[] = {"the index is out of range"};

static int32_t launchAffine(CkptContext *context, void *x, void *y) {
  int32_t n = 128;
  void *params[] = {&x, &y, &n};
  return ckptLaunch(context, "affine", 1, 1, 1, 128, 1, 1, 0, 0, params, 3);
}

static int32_t run(CkptContext *context, void *const *buffers) {
  void *arena = ckptArenaAcquire(context, 1024);
  if (!arena)
    return 1;
  int32_t code = launchAffine(context, buffers[0], arena);
  if (code == 0)
    code = launchAffine(context, arena, buffers[2]);
  void *index = buffers[1];
  void *status = ckptStatusWord(context);
  int32_t id = 1;
  void *params[] = {&index, &status, &id};
  if (code == 0)
    code = ckptLaunch(context, "checked", 1, 1, 1, 1, 1, 1, 0, 0, params, 3);
  ckptArenaRelease(context, arena);
  return code;
}

extern "C" const CkptStepInfo ckpt_step_info = {
    CKPT_ABI_VERSION, 2, 1, 1, arguments, results, messages, 1024, run};
