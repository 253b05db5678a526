//===- SerializeKernels.cpp - Kernels as bytes ----------------------------===//

#include "ckpt/Conversion/GPUToNVVM/SerializeKernels.h"

#include "CudaTools.h"
#include "KernelTarget.h"
#include "PortableMath.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVM/ModuleToObject.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

void ckpt::registerKernelTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

static void initializeTarget() {
  static const bool once = [] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)once;
}

namespace {

/// From the LLVM dialect to optimised bitcode or PTX.
class KernelCompiler : public LLVM::ModuleToObject {
public:
  KernelCompiler(gpu::GPUModuleOp module, const ckpt::SerializeOptions &options,
                 std::string libdevice)
      : ModuleToObject(*module, ckpt::kernelTriple, options.chip,
                       ckpt::kernelFeatures, options.optLevel),
        format(options.format), libdevice(std::move(libdevice)) {}

protected:
  std::optional<SmallVector<std::unique_ptr<llvm::Module>>>
  loadBitcodeFiles(llvm::Module &module) override {
    SmallVector<std::unique_ptr<llvm::Module>> libraries;
    if (libdevice.empty())
      return libraries;
    std::unique_ptr<llvm::Module> library =
        loadBitcodeFile(module.getContext(), libdevice);
    if (!library)
      return std::nullopt;
    libraries.push_back(std::move(library));
    return libraries;
  }

  void handleModulePreLink(llvm::Module &module) override {
    // The folder of the source is nobody's business, and images of equal
    // programs are equal.
    module.setSourceFileName("kernels");
  }

  void handleModulePostLink(llvm::Module &module) override {
    if (format == ckpt::KernelFormat::bitcode)
      ckpt::definePortableMath(module);
  }

  FailureOr<SmallVector<char, 0>>
  moduleToObject(llvm::Module &module) override {
    for (const llvm::Function &function : module)
      if (function.isDeclaration() && !function.isIntrinsic())
        return getOperation().emitError("calls '")
               << function.getName() << "', which "
               << (format == ckpt::KernelFormat::bitcode
                       ? "the emulated device does not have"
                       : "needs the libdevice of a CUDA toolkit");
    if (format == ckpt::KernelFormat::bitcode)
      return ModuleToObject::moduleToObject(module);
    FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
    if (failed(machine))
      return getOperation().emitError("cannot be compiled for '")
             << chip << "'";
    FailureOr<SmallString<0>> text = translateModuleToISA(
        module, **machine, [&] { return getOperation().emitError(); });
    if (failed(text))
      return failure();
    return SmallVector<char, 0>(text->begin(), text->end());
  }

private:
  ckpt::KernelFormat format;
  std::string libdevice;
};

} // namespace

/// Every op must be of the LLVM or NVVM dialect.
static LogicalResult checkLowered(gpu::GPUModuleOp module) {
  WalkResult result = module.walk([&](Operation *op) {
    if (op == module || op->getName().getDialectNamespace() == "llvm" ||
        op->getName().getDialectNamespace() == "nvvm")
      return WalkResult::advance();
    op->emitOpError("is left in a kernel that should be lowered");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

FailureOr<ckpt::KernelImage>
ckpt::serializeKernels(gpu::GPUModuleOp module,
                       const SerializeOptions &options) {
  if (failed(checkLowered(module)))
    return failure();
  initializeTarget();
  // The emulated device's image is the same whether or not there is a toolkit.
  std::string libdevice;
  if (options.format != KernelFormat::bitcode) {
    constexpr StringLiteral file = "nvvm/libdevice/libdevice.10.bc";
    libdevice = findToolkit(options, file);
    if (!libdevice.empty())
      libdevice = joinPath(libdevice, file);
  }
  KernelCompiler compiler(module, options, libdevice);
  std::optional<SmallVector<char, 0>> compiled = compiler.run();
  if (!compiled)
    return failure();
  KernelImage image;
  image.bytes.assign(compiled->begin(), compiled->end());
  if (options.format == KernelFormat::bitcode ||
      options.format == KernelFormat::ptx)
    return image;
  return assembleKernels(module, options, std::move(image.bytes));
}
