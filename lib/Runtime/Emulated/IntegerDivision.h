//===- IntegerDivision.h - Integer division without traps -------*- C++ -*-===//
#ifndef CKPT_LIB_RUNTIME_EMULATED_INTEGERDIVISION_H
#define CKPT_LIB_RUNTIME_EMULATED_INTEGERDIVISION_H

namespace llvm {
class Function;
}

namespace ckpt::emulated {

/// Makes integer divisions and remainders by zero, and of the smallest number
/// by -1, divisions by 1. A GPU gives some number there; a host's processor may
/// end the process.
void guardIntegerDivisions(llvm::Function &function);

} // namespace ckpt::emulated

#endif // CKPT_LIB_RUNTIME_EMULATED_INTEGERDIVISION_H
