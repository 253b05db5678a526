//===- CkptAttributes.cpp - Policies, scopes and plans --------------------===//

#include "ckpt/IR/CkptDialect.h"
#include "ckpt/Interfaces/CostOpInterface.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace ckpt;

#include "ckpt/IR/CkptEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ckpt/IR/CkptAttributes.cpp.inc"

//===----------------------------------------------------------------------===//
// RuleAttr
//===----------------------------------------------------------------------===//

LogicalResult RuleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               Strength, Decision, Matcher matcher,
                               StringAttr pattern) {
  if (matcher == Matcher::Kind && !symbolizeOpKind(pattern.getValue()))
    return emitError() << "unknown op kind '" << pattern.getValue()
                       << "': expected contraction, elementwise, reduction, "
                          "data_movement or other";
  if (llvm::Expected<llvm::GlobPattern> glob =
          llvm::GlobPattern::create(pattern.getValue());
      !glob)
    return emitError() << "malformed glob '" << pattern.getValue()
                       << "': " << llvm::toString(glob.takeError());
  return success();
}

//===----------------------------------------------------------------------===//
// PlanAttr
//===----------------------------------------------------------------------===//

/// order ::= `[` (range (`,` range)*)? `]`, range ::= integer (`to` integer)?
static ParseResult parseOrder(AsmParser &parser,
                              SmallVectorImpl<int64_t> &order) {
  // A range is stored element by element; no step has this many ops.
  constexpr int64_t maxRange = int64_t(1) << 26;
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        int64_t first;
        SMLoc loc = parser.getCurrentLocation();
        if (parser.parseInteger(first))
          return failure();
        int64_t last = first;
        if (succeeded(parser.parseOptionalKeyword("to"))) {
          if (parser.parseInteger(last))
            return failure();
          if (first < 0 || last <= first || last - first >= maxRange)
            return parser.emitError(loc, "expected an increasing range of "
                                         "non-negative numbers");
        }
        for (int64_t i = first; i <= last; ++i)
          order.push_back(i);
        return success();
      });
}

Attribute PlanAttr::parse(AsmParser &parser, Type) {
  StringAttr solver;
  SmallVector<int64_t> order;
  int64_t peak = -1, storeAllPeak = -1;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword("solver") ||
      parser.parseEqual() || parser.parseAttribute(solver) ||
      parser.parseComma() || parser.parseKeyword("order") ||
      parser.parseEqual() || parseOrder(parser, order))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    StringRef key;
    SMLoc keyLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key))
      return {};
    int64_t *field = key == "peak"             ? &peak
                     : key == "store_all_peak" ? &storeAllPeak
                                               : nullptr;
    if (!field || *field != -1) {
      parser.emitError(keyLoc,
                       "expected 'peak' or 'store_all_peak', each once");
      return {};
    }
    if (parser.parseEqual() || parser.parseInteger(*field))
      return {};
    if (*field < 0) {
      parser.emitError(keyLoc, "expected a number of bytes");
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    solver, order, peak, storeAllPeak);
}

void PlanAttr::print(AsmPrinter &printer) const {
  printer << "<solver = " << getSolver() << ", order = [";
  ArrayRef<int64_t> order = getOrder();
  for (size_t begin = 0, end; begin < order.size(); begin = end) {
    end = begin + 1;
    while (end < order.size() && order[end] == order[end - 1] + 1)
      ++end;
    printer << (begin ? ", " : "") << order[begin];
    if (end - begin > 1)
      printer << " to " << order[end - 1];
  }
  printer << "]";
  if (getPeak() >= 0)
    printer << ", peak = " << getPeak();
  if (getStoreAllPeak() >= 0)
    printer << ", store_all_peak = " << getStoreAllPeak();
  printer << ">";
}

LogicalResult PlanAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringAttr, ArrayRef<int64_t> order, int64_t,
                               int64_t) {
  for (int64_t number : order)
    if (number < 0)
      return emitError() << "op numbers are not negative, got " << number;
  return success();
}

void CkptDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ckpt/IR/CkptAttributes.cpp.inc"
      >();
}
