//===- LinearIndex.cpp - Sums of multiples of loops -----------------------===//

#include "LinearIndex.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SmallBitVector.h"

#include <map>

using namespace mlir;
using namespace ckpt;
using namespace ckpt::models;

std::optional<LinearIndex> ckpt::models::findLinearIndex(AffineExpr expr) {
  // Pending parts of the sum, each with what it is multiplied by.
  SmallVector<std::pair<AffineExpr, int64_t>> parts{{expr, 1}};
  std::map<unsigned, int64_t> factors;
  LinearIndex index;
  while (!parts.empty()) {
    auto [part, factor] = parts.pop_back_val();
    if (auto constant = dyn_cast<AffineConstantExpr>(part)) {
      index.constant += factor * constant.getValue();
      continue;
    }
    if (auto dim = dyn_cast<AffineDimExpr>(part)) {
      factors[dim.getPosition()] += factor;
      continue;
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(part);
    if (binary && binary.getKind() == AffineExprKind::Add) {
      parts.push_back({binary.getLHS(), factor});
      parts.push_back({binary.getRHS(), factor});
      continue;
    }
    auto scale = binary && binary.getKind() == AffineExprKind::Mul
                     ? dyn_cast<AffineConstantExpr>(binary.getRHS())
                     : AffineConstantExpr();
    if (!scale)
      return std::nullopt;
    parts.push_back({binary.getLHS(), factor * scale.getValue()});
  }
  for (auto [loop, factor] : factors)
    if (factor != 0)
      index.terms.push_back({loop, factor});
  return index;
}

bool ckpt::models::isProjection(AffineMap map) {
  return isSeparable(map) && llvm::all_of(map.getResults(), [](AffineExpr e) {
           return isa<AffineDimExpr, AffineConstantExpr>(e);
         });
}

bool ckpt::models::isSeparable(AffineMap map) {
  llvm::SmallBitVector seen(map.getNumDims());
  for (AffineExpr expr : map.getResults()) {
    std::optional<LinearIndex> index = findLinearIndex(expr);
    if (!index)
      return false;
    for (LinearIndex::Term term : index->terms) {
      if (seen.test(term.loop))
        return false;
      seen.set(term.loop);
    }
  }
  return true;
}
