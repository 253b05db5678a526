//===- Locations.cpp - What locations remember ----------------------------===//

#include "ckpt/IR/Locations.h"

using namespace mlir;
using namespace ckpt;

static constexpr llvm::StringLiteral recomputedNote = "recomputed";
static constexpr llvm::StringLiteral gradientNote = "gradient";

static Location mark(Location loc, StringRef note) {
  return NameLoc::get(StringAttr::get(loc.getContext(), note), loc);
}

Location ckpt::markRecomputed(Location loc) {
  return mark(loc, recomputedNote);
}

Location ckpt::markGradient(Location loc) { return mark(loc, gradientNote); }

/// Calls `visit` on `loc` and the locations within it, outermost first.
static void visitLocation(Location loc, function_ref<void(Location)> visit) {
  SmallVector<Location> stack{loc};
  while (!stack.empty()) {
    Location current = stack.pop_back_val();
    visit(current);
    if (auto name = dyn_cast<NameLoc>(current)) {
      stack.push_back(name.getChildLoc());
    } else if (auto call = dyn_cast<CallSiteLoc>(current)) {
      stack.push_back(call.getCaller());
      stack.push_back(call.getCallee());
    } else if (auto fused = dyn_cast<FusedLoc>(current)) {
      for (Location part : llvm::reverse(fused.getLocations()))
        stack.push_back(part);
    }
  }
}

SmallVector<StringRef> ckpt::getNames(Location loc) {
  SmallVector<StringRef> names;
  visitLocation(loc, [&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part))
      names.push_back(name.getName());
  });
  return names;
}

SmallVector<ScopeAttr> ckpt::getScopes(Location loc) {
  SmallVector<ScopeAttr> scopes;
  visitLocation(loc, [&](Location part) {
    if (auto fused = dyn_cast<FusedLoc>(part))
      if (auto scope = dyn_cast_if_present<ScopeAttr>(fused.getMetadata()))
        scopes.push_back(scope);
  });
  return scopes;
}

bool ckpt::isGradient(Location loc) {
  return llvm::is_contained(getNames(loc), gradientNote);
}
