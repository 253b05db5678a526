//===- Jit.cpp - Host functions from LLVM IR ------------------------------===//

#include "Jit.h"

#include "RuntimeSymbols.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;
using namespace ckpt::emulated;

Jit::Jit() = default;
Jit::~Jit() = default;

/// Exactly the operations of the program, so that an op that is recomputed
/// elsewhere gives the same bits.
static void useStrictArithmetic(orc::JITTargetMachineBuilder &builder) {
  builder.getOptions().AllowFPOpFusion = FPOpFusion::Strict;
}

Expected<std::unique_ptr<Jit>> Jit::create() {
  static const bool initialised = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialised;
  std::unique_ptr<Jit> jit(new Jit);
  auto builder = orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  useStrictArithmetic(*builder);
  builder->getOptions().EmitStackSizeSection = true;
  auto full = builder->createTargetMachine();
  if (!full)
    return full.takeError();
  jit->fullMachine = std::move(*full);
  builder->setCodeGenOptLevel(CodeGenOptLevel::None);
  auto quick = builder->createTargetMachine();
  if (!quick)
    return quick.takeError();
  jit->quickMachine = std::move(*quick);
  auto session =
      orc::LLJITBuilder().setJITTargetMachineBuilder(*builder).create();
  if (!session)
    return session.takeError();
  jit->session = std::move(*session);

  orc::LLJIT &lljit = *jit->session;
  orc::SymbolMap symbols;
  for (const auto &[name, address] : runtimeSymbols())
    symbols[lljit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                            JITSymbolFlags::Exported};
  orc::JITDylib &library = lljit.getMainJITDylib();
  if (Error error = library.define(orc::absoluteSymbols(std::move(symbols))))
    return std::move(error);
  // What code generation itself calls: expf, memcpy, ....
  auto process = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      lljit.getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  library.addGenerator(std::move(*process));
  return std::move(jit);
}

static void optimise(Module &module, TargetMachine &machine, Effort effort) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager passes;
  if (effort == Effort::Full) {
    passes = builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2);
  } else {
    FunctionPassManager cleanups;
    cleanups.addPass(SROAPass(SROAOptions::ModifyCFG));
    cleanups.addPass(EarlyCSEPass());
    cleanups.addPass(SimplifyCFGPass());
    passes.addPass(createModuleToFunctionPassAdaptor(std::move(cleanups)));
  }
  passes.run(module, modules);
}

/// The sum of the frames in an object file's section .stack_sizes: per function
/// its address and, as ULEB128, its size.
static Expected<uint64_t> stackBytes(MemoryBufferRef buffer) {
  auto object = object::ObjectFile::createObjectFile(buffer);
  if (!object)
    return object.takeError();
  uint64_t total = 0;
  for (const object::SectionRef &section : (*object)->sections()) {
    Expected<StringRef> name = section.getName();
    if (!name)
      return name.takeError();
    if (*name != ".stack_sizes")
      continue;
    Expected<StringRef> contents = section.getContents();
    if (!contents)
      return contents.takeError();
    DataExtractor data(*contents, /*IsLittleEndian=*/true, sizeof(void *));
    DataExtractor::Cursor cursor(0);
    while (cursor && cursor.tell() < contents->size()) {
      data.getAddress(cursor);
      total += data.getULEB128(cursor);
    }
    if (!cursor)
      return cursor.takeError();
  }
  return total;
}

Expected<CompiledFunction> Jit::compile(Module &module, StringRef symbol,
                                        Effort effort) {
  TargetMachine &machine =
      effort == Effort::Full ? *fullMachine : *quickMachine;
  module.setDataLayout(machine.createDataLayout());
  module.setTargetTriple(machine.getTargetTriple());
  std::string problems;
  raw_string_ostream stream(problems);
  if (verifyModule(module, &stream))
    return createStringError("rewriting made invalid code: " + problems);
  optimise(module, machine, effort);
  auto object = orc::SimpleCompiler(machine)(module);
  if (!object)
    return object.takeError();
  auto frame = stackBytes((*object)->getMemBufferRef());
  if (!frame)
    return frame.takeError();
  if (Error error = session->addObjectFile(std::move(*object)))
    return std::move(error);
  auto address = session->lookup(symbol);
  if (!address)
    return address.takeError();
  return CompiledFunction{address->toPtr<void *>(), *frame};
}
