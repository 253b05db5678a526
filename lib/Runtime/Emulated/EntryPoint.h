//===- EntryPoint.h - The function that the emulator calls ------*- C++ -*-===//
#ifndef CKPT_LIB_RUNTIME_EMULATED_ENTRYPOINT_H
#define CKPT_LIB_RUNTIME_EMULATED_ENTRYPOINT_H

#include "Intrinsics.h"

#include <string>

namespace ckpt::emulated {

/// The body's arguments: thread, block, linear position, thread index, block
/// index; then the kernel's parameters.
inline constexpr unsigned firstBodyParam = 9;

/// A function with the code of `kernel`, whose calls stay as they are, that
/// takes the arguments above. Nothing of the kernel is left to the caller but
/// the declaration.
llvm::Function *createBodyFunction(llvm::Function &kernel);

/// Names the body's arguments, and bounds the indices by the launch's sizes.
KernelValues bodyValues(llvm::Function &body, const runtime::Dim3 &grid,
                        const runtime::Dim3 &block);

/// Creates a ThreadFunction (`fibers`) or a ThreadLoop named `name` that calls
/// `body`, and inlines it.
void createEntryPoint(llvm::Function &body, const std::string &name,
                      bool fibers, const runtime::Dim3 &block);

} // namespace ckpt::emulated

#endif // CKPT_LIB_RUNTIME_EMULATED_ENTRYPOINT_H
