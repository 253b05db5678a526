//===- ckpt-opt.cpp - Runs passes on MLIR files ---------------------------===//

#include "ckpt/Pipelines/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::registerAllPasses();
  ckpt::registerCkptPasses();

  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  ckpt::registerCkptDialects(registry);

  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "ckpt: gradient checkpointing as a compiler\n", registry));
}
