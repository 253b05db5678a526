//===- SerializeTest.cpp - Images of kernels ------------------------------===//

#include "CudaTools.h"
#include "ckpt/Conversion/VerifyLowered.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace ckpt;
using namespace mlir;

namespace {

/// A kernel that calls `callee` and, where it is not lowered, has an op of
/// another dialect.
static std::string moduleText(const std::string &body) {
  return "gpu.module @kernels {\n"
         "  llvm.func @__nv_expf(f32) -> f32\n"
         "  llvm.func @__nv_nothingf(f32) -> f32\n"
         "  llvm.func @kernel(%p: !llvm.ptr) attributes {nvvm.kernel} {\n"
         "    %x = llvm.load %p : !llvm.ptr -> f32\n" +
         body +
         "    llvm.store %y, %p : f32, !llvm.ptr\n"
         "    llvm.return\n  }\n}\n";
}

struct SerializeTest : testing::Test {
  SerializeTest() {
    DialectRegistry registry;
    registry.insert<gpu::GPUDialect, LLVM::LLVMDialect, NVVM::NVVMDialect>();
    registerKernelTranslations(registry);
    context.appendDialectRegistry(registry);
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &diagnostic) { errors += diagnostic.str() + "\n"; });
  }

  FailureOr<KernelImage> serialize(const std::string &body,
                                   SerializeOptions options) {
    module = parseSourceString<ModuleOp>(moduleText(body), &context);
    EXPECT_TRUE(module) << errors;
    return serializeKernels(*module->getOps<gpu::GPUModuleOp>().begin(),
                            options);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string errors;
};

const std::string callsExp =
    "    %y = llvm.call @__nv_expf(%x) : (f32) -> f32\n";

TEST_F(SerializeTest, BitcodeNeedsNoToolkit) {
  SerializeOptions options;
  options.toolkit = "no-such-folder";
  FailureOr<KernelImage> image = serialize(callsExp, options);
  ASSERT_TRUE(succeeded(image)) << errors;
  EXPECT_EQ(std::string(image->bytes.data(), 2), "BC");
  FailureOr<KernelImage> again = serialize(callsExp, options);
  ASSERT_TRUE(succeeded(again));
  EXPECT_EQ(image->bytes, again->bytes);
}

TEST_F(SerializeTest, PtxNeedsLibdeviceOnlyForItsFunctions) {
  SerializeOptions options;
  options.toolkit = "no-such-folder";
  options.format = KernelFormat::ptx;
  FailureOr<KernelImage> image =
      serialize("    %y = llvm.fadd %x, %x : f32\n", options);
  ASSERT_TRUE(succeeded(image)) << errors;
  std::string text(image->bytes.begin(), image->bytes.end());
  EXPECT_NE(text.find(".target sm_80"), std::string::npos);
  EXPECT_NE(text.find(".entry kernel"), std::string::npos);

  EXPECT_TRUE(failed(serialize(callsExp, options)));
  EXPECT_NE(errors.find("calls '__nv_expf', which needs the libdevice of a "
                        "CUDA toolkit"),
            std::string::npos)
      << errors;
}

TEST_F(SerializeTest, AMissingAssemblerIsAnError) {
  SerializeOptions options;
  options.toolkit = "no-such-folder";
  options.format = KernelFormat::cubin;
  EXPECT_TRUE(failed(serialize("    %y = llvm.fadd %x, %x : f32\n", options)));
  EXPECT_NE(errors.find("'ptxas' of the CUDA toolkit was not found"),
            std::string::npos)
      << errors;
}

TEST_F(SerializeTest, AnUnknownFunctionIsAnError) {
  EXPECT_TRUE(failed(
      serialize("    %y = llvm.call @__nv_nothingf(%x) : (f32) -> f32\n", {})));
  EXPECT_NE(errors.find("calls '__nv_nothingf', which the emulated device does "
                        "not have"),
            std::string::npos)
      << errors;
}

TEST_F(SerializeTest, KernelsMustBeLowered) {
  context.allowUnregisteredDialects();
  EXPECT_TRUE(
      failed(serialize("    %y = \"test.exp\"(%x) : (f32) -> f32\n", {})));
  EXPECT_NE(errors.find("is left in a kernel that should be lowered"),
            std::string::npos)
      << errors;
}

TEST_F(SerializeTest, FatbinHasMachineCodeAndPtx) {
  SerializeOptions options;
  options.format = KernelFormat::fatbin;
  for (const char *tool : {"bin/ptxas", "bin/fatbinary"})
    if (findToolkit(options, tool).empty())
      GTEST_SKIP() << "no " << tool << " of a CUDA toolkit";
  FailureOr<KernelImage> image = serialize(callsExp, options);
  ASSERT_TRUE(succeeded(image)) << errors;
  std::string bytes(image->bytes.begin(), image->bytes.end());
  EXPECT_NE(bytes.find("\x7f"
                       "ELF"),
            std::string::npos);
  ASSERT_EQ(image->resources.size(), 1u);
  EXPECT_EQ(image->resources.front().kernel, "kernel");
  EXPECT_GT(image->resources.front().registers, 0);
}

TEST_F(SerializeTest, ResourcesAreReadAndSpillsAreErrors) {
  std::vector<KernelResources> resources = parseResources(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'small' for 'sm_80'\n"
      "ptxas info    : Function properties for small\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 18 registers, used 1 barriers, 32 bytes smem\n"
      "ptxas info    : Compiling entry function 'kernel' for 'sm_80'\n"
      "    48 bytes stack frame, 40 bytes spill stores, 44 bytes spill loads\n"
      "ptxas info    : Used 255 registers, used 0 barriers, 376 bytes "
      "cmem[0]\n");
  ASSERT_EQ(resources.size(), 2u);
  EXPECT_EQ(resources[0].registers, 18);
  EXPECT_EQ(resources[0].sharedBytes, 32);
  EXPECT_EQ(resources[1].stackBytes, 48);
  EXPECT_EQ(resources[1].spillStores, 40);
  EXPECT_EQ(resources[1].spillLoads, 44);
  EXPECT_EQ(resources[1].registers, 255);

  ASSERT_TRUE(succeeded(serialize(callsExp, {}))) << errors;
  auto kernels = *module->getOps<gpu::GPUModuleOp>().begin();
  EXPECT_TRUE(
      succeeded(verifyNoSpills(kernels, ArrayRef(resources).take_front())));
  EXPECT_TRUE(failed(verifyNoSpills(kernels, resources)));
  EXPECT_NE(errors.find("kernel 'kernel' spills 40 bytes to local memory with "
                        "255 registers"),
            std::string::npos)
      << errors;
}

} // namespace
