//===- DifferentiatePass.cpp - The pass ckpt-differentiate ----------------===//

#include "ckpt/Differentiation/Differentiation.h"
#include "ckpt/Differentiation/Passes.h"

namespace ckpt {
#define GEN_PASS_DEF_DIFFERENTIATE
#include "ckpt/Differentiation/Passes.h.inc"
} // namespace ckpt

namespace {
struct Differentiate : ckpt::impl::DifferentiateBase<Differentiate> {
  void runOnOperation() override {
    if (failed(ckpt::differentiate(getOperation())))
      signalPassFailure();
  }
};
} // namespace
