//===- InlineRegions.cpp - Replace regions by their ops -------------------===//

#include "ckpt/IR/Regions.h"
#include "ckpt/Transforms/Passes.h"

namespace ckpt {
#define GEN_PASS_DEF_INLINEREGIONS
#include "ckpt/Transforms/Passes.h.inc"
} // namespace ckpt

namespace {
struct InlineRegions : ckpt::impl::InlineRegionsBase<InlineRegions> {
  void runOnOperation() override { ckpt::inlineRegions(getOperation()); }
};
} // namespace
