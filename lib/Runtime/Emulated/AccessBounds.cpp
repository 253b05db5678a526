//===- AccessBounds.cpp - Accesses that are known to be right -------------===//

#include "AccessBounds.h"

#include "Intrinsics.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace ckpt::emulated;

/// Wide enough that sums of products of 64-bit numbers do not wrap.
static constexpr unsigned wideBits = 160;
/// Operands of operands that are looked at; deeper ones are known by
/// ScalarEvolution only.
static constexpr unsigned maxDepth = 4;

namespace {

/// Where an access may be, relative to the object that it accesses.
struct Offset {
  const Value *root = nullptr;
  /// Of the first byte.
  ConstantRange range = ConstantRange(APInt(wideBits, 0));
  unsigned trailingZeros = 63;
};

class AccessProver {
public:
  AccessProver(Function &body, unsigned firstParam)
      : firstParam(firstParam), layout(body.getParent()->getDataLayout()),
        libraryImpl(body.getParent()->getTargetTriple()), library(libraryImpl),
        assumptions(body), dominators(body), loops(dominators),
        evolution(body, library, assumptions, dominators, loops),
        values(&assumptions, &layout) {}

  NeededChecks prove(const KernelAccess &access,
                     std::vector<LaunchRequirement> &requirements);

private:
  std::optional<Offset> offsetOf(const KernelAccess &access);
  bool addIndices(const GEPOperator &address, Instruction &at, Offset &offset);
  ConstantRange rangeOf(Value *value, Instruction &at, unsigned depth);
  ConstantRange combinedRange(Value *value, Instruction &at, unsigned depth);

  unsigned firstParam;
  const DataLayout &layout;
  TargetLibraryInfoImpl libraryImpl;
  TargetLibraryInfo library;
  AssumptionCache assumptions;
  DominatorTree dominators;
  LoopInfo loops;
  ScalarEvolution evolution;
  LazyValueInfo values;
};

} // namespace

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// What follows from the ranges of the operands where `at` stands.
ConstantRange AccessProver::combinedRange(Value *value, Instruction &at,
                                          unsigned depth) {
  const unsigned bits = value->getType()->getIntegerBitWidth();
  if (depth == 0)
    return ConstantRange::getFull(bits);
  if (auto *cast = dyn_cast<CastInst>(value))
    if (isa<SExtInst, ZExtInst, TruncInst>(cast))
      return rangeOf(cast->getOperand(0), at, depth - 1)
          .castOp(cast->getOpcode(), bits);
  if (auto *binary = dyn_cast<BinaryOperator>(value)) {
    ConstantRange left = rangeOf(binary->getOperand(0), at, depth - 1);
    ConstantRange right = rangeOf(binary->getOperand(1), at, depth - 1);
    auto *disjoint = dyn_cast<PossiblyDisjointInst>(binary);
    return disjoint && disjoint->isDisjoint()
               ? left.add(right)
               : left.binaryOp(binary->getOpcode(), right);
  }
  return ConstantRange::getFull(bits);
}

ConstantRange AccessProver::rangeOf(Value *value, Instruction &at,
                                    unsigned depth) {
  if (auto *constant = dyn_cast<ConstantInt>(value))
    return ConstantRange(constant->getValue());
  const SCEV *expression = evolution.getSCEV(value);
  return evolution.getSignedRange(expression)
      .intersectWith(evolution.getUnsignedRange(expression))
      .intersectWith(
          values.getConstantRange(value, &at, /*UndefAllowed=*/false))
      .intersectWith(combinedRange(value, at, depth));
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

/// Adds what the indices of one address computation add to the offset.
bool AccessProver::addIndices(const GEPOperator &address, Instruction &at,
                              Offset &offset) {
  const unsigned bits = layout.getIndexTypeSizeInBits(address.getType());
  SmallMapVector<Value *, APInt, 4> terms;
  APInt constant(bits, 0);
  if (address.getType()->isVectorTy() ||
      !address.collectOffset(layout, bits, terms, constant))
    return false;
  offset.range = offset.range.add(constant.sext(wideBits));
  offset.trailingZeros = std::min(offset.trailingZeros, constant.countr_zero());
  for (auto &[index, scale] : terms) {
    ConstantRange range =
        rangeOf(index, at, maxDepth).sextOrTrunc(bits).signExtend(wideBits);
    offset.range =
        offset.range.add(range.multiply(ConstantRange(scale.sext(wideBits))));
    const KnownBits known =
        computeKnownBits(index, layout, &assumptions, &at, &dominators);
    offset.trailingZeros =
        std::min(offset.trailingZeros,
                 scale.countr_zero() + known.countMinTrailingZeros());
  }
  return true;
}

std::optional<Offset> AccessProver::offsetOf(const KernelAccess &access) {
  Offset offset;
  const Value *pointer = access.pointer;
  for (;;) {
    if (auto *address = dyn_cast<GEPOperator>(pointer)) {
      if (!addIndices(*address, *access.instruction, offset))
        return std::nullopt;
      pointer = address->getPointerOperand();
    } else if (isa<AddrSpaceCastOperator>(pointer)) {
      pointer = cast<Operator>(pointer)->getOperand(0);
    } else {
      offset.root = pointer;
      return offset;
    }
  }
}

//===----------------------------------------------------------------------===//
// Proofs
//===----------------------------------------------------------------------===//

/// What an access may touch, as bytes from its root; none if that is no range
/// of 63-bit numbers.
static std::optional<std::pair<int64_t, int64_t>>
touchedBytes(const Offset &offset, uint64_t bytes) {
  const APInt low = offset.range.getSignedMin();
  const APInt high = offset.range.getSignedMax() + bytes;
  if (!low.isSignedIntN(63) || !high.isSignedIntN(63))
    return std::nullopt;
  return std::make_pair(low.getSExtValue(), high.getSExtValue());
}

static LaunchRequirement &
requirementOf(uint32_t param, std::vector<LaunchRequirement> &requirements) {
  for (LaunchRequirement &requirement : requirements)
    if (requirement.param == param)
      return requirement;
  LaunchRequirement requirement;
  requirement.param = param;
  requirements.push_back(requirement);
  return requirements.back();
}

NeededChecks AccessProver::prove(const KernelAccess &access,
                                 std::vector<LaunchRequirement> &requirements) {
  NeededChecks needed;
  needed.alignment = access.alignment > 1;
  if (access.dynamicBytes || access.lanesBelow)
    return needed;
  std::optional<Offset> offset = offsetOf(access);
  if (!offset)
    return needed;
  if (offset->range.isEmptySet()) // Never executed.
    return {false, false};
  auto touched = touchedBytes(*offset, access.bytes);
  const bool aligned = access.alignment <= uint64_t(1) << offset->trailingZeros;

  auto *param = dyn_cast<Argument>(offset->root);
  if (param && param->getArgNo() >= firstParam && !param->hasByValAttr()) {
    LaunchRequirement &requirement =
        requirementOf(param->getArgNo() - firstParam, requirements);
    if (touched) {
      requirement.low = std::min(requirement.low, touched->first);
      requirement.high = std::max(requirement.high, touched->second);
    }
    if (aligned)
      requirement.alignment = std::max(requirement.alignment, access.alignment);
    needed.bounds = !touched;
    needed.alignment = needed.alignment && !aligned;
    return needed;
  }

  uint64_t size = 0;
  Align ownAlignment;
  if (auto *global = dyn_cast<GlobalVariable>(offset->root)) {
    // The dynamic buffer's size is a launch's.
    if (global->isDeclaration())
      return needed;
    size = layout.getTypeAllocSize(global->getValueType());
    ownAlignment = layout.getValueOrABITypeAlignment(global->getAlign(),
                                                     global->getValueType());
  } else if (auto *local = dyn_cast<AllocaInst>(offset->root)) {
    std::optional<TypeSize> localSize = local->getAllocationSize(layout);
    if (!localSize)
      return needed;
    size = localSize->getFixedValue();
    ownAlignment = local->getAlign();
  } else {
    return needed;
  }
  needed.bounds =
      !touched || touched->first < 0 || uint64_t(touched->second) > size;
  needed.alignment = needed.alignment &&
                     !(aligned && access.alignment <= ownAlignment.value());
  return needed;
}

SmallVector<NeededChecks>
ckpt::emulated::proveAccesses(Function &body, unsigned firstParam,
                              ArrayRef<KernelAccess> accesses,
                              std::vector<LaunchRequirement> &requirements) {
  AccessProver prover(body, firstParam);
  SmallVector<NeededChecks> needed;
  for (const KernelAccess &access : accesses)
    needed.push_back(prover.prove(access, requirements));
  return needed;
}
