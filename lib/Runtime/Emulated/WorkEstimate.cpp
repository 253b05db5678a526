//===- WorkEstimate.cpp - How much a launch will execute ------------------===//

#include "WorkEstimate.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

/// Taken for loops whose trip count is not known.
static constexpr uint64_t guessedTripCount = 16;

uint64_t ckpt::emulated::estimateInstructions(Function &body) {
  TargetLibraryInfoImpl libraryImpl(body.getParent()->getTargetTriple());
  TargetLibraryInfo library(libraryImpl);
  AssumptionCache assumptions(body);
  DominatorTree dominators(body);
  LoopInfo loops(dominators);
  ScalarEvolution evolution(body, library, assumptions, dominators, loops);

  // Outer loops come before those that they hold.
  DenseMap<const Loop *, uint64_t> executions;
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    const unsigned known = evolution.getSmallConstantMaxTripCount(loop);
    const Loop *parent = loop->getParentLoop();
    executions[loop] =
        SaturatingMultiply<uint64_t>(known ? known : guessedTripCount,
                                     parent ? executions.lookup(parent) : 1);
  }
  uint64_t total = 0;
  for (const BasicBlock &block : body) {
    const Loop *loop = loops.getLoopFor(&block);
    total = SaturatingMultiplyAdd<uint64_t>(
        block.size(), loop ? executions.lookup(loop) : 1, total);
  }
  return total;
}
