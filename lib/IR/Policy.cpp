//===- Policy.cpp - What policies say of a value --------------------------===//

#include "ckpt/IR/Policy.h"

#include "ckpt/IR/Locations.h"
#include "ckpt/Interfaces/CostOpInterface.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace ckpt;

static bool anyLabelMatches(Operation *op, const llvm::GlobPattern &glob) {
  if (auto name = dyn_cast<NameOp>(op))
    return glob.match(name.getLabel());
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    auto name = dyn_cast<NameOp>(user);
    return name && glob.match(name.getLabel());
  });
}

static bool matches(RuleAttr rule, Operation *op) {
  StringRef pattern = rule.getPattern().getValue();
  llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern);
  assert(glob && "the attribute's verifier has compiled it");
  switch (rule.getMatcher()) {
  case Matcher::Label:
    return anyLabelMatches(op, *glob);
  case Matcher::Location:
    return llvm::any_of(getNames(op->getLoc()),
                        [&](StringRef name) { return glob->match(name); });
  case Matcher::OpName:
    return glob->match(op->getName().getStringRef());
  case Matcher::Kind:
    return pattern == stringifyOpKind(getOpKind(op));
  }
  llvm_unreachable("unknown matcher");
}

/// The decision of one policy, or nothing.
static std::optional<PolicyDecision> decide(PolicyAttr policy, Operation *op) {
  if (!policy)
    return std::nullopt;
  for (RuleAttr rule : policy.getRules())
    if (matches(rule, op))
      return PolicyDecision{rule.getDecision(), rule.getStrength(), rule};
  if (policy.getDefaultDecision() == Decision::Auto)
    return std::nullopt;
  return PolicyDecision{policy.getDefaultDecision(), Strength::Prefer, {}};
}

PolicyDecision ckpt::lookupPolicy(Operation *op, PolicyAttr functionPolicy) {
  if (isGradient(op->getLoc()))
    return {};
  SmallVector<ScopeAttr> scopes = getScopes(op->getLoc());
  for (ScopeAttr scope : llvm::reverse(scopes))
    if (std::optional<PolicyDecision> found = decide(scope.getPolicy(), op))
      return *found;
  return decide(functionPolicy, op).value_or(PolicyDecision{});
}
