//===- KernelRunner.cpp - Runs steps as kernels and as loops --------------===//

#include "KernelRunner.h"

#include "ckpt/Conversion/GPUToNVVM/SerializeKernels.h"
#include "ckpt/Conversion/HostToRuntime/LowerHost.h"
#include "ckpt/Conversion/LinalgToGPU/OutlineKernels.h"
#include "ckpt/Conversion/Passes.h"
#include "ckpt/Conversion/VerifyLowered.h"
#include "ckpt/Runtime/Emulated.h"
#include "ckpt/Runtime/Runtime.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/Support/TargetSelect.h"
#include <gtest/gtest.h>
#include <random>

using namespace mlir;

namespace ckpt::test {

static int64_t elementBytes(Type type) {
  return isa<IndexType>(type)
             ? 8
             : std::max<int64_t>(1, type.getIntOrFloatBitWidth() / 8);
}

static MLIRContext::Threading threading = MLIRContext::Threading::DISABLED;

KernelRunner::KernelRunner() : context(threading) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  static const bool once = [] {
    registerAllPasses();
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    ckptRegisterEmulatedDevice();
    return true;
  }();
  (void)once;
}

OwningOpRef<ModuleOp> KernelRunner::parse(const std::string &text) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text;
  return module;
}

static void runPipeline(ModuleOp module, StringRef pipeline) {
  PassManager pm(module.getContext());
  ASSERT_TRUE(succeeded(parsePassPipeline(pipeline, pm)));
  ASSERT_TRUE(succeeded(pm.run(module)));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static SmallVector<MemRefType> argumentTypes(ModuleOp module) {
  SmallVector<MemRefType> types;
  auto step = *module.getOps<func::FuncOp>().begin();
  for (Type type : step.getArgumentTypes())
    types.push_back(cast<MemRefType>(type));
  return types;
}

/// The bit pattern of `value` as an element of `type`.
static uint64_t encode(Type type, double value) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat number(value);
    bool ignored;
    number.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &ignored);
    return number.bitcastToAPInt().getZExtValue();
  }
  return static_cast<uint64_t>(static_cast<int64_t>(value));
}

static double decode(Type type, uint64_t bits) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat number(floatType.getFloatSemantics(),
                   APInt(floatType.getWidth(), bits));
    bool ignored;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &ignored);
    return number.convertToDouble();
  }
  unsigned width = isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
  if (width == 1)
    return static_cast<double>(bits & 1);
  return static_cast<double>(APInt(width, bits).getSExtValue());
}

std::vector<Bytes> KernelRunner::drawMemory(const std::string &text,
                                            int64_t maxInteger) {
  OwningOpRef<ModuleOp> module = parse(text);
  std::mt19937_64 random(2016);
  std::uniform_real_distribution<double> reals(-1.0, 1.0);
  std::uniform_int_distribution<int64_t> integers(0, maxInteger);
  std::vector<Bytes> memory;
  SmallVector<MemRefType> types = argumentTypes(*module);
  for (MemRefType type : ArrayRef(types).drop_front()) {
    Type element = type.getElementType();
    int64_t bytes = elementBytes(element);
    Bytes buffer(type.getNumElements() * bytes);
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      double value = isa<FloatType>(element) ? reals(random)
                     : element.isInteger(1)  ? double(integers(random) & 1)
                                             : double(integers(random));
      uint64_t bits = encode(element, value);
      memcpy(buffer.data() + i * bytes, &bits, bytes);
    }
    memory.push_back(std::move(buffer));
  }
  return memory;
}

/// Largest difference, relative to values above one, that rounding may make.
static double tolerance(Type type) {
  if (type.isF32())
    return 2e-5;
  if (type.isF64())
    return 1e-12;
  if (type.isBF16())
    return 2e-2;
  return type.isF16() ? 2e-3 : 0.0;
}

static void expectEqual(MemRefType type, const Bytes &kernels,
                        const Bytes &loops, unsigned argument) {
  Type element = type.getElementType();
  int64_t bytes = elementBytes(element);
  double allowed = tolerance(element);
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    uint64_t kernelBits = 0, loopBits = 0;
    memcpy(&kernelBits, kernels.data() + i * bytes, bytes);
    memcpy(&loopBits, loops.data() + i * bytes, bytes);
    double got = decode(element, kernelBits), want = decode(element, loopBits);
    if (got == want || (std::isnan(got) && std::isnan(want)))
      continue;
    double error = std::abs(got - want);
    ASSERT_LE(error, allowed * std::max(1.0, std::abs(want)))
        << "argument " << argument << ", element " << i << ": kernels give "
        << got << ", loops " << want;
  }
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

static std::unique_ptr<ExecutionEngine> compile(ModuleOp module) {
  ExecutionEngineOptions options;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Default;
  auto engine = ExecutionEngine::create(module, options);
  if (!engine) {
    ADD_FAILURE() << llvm::toString(engine.takeError());
    return nullptr;
  }
  return std::move(*engine);
}

void KernelRunner::runLoops(const std::string &text,
                            std::vector<Bytes> &memory) {
  OwningOpRef<ModuleOp> module = parse(text);
  SmallVector<MemRefType> types = argumentTypes(*module);
  runPipeline(
      *module,
      "func.func(convert-linalg-to-loops,lower-affine,"
      "convert-scf-to-cf),expand-strided-metadata,lower-affine,"
      "arith-emulate-unsupported-floats{source-types=bf16,f16 "
      "target-type=f32},arith-expand{include-bf16=true},convert-math-to-llvm,"
      "convert-math-to-libm,convert-func-to-llvm{use-bare-ptr-memref-call-conv="
      "true},finalize-memref-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,"
      "convert-index-to-llvm,reconcile-unrealized-casts");
  std::unique_ptr<ExecutionEngine> engine = compile(*module);
  ASSERT_TRUE(engine);
  Bytes arena(std::max<int64_t>(1, types.front().getNumElements()));
  std::vector<void *> pointers{arena.data()};
  for (Bytes &buffer : memory)
    pointers.push_back(buffer.data());
  SmallVector<void *> packed;
  for (void *&pointer : pointers)
    packed.push_back(&pointer);
  llvm::Error error = engine->invokePacked("step", packed);
  ASSERT_FALSE(error) << llvm::toString(std::move(error));
}

static llvm::orc::SymbolMap
runtimeSymbols(llvm::orc::MangleAndInterner mangle) {
  llvm::orc::SymbolMap symbols;
  auto add = [&](StringRef name, auto *function) {
    symbols[mangle(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                             llvm::JITSymbolFlags::Exported};
  };
  add("ckptArenaAcquire", &ckptArenaAcquire);
  add("ckptArenaRelease", &ckptArenaRelease);
  add("ckptStatusWord", &ckptStatusWord);
  add("ckptLaunch", &ckptLaunch);
  return symbols;
}

/// Uploads, runs with threads in the order of `seed`, and downloads; returns
/// the runtime's error.
static std::string execute(const CkptStepInfo *info, const KernelImage &image,
                           uint64_t seed, std::vector<Bytes> &memory) {
  char message[256] = "";
  CkptContext *device = ckptOpen("emulated", seed, message, sizeof message);
  if (!device)
    return message;
  ckptLoadImage(device, image.bytes.data(), image.bytes.size());
  std::vector<void *> addresses;
  for (Bytes &buffer : memory) {
    addresses.push_back(ckptAllocate(device, buffer.size()));
    ckptUpload(device, addresses.back(), buffer.data(), buffer.size());
  }
  ckptRun(device, info, addresses.data());
  std::string error = ckptLastError(device);
  if (error.empty())
    for (auto [buffer, address] : llvm::zip_equal(memory, addresses))
      ckptDownload(device, buffer.data(), address, buffer.size());
  ckptClose(device);
  return error;
}

OwningOpRef<ModuleOp> KernelRunner::lowerKernels(const std::string &text) {
  OwningOpRef<ModuleOp> module = parse(text);
  PassManager pm(&context);
  pm.addPass(createOutlineKernels());
  pm.addNestedPass<gpu::GPUModuleOp>(createLowerKernels());
  if (failed(pm.run(*module)))
    return nullptr;
  return module;
}

void KernelRunner::assemble(const std::string &text) {
  OwningOpRef<ModuleOp> module = lowerKernels(text);
  ASSERT_TRUE(module);
  auto kernels = *module->getOps<gpu::GPUModuleOp>().begin();
  unsigned count = 0;
  kernels.walk([&](LLVM::LLVMFuncOp function) {
    count += function->hasAttr("nvvm.kernel");
  });
  for (const char *chip : {"sm_80", "sm_90"}) {
    SerializeOptions options;
    options.format = KernelFormat::cubin;
    options.chip = chip;
    FailureOr<KernelImage> image = serializeKernels(kernels, options);
    ASSERT_TRUE(succeeded(image)) << text;
    EXPECT_EQ(image->resources.size(), count);
    EXPECT_TRUE(succeeded(verifyNoSpills(kernels, image->resources))) << text;
  }
}

std::string KernelRunner::runKernels(const std::string &text,
                                     std::vector<Bytes> &memory) {
  OwningOpRef<ModuleOp> module = lowerKernels(text);
  if (!module)
    return "lowering failed";
  auto kernels = *module->getOps<gpu::GPUModuleOp>().begin();
  FailureOr<KernelImage> image = serializeKernels(kernels, SerializeOptions());
  if (failed(image))
    return "serialisation failed";
  kernels.erase();
  if (failed(lowerHost(*module)))
    return "lowering the host failed";
  std::unique_ptr<ExecutionEngine> engine = compile(*module);
  if (!engine)
    return "compilation failed";
  engine->registerSymbols(runtimeSymbols);
  auto info = engine->lookup("ckpt_step_info");
  if (!info)
    return llvm::toString(info.takeError());
  auto *step = static_cast<const CkptStepInfo *>(*info);
  std::vector<Bytes> other = memory;
  std::string error = execute(step, *image, /*seed=*/7, memory);
  if (!error.empty())
    return error;
  error = execute(step, *image, /*seed=*/8, other);
  if (error.empty() && other != memory)
    return "the results depend on the order of threads";
  return error;
}

void KernelRunner::compare(const std::string &text, int64_t maxInteger) {
  std::vector<Bytes> kernels = drawMemory(text, maxInteger);
  std::vector<Bytes> loops = kernels;
  ASSERT_EQ(runKernels(text, kernels), "");
  if (!findToolkit(SerializeOptions(), "bin/ptxas").empty())
    assemble(text);
  runLoops(text, loops);
  OwningOpRef<ModuleOp> module = parse(text);
  SmallVector<MemRefType> types = argumentTypes(*module);
  for (size_t i = 0; i < kernels.size(); ++i)
    expectEqual(types[i + 1], kernels[i], loops[i], i);
}

std::pair<unsigned, unsigned>
KernelRunner::countKernels(const std::string &text) {
  OwningOpRef<ModuleOp> module = parse(text);
  EXPECT_TRUE(succeeded(outlineKernels(*module)));
  unsigned kernels = 0, launches = 0;
  module->walk([&](gpu::GPUFuncOp) { ++kernels; });
  module->walk([&](gpu::LaunchFuncOp) { ++launches; });
  return {kernels, launches};
}

std::string
substitute(std::string text,
           const std::vector<std::pair<std::string, std::string>> &values) {
  for (const auto &[key, value] : values) {
    std::string pattern = "$" + key;
    for (size_t at = text.find(pattern); at != std::string::npos;
         at = text.find(pattern, at + value.size()))
      text.replace(at, pattern.size(), value);
  }
  return text;
}

} // namespace ckpt::test
