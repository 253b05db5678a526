//===- KernelAccess.cpp - The memory accesses of a kernel -----------------===//

#include "KernelAccess.h"

#include "Intrinsics.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace ckpt::emulated;

using Kind = FaultSite::Kind;

/// The widest access of a thread, and so the strictest alignment it needs.
static constexpr uint64_t maxAlignment = 16;

std::string ckpt::emulated::locationText(const Instruction &instruction) {
  const DILocation *location = instruction.getDebugLoc();
  if (!location || location->getLine() == 0)
    return std::string();
  return (location->getFilename() + ":" + Twine(location->getLine())).str();
}

static KernelAccess typedAccess(Instruction &instruction, Value *pointer,
                                Kind kind, Type *type, Align align) {
  const DataLayout &layout = instruction.getDataLayout();
  KernelAccess access;
  access.instruction = &instruction;
  access.pointer = pointer;
  access.kind = kind;
  access.bytes = layout.getTypeStoreSize(type).getFixedValue();
  access.alignment = std::min(align.value(), maxAlignment);
  return access;
}

static KernelAccess blockAccess(Instruction &instruction, Value *pointer,
                                Kind kind, Value *length) {
  KernelAccess access;
  access.instruction = &instruction;
  access.pointer = pointer;
  access.kind = kind;
  if (auto *constant = dyn_cast<ConstantInt>(length))
    access.bytes = constant->getZExtValue();
  else
    access.dynamicBytes = length;
  return access;
}

/// Accesses of the intrinsics that work on memory.
static void collectIntrinsic(CallInst &call, SmallVector<KernelAccess> &found) {
  const Function *callee = call.getCalledFunction();
  if (!callee || !callee->getName().starts_with("llvm.nvvm."))
    return;
  const std::string key = intrinsicKey(callee->getName());
  StringRef name = key;
  if (name.starts_with("cp.async.c") && name.contains(".shared.global.")) {
    const bool partial = name.consume_back(".s");
    uint64_t bytes = 0;
    name.rsplit('.').second.getAsInteger(10, bytes);
    KernelAccess write = blockAccess(
        call, call.getArgOperand(0), Kind::Write,
        ConstantInt::get(Type::getInt64Ty(call.getContext()), bytes));
    KernelAccess read = write;
    read.pointer = call.getArgOperand(1);
    read.kind = Kind::Read;
    write.alignment = read.alignment = bytes;
    if (partial) {
      read.bytes = 0;
      read.dynamicBytes = call.getArgOperand(2);
    }
    found.push_back(write);
    found.push_back(read);
    return;
  }
  const bool load = name.starts_with("ldmatrix.");
  if (load || name.starts_with("stmatrix.")) {
    KernelAccess access;
    access.instruction = &call;
    access.pointer = call.getArgOperand(0);
    access.kind = load ? Kind::Read : Kind::Write;
    // A row of eight 16-bit elements.
    access.bytes = access.alignment = 16;
    access.lanesBelow = 8 * unsigned(name[name.find(".x") + 2] - '0');
    found.push_back(access);
  }
}

SmallVector<KernelAccess> ckpt::emulated::collectAccesses(Function &kernel) {
  SmallVector<KernelAccess> found;
  for (Instruction &instruction : instructions(kernel)) {
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      found.push_back(typedAccess(*load, load->getPointerOperand(), Kind::Read,
                                  load->getType(), load->getAlign()));
    else if (auto *store = dyn_cast<StoreInst>(&instruction))
      found.push_back(
          typedAccess(*store, store->getPointerOperand(), Kind::Write,
                      store->getValueOperand()->getType(), store->getAlign()));
    else if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
      found.push_back(typedAccess(*atomic, atomic->getPointerOperand(),
                                  Kind::Atomic, atomic->getType(),
                                  atomic->getAlign()));
    else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
      found.push_back(typedAccess(
          *exchange, exchange->getPointerOperand(), Kind::Atomic,
          exchange->getNewValOperand()->getType(), exchange->getAlign()));
    else if (auto *memory = dyn_cast<MemIntrinsic>(&instruction)) {
      found.push_back(blockAccess(*memory, memory->getRawDest(), Kind::Write,
                                  memory->getLength()));
      if (auto *transfer = dyn_cast<MemTransferInst>(memory))
        found.push_back(blockAccess(*transfer, transfer->getRawSource(),
                                    Kind::Read, transfer->getLength()));
    } else if (auto *call = dyn_cast<CallInst>(&instruction))
      collectIntrinsic(*call, found);
  }
  // An empty access touches nothing.
  llvm::erase_if(found, [](const KernelAccess &access) {
    return access.bytes == 0 && !access.dynamicBytes;
  });
  return found;
}
