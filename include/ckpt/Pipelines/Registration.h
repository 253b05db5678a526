//===- Registration.h - Everything that embedders register ----*- C++ -*-===//

#ifndef CKPT_PIPELINES_REGISTRATION_H
#define CKPT_PIPELINES_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace ckpt {

/// Adds the ckpt dialect and the external models of our interfaces for upstream
/// dialects. Models that were attached to an op before win: users override ours
/// by registering theirs first.
void registerCkptDialects(mlir::DialectRegistry &registry);

/// Registers all passes and pipelines by name, for textual pass pipelines.
void registerCkptPasses();

} // namespace ckpt

#endif // CKPT_PIPELINES_REGISTRATION_H
