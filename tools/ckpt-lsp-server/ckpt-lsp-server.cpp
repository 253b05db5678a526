//===- ckpt-lsp-server.cpp - MLIR's language server with our dialect ------===//

#include "ckpt/Pipelines/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  ckpt::registerCkptDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
