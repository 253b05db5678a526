// Force-included into every C++ file that uses LLVM. Debian's LLVM is built
// with NDEBUG, where llvm::Statistic (the base of mlir::Pass::Statistic) is
// empty; without NDEBUG its header declares fields that the library never
// initialises. Ours is compiled with assertions, so this one header is read as
// the library was built.
#if defined(__cplusplus) && !defined(NDEBUG)
#define NDEBUG
#include "llvm/ADT/Statistic.h"
#undef NDEBUG
#include <cassert>
#endif
