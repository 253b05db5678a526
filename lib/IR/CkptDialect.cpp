//===- CkptDialect.cpp - The ckpt dialect ---------------------------------===//

#include "ckpt/IR/CkptDialect.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace ckpt;

#include "ckpt/IR/CkptOpsDialect.cpp.inc"

namespace {
/// The dialect's ops may be inlined anywhere: none of them depends on its
/// function.
struct CkptInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void CkptDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "ckpt/IR/CkptOps.cpp.inc"
      >();
  addInterfaces<CkptInlinerInterface>();
}

LogicalResult CkptDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == opNumberAttrName) {
    auto number = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!number || !number.getType().isInteger(64) || number.getInt() < 0)
      return op->emitOpError()
             << "attribute '" << name << "' must be a non-negative i64";
    return success();
  }
  if (name == policyAttrName || name == planAttrName) {
    if (!isa<FunctionOpInterface>(op))
      return op->emitOpError()
             << "attribute '" << name << "' is for functions only";
    bool isPolicy = name == policyAttrName;
    if (isPolicy ? !isa<PolicyAttr>(attribute.getValue())
                 : !isa<PlanAttr>(attribute.getValue()))
      return op->emitOpError() << "attribute '" << name << "' must be a #"
                               << (isPolicy ? "ckpt.policy" : "ckpt.plan");
    return success();
  }
  // `ckpt.custom_gradient` and other names belong to the passes that read them.
  return success();
}
