//===- Intrinsics.cpp - NVVM intrinsics on the host -----------------------===//

#include "Intrinsics.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

#include <vector>

using namespace llvm;
using namespace ckpt::emulated;

static constexpr StringLiteral prefix = "llvm.nvvm.";

Value *IntrinsicCall::host(StringRef function, Type *result,
                           ArrayRef<Value *> args) const {
  SmallVector<Type *> types;
  for (Value *value : args)
    types.push_back(value->getType());
  FunctionCallee callee = call.getModule()->getOrInsertFunction(
      function, FunctionType::get(result, types, /*isVarArg=*/false));
  return builder.CreateCall(callee, args);
}

Value *IntrinsicCall::local(Type *type) const {
  BasicBlock &entry = call.getFunction()->getEntryBlock();
  IRBuilder<> atEntry(&entry, entry.getFirstInsertionPt());
  return atEntry.CreateAlloca(type);
}

std::string ckpt::emulated::intrinsicKey(StringRef fullName) {
  std::string key = fullName.drop_front(prefix.size()).str();
  for (size_t at; (at = key.find(".ftz")) != std::string::npos;)
    key.erase(at, 4);
  return key;
}

namespace {
struct IntrinsicTable {
  StringMap<IntrinsicRewrite> exact;
  std::vector<IntrinsicRow> prefixes;

  IntrinsicTable() {
    for (ArrayRef<IntrinsicRow> rows :
         {arithmeticIntrinsics(), threadIntrinsics()})
      for (const IntrinsicRow &row : rows) {
        if (row.pattern.ends_with("*"))
          prefixes.push_back({row.pattern.drop_back(), row.rewrite});
        else
          exact[row.pattern] = row.rewrite;
      }
  }
};
} // namespace

const IntrinsicRewrite *ckpt::emulated::findIntrinsic(StringRef fullName) {
  if (!fullName.starts_with(prefix))
    return nullptr;
  static const IntrinsicTable table;
  const std::string key = intrinsicKey(fullName);
  auto it = table.exact.find(key);
  if (it != table.exact.end())
    return &it->second;
  for (const IntrinsicRow &row : table.prefixes)
    if (StringRef(key).starts_with(row.pattern))
      return &row.rewrite;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Inline assembly
//===----------------------------------------------------------------------===//

/// The instruction's mnemonic if `text` is one instruction on $0 and $1.
static StringRef unaryMnemonic(StringRef text) {
  text = text.trim();
  auto [mnemonic, operands] = text.split(' ');
  operands = operands.trim();
  if (operands == "$0,$1;" || operands == "$0, $1;")
    return mnemonic;
  return StringRef();
}

bool ckpt::emulated::isKnownAssembly(StringRef text) {
  StringRef mnemonic = unaryMnemonic(text);
  return mnemonic == "rcp.approx.ftz.f32" || mnemonic == "rcp.approx.f32" ||
         mnemonic == "rcp.approx.ftz.f64";
}

Value *ckpt::emulated::rewriteAssembly(CallInst &call) {
  IRBuilder<> builder(&call);
  return builder.CreateFDiv(ConstantFP::get(call.getType(), 1.0),
                            call.getArgOperand(0));
}
