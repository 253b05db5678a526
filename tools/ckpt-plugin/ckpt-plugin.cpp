//===- ckpt-plugin.cpp - The dialect and passes for stock mlir-opt --------===//

#include "ckpt/Pipelines/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

extern "C" LLVM_ATTRIBUTE_WEAK ::mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Ckpt", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            ckpt::registerCkptDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK ::mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "CkptPasses", LLVM_VERSION_STRING,
          [] { ckpt::registerCkptPasses(); }};
}
