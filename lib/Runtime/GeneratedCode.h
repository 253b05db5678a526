//===- GeneratedCode.h - Calls of code that a compiler made -----*- C++ -*-===//
#ifndef CKPT_LIB_RUNTIME_GENERATEDCODE_H
#define CKPT_LIB_RUNTIME_GENERATEDCODE_H

/// On functions that call JIT-compiled code: it lacks the type that the
/// function sanitizer looks for in front of a callee.
#if defined(__clang__)
#define CKPT_CALLS_GENERATED_CODE __attribute__((no_sanitize("function")))
#else
#define CKPT_CALLS_GENERATED_CODE
#endif

#endif // CKPT_LIB_RUNTIME_GENERATEDCODE_H
