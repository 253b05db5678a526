//===- ModelKernelsTest.cpp - Kernels of whole training steps -------------===//
//
// The steps of exported models, assembled for both architectures: no kernel may
// spill.
//
//===----------------------------------------------------------------------===//

#include "ckpt/Conversion/GPUToNVVM/SerializeKernels.h"
#include "ckpt/Pipelines/Compiler.h"
#include "ckpt/Pipelines/Registration.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace ckpt;
using namespace mlir;

namespace {

struct ModelKernelsTest
    : testing::TestWithParam<std::tuple<const char *, const char *>> {};

TEST_P(ModelKernelsTest, AssembleWithoutSpills) {
  auto [model, chip] = GetParam();
  CompileOptions options;
  options.entry = "loss";
  options.plan.solver = "none";
  options.kernels.chip = chip;
  options.kernels.format = KernelFormat::cubin;
  if (findToolkit(options.kernels, "bin/ptxas").empty())
    GTEST_SKIP() << "no ptxas of a CUDA toolkit";

  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerCkptDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string path = std::string(CKPT_MODELS) + "/" + model + "/model.mlir";
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(path, &context);
  ASSERT_TRUE(module);
  FailureOr<CompiledStep> compiled = compileStep(*module, options);
  ASSERT_TRUE(succeeded(compiled));
  EXPECT_EQ(static_cast<int64_t>(compiled->image.resources.size()),
            compiled->numKernels);
  for (const KernelResources &kernel : compiled->image.resources) {
    EXPECT_EQ(kernel.spillStores, 0) << kernel.kernel;
    EXPECT_EQ(kernel.spillLoads, 0) << kernel.kernel;
    EXPECT_EQ(kernel.stackBytes, 0) << kernel.kernel;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ModelKernelsTest,
                         testing::Combine(testing::Values("autoencoder", "gpt4",
                                                          "mlp24",
                                                          "torch_gpt2l"),
                                          testing::Values("sm_80", "sm_90")));

} // namespace
