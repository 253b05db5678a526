//===- Emulated.h - Registration of the emulated device ---------*- C -*-===//
#ifndef CKPT_RUNTIME_EMULATED_H
#define CKPT_RUNTIME_EMULATED_H

#ifdef __cplusplus
extern "C" {
#endif

/// Makes ckptOpen("emulated") work and lets "auto" fall back to it. A call of
/// its own, because the emulated device needs LLVM and the rest of the runtime
/// does not: a program that wants it links CkptEmulated and calls this first.
/// Idempotent and thread-safe.
void ckptRegisterEmulatedDevice(void);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_RUNTIME_EMULATED_H */
