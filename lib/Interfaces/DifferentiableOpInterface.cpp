//===- DifferentiableOpInterface.cpp - Adjoints of ops --------------------===//

#include "ckpt/Interfaces/DifferentiableOpInterface.h"

using namespace mlir;

#include "ckpt/Interfaces/DifferentiableOpInterface.cpp.inc"
