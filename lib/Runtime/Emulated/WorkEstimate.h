//===- WorkEstimate.h - How much a launch will execute ----------*- C++ -*-===//
#ifndef CKPT_LIB_RUNTIME_EMULATED_WORKESTIMATE_H
#define CKPT_LIB_RUNTIME_EMULATED_WORKESTIMATE_H

#include <cstdint>

namespace llvm {
class Function;
}

namespace ckpt::emulated {

/// The number of instructions that one thread of `body` executes at most, with
/// loops counted at their largest trip count where that is constant, and at a
/// guess elsewhere. Branches count on both sides.
uint64_t estimateInstructions(llvm::Function &body);

} // namespace ckpt::emulated

#endif // CKPT_LIB_RUNTIME_EMULATED_WORKESTIMATE_H
