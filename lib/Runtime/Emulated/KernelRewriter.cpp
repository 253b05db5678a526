//===- KernelRewriter.cpp - From an NVPTX kernel to a host function -------===//
//
// In order: the kernel, alone and with all calls inlined, becomes the body, a
// function of its position and its parameters; memory accesses get their
// checks; intrinsics become host code; shared buffers become offsets into the
// block's shared memory; narrow float types become integers; the entry point
// calls the body for one thread or in a loop over threads.
//
//===----------------------------------------------------------------------===//

#include "KernelRewriter.h"

#include "AccessChecks.h"
#include "EntryPoint.h"
#include "IntegerDivision.h"
#include "KernelExtractor.h"
#include "NarrowFloats.h"
#include "WorkEstimate.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/ScalarizeMaskedMemIntrin.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace ckpt;
using namespace ckpt::emulated;

/// Unused bytes after every shared buffer.
static constexpr uint64_t sharedRedZone = 16;
/// The strictest alignment of a shared buffer that is honoured.
static constexpr uint64_t maxSharedAlignment = 128;

namespace {

class Rewriter {
public:
  Rewriter(HostKernel &result, Function &kernel, const runtime::Dim3 &grid,
           const runtime::Dim3 &block, const std::string &entry, Checks checks)
      : result(result), module(*result.module), kernel(kernel), grid(grid),
        block(block), entry(entry), checks(checks) {}

  void run();

private:
  void loadRanges();
  void checkAccesses();
  void rewriteCall(CallInst &call);
  void replaceSpecialRegisters();
  void rewriteIntrinsics();
  void rewriteTraps();
  void placeSharedBuffers();
  void orderZeros();
  void dropFloatFlags();

  HostKernel &result;
  Module &module;
  Function &kernel;
  runtime::Dim3 grid;
  runtime::Dim3 block;
  const std::string &entry;
  Checks checks;
  Function *body = nullptr;
  KernelValues values;
  SmallVector<ParamRange> ranges;
  Value *sharedDynamicBytes = nullptr;
};

} // namespace

/// Masked and gathered accesses become plain ones under branches, as they do
/// for a GPU.
static void scalarizeMaskedAccesses(Function &function) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ScalarizeMaskedMemIntrinPass().run(function, functions);
}

static bool hasMaskedAccess(const Function &function) {
  for (const Instruction &instruction : instructions(function))
    if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction))
      switch (intrinsic->getIntrinsicID()) {
      case Intrinsic::masked_load:
      case Intrinsic::masked_store:
      case Intrinsic::masked_gather:
      case Intrinsic::masked_scatter:
      case Intrinsic::masked_expandload:
      case Intrinsic::masked_compressstore:
        return true;
      default:
        break;
      }
  return false;
}

void Rewriter::loadRanges() {
  IRBuilder<> b(&body->getEntryBlock(),
                body->getEntryBlock().getFirstInsertionPt());
  auto field = [&](Value *base, Type *type, uint64_t offset) {
    LoadInst *load =
        b.CreateLoad(type, b.CreateConstGEP1_64(b.getInt8Ty(), base, offset));
    load->setMetadata(LLVMContext::MD_invariant_load,
                      MDNode::get(b.getContext(), {}));
    return load;
  };
  sharedDynamicBytes = b.CreateZExt(
      field(values.block, b.getInt32Ty(), layout::sharedDynamicBytes),
      b.getInt64Ty());
  Value *table = field(values.block, b.getPtrTy(), layout::arguments);
  for (unsigned i = firstBodyParam; i < body->arg_size(); ++i) {
    ParamRange range;
    const Argument &param = *body->getArg(i);
    if (param.getType()->isPointerTy() && !param.hasByValAttr()) {
      const uint64_t at = (i - firstBodyParam) * sizeof(KernelArgument) +
                          offsetof(KernelArgument, range);
      range.begin =
          field(table, b.getInt64Ty(), at + offsetof(MemoryRange, begin));
      range.bytes =
          field(table, b.getInt64Ty(), at + offsetof(MemoryRange, bytes));
    }
    ranges.push_back(range);
  }
}

void Rewriter::checkAccesses() {
  // Before the ranges are loaded: those loads need no checks.
  SmallVector<KernelAccess> accesses = collectAccesses(*body);
  SmallVector<NeededChecks> needed(accesses.size());
  if (checks == Checks::UnderRequirements)
    needed = proveAccesses(*body, firstBodyParam, accesses,
                           result.info.requirements);
  loadRanges();
  insertAccessChecks(
      {*body, values, firstBodyParam, ranges, sharedDynamicBytes}, accesses,
      needed, result.info.sites);
}

static SmallVector<CallInst *> callsIn(Function &function) {
  SmallVector<CallInst *> calls;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallInst>(&instruction))
      calls.push_back(call);
  return calls;
}

void Rewriter::rewriteCall(CallInst &call) {
  Value *replacement = nullptr;
  if (call.isInlineAsm()) {
    replacement = rewriteAssembly(call);
  } else {
    const StringRef fullName = call.getCalledFunction()->getName();
    const IntrinsicRewrite *rewrite = findIntrinsic(fullName);
    if (!rewrite)
      return;
    const std::string key = intrinsicKey(fullName);
    uint32_t site = 0;
    if (StringRef(key).starts_with("barrier.")) {
      site = uint32_t(result.info.sites.size());
      FaultSite barrier;
      barrier.kind = FaultSite::Kind::Barrier;
      barrier.location = locationText(call);
      result.info.sites.push_back(barrier);
    }
    IRBuilder<> builder(&call);
    replacement = rewrite->rewrite({call, key, values, builder, site});
  }
  if (replacement)
    call.replaceAllUsesWith(replacement);
  call.eraseFromParent();
}

/// Positions and sizes first: what is known of loops and addresses follows from
/// them.
void Rewriter::replaceSpecialRegisters() {
  for (CallInst *call : callsIn(*body)) {
    const Function *callee = call->getCalledFunction();
    if (callee && callee->getName().starts_with("llvm.nvvm.read.ptx.sreg."))
      rewriteCall(*call);
  }
}

void Rewriter::rewriteIntrinsics() {
  for (CallInst *call : callsIn(*body))
    rewriteCall(*call);
}

/// llvm.trap ends the kernel with an error.
void Rewriter::rewriteTraps() {
  SmallVector<CallInst *> traps;
  for (Instruction &instruction : instructions(*body))
    if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction))
      if (intrinsic->getIntrinsicID() == Intrinsic::trap ||
          intrinsic->getIntrinsicID() == Intrinsic::debugtrap)
        traps.push_back(intrinsic);
  for (CallInst *trap : traps) {
    const uint32_t site = uint32_t(result.info.sites.size());
    FaultSite fault;
    fault.kind = FaultSite::Kind::Trap;
    fault.location = locationText(*trap);
    result.info.sites.push_back(fault);
    insertFault(*trap, values, site, /*address=*/nullptr);
  }
}

void Rewriter::placeSharedBuffers() {
  const DataLayout &layout = module.getDataLayout();
  SmallVector<GlobalVariable *> statics;
  SmallVector<GlobalVariable *> dynamics;
  for (GlobalVariable &global : module.globals())
    if (global.getAddressSpace() == sharedAddressSpace)
      (global.isDeclaration() ? dynamics : statics).push_back(&global);
  SmallVector<Constant *> constants(statics.begin(), statics.end());
  constants.append(dynamics.begin(), dynamics.end());
  if (constants.empty())
    return;
  convertUsersOfConstantsToInstructions(constants);

  IRBuilder<> b(&body->getEntryBlock(),
                body->getEntryBlock().getFirstInsertionPt());
  Value *base = b.CreateLoad(
      b.getPtrTy(),
      b.CreateConstGEP1_64(b.getInt8Ty(), values.block, layout::shared));
  uint64_t offset = 0;
  auto place = [&](GlobalVariable &global) {
    Value *address = b.CreateAddrSpaceCast(
        b.CreateConstGEP1_64(b.getInt8Ty(), base, offset), global.getType());
    global.replaceAllUsesWith(address);
    global.eraseFromParent();
  };
  // The block's shared memory starts at an odd multiple of maxSharedAlignment:
  // each buffer goes to an odd multiple of its own alignment.
  auto align = [&](const GlobalVariable &global) {
    const uint64_t wanted =
        std::min(layout
                     .getValueOrABITypeAlignment(global.getAlign(),
                                                 global.getValueType())
                     .value(),
                 maxSharedAlignment);
    offset = alignTo(offset, wanted);
    if ((maxSharedAlignment + offset) / wanted % 2 == 0)
      offset += wanted;
  };
  for (GlobalVariable *global : statics) {
    align(*global);
    const uint64_t bytes =
        layout.getTypeAllocSize(global->getValueType()).getFixedValue();
    place(*global);
    offset += bytes + sharedRedZone;
  }
  if (!dynamics.empty()) {
    GlobalVariable *strictest = *llvm::max_element(
        dynamics, [](const GlobalVariable *a, const GlobalVariable *b) {
          return a->getAlign().valueOrOne() < b->getAlign().valueOrOne();
        });
    align(*strictest);
    for (GlobalVariable *global : dynamics)
      place(*global);
  }
  result.info.sharedStaticBytes = offset;
}

/// maxnum and minnum may return either of two zeros: the code for a GPU, and
/// all code here, takes +0 for the larger. (llvm.maximumnum says the same, but
/// its vector code for x86 returned a NaN beside a number.)
void Rewriter::orderZeros() {
  for (CallInst *call : callsIn(*body)) {
    auto *intrinsic = dyn_cast<IntrinsicInst>(call);
    if (!intrinsic)
      continue;
    const Intrinsic::ID id = intrinsic->getIntrinsicID();
    if (id != Intrinsic::maxnum && id != Intrinsic::minnum)
      continue;
    IRBuilder<> b(call);
    Value *left = call->getArgOperand(0);
    Value *right = call->getArgOperand(1);
    Value *ordered = b.CreateBinaryIntrinsic(
        id == Intrinsic::maxnum ? Intrinsic::maximum : Intrinsic::minimum, left,
        right);
    Value *number =
        b.CreateSelect(b.CreateFCmpUNO(right, right), left, ordered);
    call->replaceAllUsesWith(
        b.CreateSelect(b.CreateFCmpUNO(left, left), right, number));
    call->eraseFromParent();
  }
}

/// A recomputed value must equal the original bit for bit, in a vector loop and
/// in its remainder: no approximation, no reassociation.
void Rewriter::dropFloatFlags() {
  for (Instruction &instruction : instructions(*body)) {
    if (!isa<FPMathOperator>(instruction))
      continue;
    instruction.copyFastMathFlags(FastMathFlags());
    instruction.setMetadata(LLVMContext::MD_fpmath, nullptr);
  }
}

void Rewriter::run() {
  if (hasMaskedAccess(kernel))
    scalarizeMaskedAccesses(kernel);
  result.fibers = synchronises(kernel);
  body = createBodyFunction(kernel);
  kernel.eraseFromParent();
  values = bodyValues(*body, grid, block);
  replaceSpecialRegisters();
  result.work =
      SaturatingMultiply(estimateInstructions(*body),
                         SaturatingMultiply(grid.count(), block.count()));
  checkAccesses();
  rewriteIntrinsics();
  rewriteTraps();
  placeSharedBuffers();
  orderZeros();
  dropFloatFlags();
  expandNarrowFloats(*body);
  guardIntegerDivisions(*body);
  StripDebugInfo(module);
  createEntryPoint(*body, entry, result.fibers, block);
}

HostKernel ckpt::emulated::rewriteKernel(Function &kernel,
                                         const runtime::Dim3 &grid,
                                         const runtime::Dim3 &block,
                                         std::string entry, Checks checks) {
  HostKernel result;
  result.info.name = kernel.getName().str();
  result.module = extractKernel(kernel);
  Rewriter(result, *result.module->getFunction(kernel.getName()), grid, block,
           entry, checks)
      .run();
  result.entry = std::move(entry);
  return result;
}
