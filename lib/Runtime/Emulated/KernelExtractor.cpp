//===- KernelExtractor.cpp - One kernel in a module of its own ------------===//

#include "KernelExtractor.h"

#include "Intrinsics.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace ckpt::emulated;

//===----------------------------------------------------------------------===//
// What a kernel reaches
//===----------------------------------------------------------------------===//

/// Adds the globals that `root`'s operands lead to through constants.
static void collectGlobals(const User &root, SetVector<GlobalValue *> &found) {
  SmallVector<const User *, 8> worklist = {&root};
  SmallPtrSet<const User *, 8> seen;
  while (!worklist.empty()) {
    const User *user = worklist.pop_back_val();
    for (const Use &use : user->operands()) {
      if (auto *global = dyn_cast<GlobalValue>(use.get()))
        found.insert(global);
      else if (auto *constant = dyn_cast<Constant>(use.get()))
        if (seen.insert(constant).second)
          worklist.push_back(constant);
    }
  }
}

/// The kernel and every global that it may touch, in order of discovery.
static SetVector<GlobalValue *> reachableGlobals(Function &kernel) {
  SetVector<GlobalValue *> reachable;
  reachable.insert(&kernel);
  for (unsigned next = 0; next < reachable.size(); ++next) {
    GlobalValue *global = reachable[next];
    if (auto *function = dyn_cast<Function>(global)) {
      for (Instruction &instruction : instructions(*function))
        collectGlobals(instruction, reachable);
    } else if (auto *variable = dyn_cast<GlobalVariable>(global)) {
      if (variable->hasInitializer())
        collectGlobals(*variable, reachable);
    }
  }
  return reachable;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static Error unsupported(const Function &kernel, const Twine &what) {
  return createStringError("kernel '" + kernel.getName() +
                           "': the emulated device does not support " + what);
}

static Error checkCall(const Function &kernel, const CallBase &call) {
  if (auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand())) {
    if (isKnownAssembly(assembly->getAsmString()))
      return Error::success();
    return unsupported(kernel,
                       "inline assembly \"" + assembly->getAsmString() + "\"");
  }
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return unsupported(kernel, "calls through pointers");
  if (callee->getName().starts_with("llvm.nvvm.")) {
    if (findIntrinsic(callee->getName()))
      return Error::success();
    return unsupported(kernel, "intrinsic '" + callee->getName() + "'");
  }
  if (callee->isDeclaration() && !callee->isIntrinsic())
    return unsupported(kernel, "external function '" + callee->getName() + "'");
  return Error::success();
}

/// Whether the calls among `functions` form a cycle (Kahn's algorithm).
static bool isRecursive(ArrayRef<Function *> functions) {
  DenseMap<const Function *, unsigned> callers;
  auto forEachCallee = [](const Function &function, auto visit) {
    for (const Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (const Function *callee = call->getCalledFunction())
          if (!callee->isDeclaration())
            visit(callee);
  };
  for (const Function *function : functions)
    forEachCallee(*function,
                  [&](const Function *callee) { ++callers[callee]; });
  SmallVector<const Function *> free;
  for (const Function *function : functions)
    if (callers.lookup(function) == 0)
      free.push_back(function);
  unsigned ordered = 0;
  while (!free.empty()) {
    const Function *function = free.pop_back_val();
    ++ordered;
    forEachCallee(*function, [&](const Function *callee) {
      if (--callers[callee] == 0)
        free.push_back(callee);
    });
  }
  return ordered < functions.size();
}

Error ckpt::emulated::checkKernel(Function &kernel) {
  SmallVector<Function *> functions;
  for (GlobalValue *global : reachableGlobals(kernel)) {
    if (auto *function = dyn_cast<Function>(global)) {
      if (!function->isDeclaration())
        functions.push_back(function);
      continue;
    }
    auto *variable = dyn_cast<GlobalVariable>(global);
    if (!variable)
      return unsupported(kernel, "alias '" + global->getName() + "'");
    const bool dynamicShared =
        variable->getAddressSpace() == sharedAddressSpace;
    if (variable->isDeclaration() && !dynamicShared)
      return unsupported(kernel,
                         "external variable '" + variable->getName() + "'");
  }
  for (Function *function : functions)
    for (Instruction &instruction : instructions(*function)) {
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (Error error = checkCall(kernel, *call))
          return error;
      if (auto *local = dyn_cast<AllocaInst>(&instruction))
        if (!local->isStaticAlloca())
          return unsupported(kernel, "local arrays of varying size");
    }
  if (isRecursive(functions))
    return unsupported(kernel, "recursion");
  return Error::success();
}

bool ckpt::emulated::synchronises(const Function &kernel) {
  for (const Instruction &instruction : instructions(kernel))
    if (auto *call = dyn_cast<CallBase>(&instruction))
      if (const Function *callee = call->getCalledFunction())
        if (const IntrinsicRewrite *rewrite = findIntrinsic(callee->getName()))
          if (rewrite->needsFibers)
            return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Extraction
//===----------------------------------------------------------------------===//

static void inlineAllCalls(Function &kernel) {
  SmallVector<CallBase *> calls;
  auto collect = [&calls](Function &function) {
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (Function *callee = call->getCalledFunction())
          if (!callee->isDeclaration())
            calls.push_back(call);
  };
  collect(kernel);
  while (!calls.empty()) {
    CallBase *call = calls.pop_back_val();
    InlineFunctionInfo info;
    InlineResult result = InlineFunction(*call, info);
    assert(result.isSuccess() && "every known callee can be inlined");
    (void)result;
    // Calls in what was inlined.
    for (CallBase *inlined : info.InlinedCallSites)
      if (Function *callee = inlined->getCalledFunction())
        if (!callee->isDeclaration())
          calls.push_back(inlined);
  }
}

std::unique_ptr<Module> ckpt::emulated::extractKernel(Function &kernel) {
  Module &source = *kernel.getParent();
  auto module = std::make_unique<Module>(kernel.getName(), source.getContext());
  module->setDataLayout(source.getDataLayout());
  module->setTargetTriple(source.getTargetTriple());

  ValueToValueMapTy map;
  const SetVector<GlobalValue *> reachable = reachableGlobals(kernel);
  for (GlobalValue *global : reachable) {
    if (auto *function = dyn_cast<Function>(global)) {
      Function *copy = Function::Create(
          function->getFunctionType(), function->getLinkage(),
          function->getAddressSpace(), function->getName(), module.get());
      copy->copyAttributesFrom(function);
      map[function] = copy;
      continue;
    }
    auto *variable = cast<GlobalVariable>(global);
    auto *copy = new GlobalVariable(
        *module, variable->getValueType(), variable->isConstant(),
        variable->getLinkage(), nullptr, variable->getName(), nullptr,
        GlobalValue::NotThreadLocal, variable->getAddressSpace());
    copy->copyAttributesFrom(variable);
    map[variable] = copy;
  }
  for (GlobalValue *global : reachable) {
    if (auto *variable = dyn_cast<GlobalVariable>(global)) {
      if (variable->hasInitializer())
        cast<GlobalVariable>(map[variable])
            ->setInitializer(MapValue(variable->getInitializer(), map));
      continue;
    }
    auto *function = cast<Function>(global);
    if (function->isDeclaration())
      continue;
    auto *copy = cast<Function>(map[function]);
    for (auto [from, to] : zip_equal(function->args(), copy->args())) {
      to.setName(from.getName());
      map[&from] = &to;
    }
    SmallVector<ReturnInst *, 4> returns;
    CloneFunctionInto(copy, function, map,
                      CloneFunctionChangeType::DifferentModule, returns);
  }

  auto *copy = cast<Function>(map[&kernel]);
  inlineAllCalls(*copy);
  for (GlobalValue *global : reachable)
    if (auto *function = dyn_cast<Function>(global))
      if (function != &kernel && !function->isDeclaration())
        if (auto *inlined = cast<Function>(map[function]); inlined->use_empty())
          inlined->eraseFromParent();
  return module;
}
