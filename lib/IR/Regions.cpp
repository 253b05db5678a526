//===- Regions.cpp - Dissolving rematerialisation regions -----------------===//

#include "ckpt/IR/Regions.h"

using namespace mlir;
using namespace ckpt;

void ckpt::inlineRegions(Operation *root) {
  // Innermost first, so that an op's outermost scope ends up outermost.
  SmallVector<RegionOp> regions;
  root->walk([&](RegionOp region) { regions.push_back(region); });

  for (RegionOp region : regions) {
    auto scope = ScopeAttr::get(region.getContext(), region.getSymLabelAttr(),
                                region.getPolicyAttr());
    Block &body = region.getBody().front();
    for (Operation &op : body.without_terminator())
      op.setLoc(FusedLoc::get({op.getLoc()}, scope, op.getContext()));

    Operation *yield = body.getTerminator();
    region->replaceAllUsesWith(yield->getOperands());
    yield->erase();
    Block *parent = region->getBlock();
    parent->getOperations().splice(region->getIterator(), body.getOperations());
    region->erase();
  }
}
