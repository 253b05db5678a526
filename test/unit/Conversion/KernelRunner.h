//===- KernelRunner.h - Runs steps as kernels and as loops ------*- C++ -*-===//
//
// A step (a function on memrefs, arena first) is executed twice: through our
// kernels on the emulated device, and through upstream's loops on the host.
// Both start from the same memory and must end with the same.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_TEST_UNIT_CONVERSION_KERNELRUNNER_H
#define CKPT_TEST_UNIT_CONVERSION_KERNELRUNNER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include <cstdint>
#include <string>
#include <vector>

namespace ckpt::test {

/// The bytes of one argument of a step.
using Bytes = std::vector<char>;

class KernelRunner {
public:
  KernelRunner();

  /// Runs `text` both ways and expects equal memory, up to rounding. The memory
  /// before is drawn from a fixed seed: floats in (-1, 1), integers in
  /// [0, maxInteger]. Where there is a CUDA toolkit, the kernels must also
  /// assemble for sm_80 and sm_90 without spills.
  void compare(const std::string &text, int64_t maxInteger = 7);

  /// Runs `text` as kernels, with threads in two orders that must give the same
  /// bits; returns what went wrong, empty if nothing did. `memory` is changed
  /// as the step does.
  std::string runKernels(const std::string &text, std::vector<Bytes> &memory);

  /// Memory for the arguments of `text` but the arena, as compare() draws it.
  std::vector<Bytes> drawMemory(const std::string &text, int64_t maxInteger);

  /// The number of kernels and of launches of `text` after outlining.
  std::pair<unsigned, unsigned> countKernels(const std::string &text);

private:
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text);
  mlir::OwningOpRef<mlir::ModuleOp> lowerKernels(const std::string &text);
  void assemble(const std::string &text);
  void runLoops(const std::string &text, std::vector<Bytes> &memory);

  mlir::MLIRContext context;
};

/// `text` with every "$key" replaced by its value.
std::string
substitute(std::string text,
           const std::vector<std::pair<std::string, std::string>> &values);

} // namespace ckpt::test

#endif // CKPT_TEST_UNIT_CONVERSION_KERNELRUNNER_H
