//===- AccessChecks.cpp - Every memory access of a kernel, checked --------===//

#include "AccessChecks.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace ckpt::emulated;

namespace {

/// Inserts the checks of one kernel.
class CheckInserter {
public:
  CheckInserter(const AccessCheckInputs &inputs, std::vector<FaultSite> &sites)
      : inputs(inputs), sites(sites),
        layout(inputs.body.getParent()->getDataLayout()) {}

  void insert(const KernelAccess &access, NeededChecks needed);

private:
  Value *outOfBounds(IRBuilder<> &builder, const KernelAccess &access);
  Value *outOfBounds(IRBuilder<> &builder, const KernelAccess &access,
                     const Value *root);
  Value *misaligned(IRBuilder<> &builder, const KernelAccess &access);
  Value *outOfRange(IRBuilder<> &builder, Value *address, Value *begin,
                    Value *available, const KernelAccess &access);
  Value *inaccessible(IRBuilder<> &builder, const KernelAccess &access);
  std::string objectText(const KernelAccess &access) const;
  const Argument *kernelParam(const Value *root) const;
  unsigned paramIndex(const Argument &argument) const {
    return argument.getArgNo() - inputs.firstParam;
  }

  const AccessCheckInputs &inputs;
  std::vector<FaultSite> &sites;
  const DataLayout &layout;
};

} // namespace

static Value *addressOf(IRBuilder<> &b, Value *pointer) {
  return b.CreatePtrToInt(pointer, b.getInt64Ty());
}

static Value *sizeOf(IRBuilder<> &b, const KernelAccess &access) {
  return access.dynamicBytes
             ? b.CreateZExtOrTrunc(access.dynamicBytes, b.getInt64Ty())
             : b.getInt64(access.bytes);
}

const Argument *CheckInserter::kernelParam(const Value *root) const {
  auto *argument = dyn_cast<Argument>(root);
  if (argument && argument->getArgNo() >= inputs.firstParam)
    return argument;
  return nullptr;
}

Value *CheckInserter::inaccessible(IRBuilder<> &b, const KernelAccess &access) {
  FunctionCallee callee = inputs.body.getParent()->getOrInsertFunction(
      "ckpt_emu_accessible", b.getInt1Ty(), b.getPtrTy(), b.getInt64Ty(),
      b.getInt64Ty());
  Value *accessible =
      b.CreateCall(callee, {inputs.values.block, addressOf(b, access.pointer),
                            sizeOf(b, access)});
  return b.CreateNot(accessible);
}

/// Whether [address, address + size) leaves [begin, begin + available).
Value *CheckInserter::outOfRange(IRBuilder<> &b, Value *address, Value *begin,
                                 Value *available, const KernelAccess &access) {
  Value *offset = b.CreateSub(address, begin);
  if (!access.dynamicBytes) {
    // The number of offsets at which the access fits; loop-invariant.
    Value *fitting = b.CreateBinaryIntrinsic(Intrinsic::usub_sat, available,
                                             b.getInt64(access.bytes - 1));
    return b.CreateICmpUGE(offset, fitting);
  }
  Value *size = sizeOf(b, access);
  Value *left = b.CreateSub(available, offset);
  return b.CreateAnd(b.CreateICmpNE(size, b.getInt64(0)),
                     b.CreateOr(b.CreateICmpUGT(offset, available),
                                b.CreateICmpUGT(size, left)));
}

Value *CheckInserter::outOfBounds(IRBuilder<> &b, const KernelAccess &access,
                                  const Value *root) {
  Value *address = addressOf(b, access.pointer);
  Value *begin = addressOf(b, const_cast<Value *>(root));
  if (const Argument *param = kernelParam(root)) {
    if (param->hasByValAttr())
      return outOfRange(
          b, address, begin,
          b.getInt64(layout.getTypeAllocSize(param->getParamByValType())),
          access);
    const ParamRange &range = inputs.paramRanges[paramIndex(*param)];
    if (range.begin)
      return outOfRange(b, address, range.begin, range.bytes, access);
  }
  if (auto *global = dyn_cast<GlobalVariable>(root)) {
    Value *bytes =
        global->isDeclaration()
            ? inputs.sharedDynamicBytes
            : b.getInt64(layout.getTypeAllocSize(global->getValueType()));
    return outOfRange(b, address, begin, bytes, access);
  }
  if (auto *local = dyn_cast<AllocaInst>(root))
    if (std::optional<TypeSize> size = local->getAllocationSize(layout))
      return outOfRange(b, address, begin, b.getInt64(size->getFixedValue()),
                        access);
  return nullptr;
}

Value *CheckInserter::outOfBounds(IRBuilder<> &b, const KernelAccess &access) {
  SmallVector<const Value *, 2> roots;
  getUnderlyingObjects(access.pointer, roots, /*LI=*/nullptr, /*MaxLookup=*/0);
  Value *bad = nullptr;
  for (const Value *root : roots) {
    Value *badHere = outOfBounds(b, access, root);
    if (!badHere)
      return inaccessible(b, access);
    bad = bad ? b.CreateAnd(bad, badHere) : badHere;
  }
  return bad ? bad : inaccessible(b, access);
}

Value *CheckInserter::misaligned(IRBuilder<> &b, const KernelAccess &access) {
  Value *low = b.CreateAnd(addressOf(b, access.pointer), access.alignment - 1);
  return b.CreateICmpNE(low, b.getInt64(0));
}

std::string CheckInserter::objectText(const KernelAccess &access) const {
  SmallVector<const Value *, 2> roots;
  getUnderlyingObjects(access.pointer, roots, nullptr, 0);
  if (roots.size() != 1)
    return std::string();
  if (const Argument *param = kernelParam(roots[0]))
    return "argument " + std::to_string(paramIndex(*param));
  if (auto *global = dyn_cast<GlobalVariable>(roots[0])) {
    const bool shared = global->getAddressSpace() == sharedAddressSpace;
    return (shared ? "shared buffer '" : "table '") + global->getName().str() +
           "'";
  }
  return isa<AllocaInst>(roots[0]) ? "a local array" : std::string();
}

void CheckInserter::insert(const KernelAccess &access, NeededChecks needed) {
  if (!needed.bounds && !needed.alignment)
    return;
  IRBuilder<> builder(access.instruction);
  Value *bad = needed.bounds ? outOfBounds(builder, access) : nullptr;
  if (needed.alignment && access.alignment > 1) {
    Value *skewed = misaligned(builder, access);
    bad = bad ? builder.CreateOr(bad, skewed) : skewed;
  }
  if (access.lanesBelow)
    bad = builder.CreateAnd(
        bad, builder.CreateICmpULT(builder.CreateAnd(inputs.values.linear, 31),
                                   builder.getInt32(access.lanesBelow)));
  if (auto *constant = dyn_cast<ConstantInt>(bad))
    if (constant->isZero())
      return;

  const uint32_t site = uint32_t(sites.size());
  sites.push_back({access.kind, access.bytes, access.alignment,
                   objectText(access), locationText(*access.instruction)});
  Instruction *fault = SplitBlockAndInsertIfThen(
      bad, access.instruction->getIterator(), /*Unreachable=*/true);
  insertFault(*fault, inputs.values, site, access.pointer);
}

void ckpt::emulated::insertFault(Instruction &before,
                                 const KernelValues &values, uint32_t site,
                                 Value *address) {
  BasicBlock *head = before.getParent();
  SplitBlock(head, before.getIterator());
  IRBuilder<> b(head->getTerminator());
  FunctionCallee callee = head->getModule()->getOrInsertFunction(
      "ckpt_emu_fault", b.getVoidTy(), b.getPtrTy(), b.getInt32Ty(),
      b.getInt32Ty(), b.getInt64Ty());
  CallInst *call =
      b.CreateCall(callee, {values.block, values.linear, b.getInt32(site),
                            address ? addressOf(b, address) : b.getInt64(0)});
  call->addFnAttr(Attribute::Cold);
  b.CreateRetVoid();
  head->getTerminator()->eraseFromParent();
}

void ckpt::emulated::insertAccessChecks(const AccessCheckInputs &inputs,
                                        ArrayRef<KernelAccess> accesses,
                                        ArrayRef<NeededChecks> needed,
                                        std::vector<FaultSite> &sites) {
  CheckInserter inserter(inputs, sites);
  for (auto [access, checks] : zip_equal(accesses, needed))
    inserter.insert(access, checks);
}
