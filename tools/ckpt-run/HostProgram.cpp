//===- HostProgram.cpp - Compiled host code in this process ---------------===//

#include "HostProgram.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/Support/TargetSelect.h"

using namespace ckpt;
using namespace llvm;

Expected<HostProgram>
HostProgram::create(std::unique_ptr<Module> module,
                    std::unique_ptr<LLVMContext> context) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto builder = orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  // A list of calls: there is nothing to optimise.
  builder->setCodeGenOptLevel(CodeGenOptLevel::None);
  auto jit = orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(*builder))
                 .create();
  if (!jit)
    return jit.takeError();

  orc::SymbolMap symbols;
  auto define = [&](StringRef name, auto *function) {
    symbols[(*jit)->mangleAndIntern(name)] = {
        orc::ExecutorAddr::fromPtr(function), JITSymbolFlags::Exported};
  };
  define("ckptArenaAcquire", &ckptArenaAcquire);
  define("ckptArenaRelease", &ckptArenaRelease);
  define("ckptStatusWord", &ckptStatusWord);
  define("ckptLaunch", &ckptLaunch);
  if (Error error = (*jit)->getMainJITDylib().define(
          orc::absoluteSymbols(std::move(symbols))))
    return std::move(error);
  if (Error error = (*jit)->addIRModule(
          orc::ThreadSafeModule(std::move(module), std::move(context))))
    return std::move(error);
  auto address = (*jit)->lookup("ckpt_step_info");
  if (!address)
    return address.takeError();
  return HostProgram(std::move(*jit), address->toPtr<const CkptStepInfo *>());
}

Expected<HostProgram> HostProgram::createFromCopy(const Module &module) {
  // Through bitcode, into a context of its own.
  SmallVector<char, 0> bitcode;
  raw_svector_ostream stream(bitcode);
  WriteBitcodeToFile(module, stream);
  auto context = std::make_unique<LLVMContext>();
  auto copy = parseBitcodeFile(
      MemoryBufferRef(StringRef(bitcode.data(), bitcode.size()), "host"),
      *context);
  if (!copy)
    return copy.takeError();
  return create(std::move(*copy), std::move(context));
}
