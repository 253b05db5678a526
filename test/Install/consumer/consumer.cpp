//===- consumer.cpp - A compiler that embeds the passes -------------------===//

#include "ckpt/Pipelines/Pipelines.h"
#include "ckpt/Pipelines/Registration.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

/// Plans the steps of the file named on the command line and prints them.
int main(int argc, char **argv) {
  if (argc != 2)
    return 1;
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  ckpt::registerCkptDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;

  mlir::PassManager manager(&context);
  ckpt::PlanOptions options;
  options.solver = "sqrt";
  ckpt::buildTrainingStepPipeline(manager, options);
  if (mlir::failed(manager.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
