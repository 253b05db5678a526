//===- StepInfo.cpp - What a compiled step says of itself -----------------===//

#include "StepInfo.h"

#include "ckpt/IR/Buffers.h"
#include "ckpt/Runtime/Runtime.h"

using namespace mlir;

namespace ckpt {

static constexpr llvm::StringLiteral stepInfoName = "ckpt_step_info";

LLVM::GlobalOp HostConstants::add(Location loc, Type type, StringRef prefix,
                                  Attribute value,
                                  function_ref<Value(OpBuilder &)> initialize) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  std::string name = (prefix + "_" + Twine(count++)).str();
  auto global = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                       LLVM::Linkage::Internal, name, value);
  if (initialize) {
    b.createBlock(&global.getInitializerRegion());
    LLVM::ReturnOp::create(b, loc, initialize(b));
  }
  return global;
}

LLVM::GlobalOp HostConstants::stringGlobal(Location loc, StringRef text) {
  LLVM::GlobalOp &global = strings[text];
  if (!global) {
    std::string bytes = text.str();
    bytes.push_back('\0');
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
    global = add(loc, type, "ckpt_string", b.getStringAttr(bytes));
  }
  return global;
}

Value HostConstants::string(OpBuilder &builder, Location loc, StringRef text) {
  return LLVM::AddressOfOp::create(builder, loc, stringGlobal(loc, text));
}

static std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream stream(name);
  if (isa<IndexType>(type))
    stream << "i64";
  else
    stream << type;
  return name;
}

/// Puts `values` into an aggregate of `type`.
static Value makeAggregate(OpBuilder &b, Location loc, Type type,
                           ValueRange values) {
  Value aggregate = LLVM::PoisonOp::create(b, loc, type);
  for (auto [position, value] : llvm::enumerate(values))
    aggregate = LLVM::InsertValueOp::create(b, loc, aggregate, value,
                                            static_cast<int64_t>(position));
  return aggregate;
}

static Value makeInteger(OpBuilder &b, Location loc, unsigned width,
                         int64_t value) {
  Type type = b.getIntegerType(width);
  return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
}

LLVM::GlobalOp HostConstants::buffers(Location loc,
                                      ArrayRef<MemRefType> types) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto infoType = LLVM::LLVMStructType::getLiteral(
      b.getContext(), {pointer, b.getI32Type(), pointer, b.getI64Type()});
  // Shapes and names first: globals of their own. Equal types share them.
  llvm::DenseMap<Type, std::pair<LLVM::GlobalOp, LLVM::GlobalOp>> parts;
  for (MemRefType type : types) {
    auto &[name, shape] = parts[type];
    if (name)
      continue;
    name = stringGlobal(loc, typeName(type.getElementType()));
    // C has no arrays without elements: a scalar's shape is never read.
    SmallVector<int64_t> sizes(type.getShape());
    if (sizes.empty())
      sizes.push_back(1);
    shape = add(loc, LLVM::LLVMArrayType::get(b.getI64Type(), sizes.size()),
                "ckpt_shape", b.getI64TensorAttr(sizes));
  }
  auto arrayType = LLVM::LLVMArrayType::get(infoType, types.size());
  return add(loc, arrayType, "ckpt_buffers", Attribute(), [&](OpBuilder &b) {
    llvm::DenseMap<Type, Value> made;
    SmallVector<Value> infos;
    for (MemRefType type : types) {
      Value &info = made[type];
      if (!info) {
        auto [name, shape] = parts[type];
        info = makeAggregate(b, loc, infoType,
                             {LLVM::AddressOfOp::create(b, loc, name),
                              makeInteger(b, loc, 32, type.getRank()),
                              LLVM::AddressOfOp::create(b, loc, shape),
                              makeInteger(b, loc, 64, *getContentBytes(type))});
      }
      infos.push_back(info);
    }
    return makeAggregate(b, loc, arrayType, infos);
  });
}

LLVM::GlobalOp HostConstants::messages(Location loc, ArrayAttr texts) {
  SmallVector<LLVM::GlobalOp> globals;
  for (auto text : texts.getAsRange<StringAttr>())
    globals.push_back(stringGlobal(loc, text));
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMArrayType::get(pointer, globals.size());
  return add(loc, type, "ckpt_messages", Attribute(), [&](OpBuilder &b) {
    SmallVector<Value> addresses;
    for (LLVM::GlobalOp global : globals)
      addresses.push_back(LLVM::AddressOfOp::create(b, loc, global));
    return makeAggregate(b, loc, type, addresses);
  });
}

void HostConstants::defineStepInfo(Location loc, const StepInfo &info) {
  LLVM::GlobalOp argumentInfos = buffers(loc, info.arguments);
  LLVM::GlobalOp resultInfos = buffers(loc, info.results);
  LLVM::GlobalOp messageTexts = messages(loc, info.messages);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i32 = b.getI32Type();
  auto type = LLVM::LLVMStructType::getLiteral(
      b.getContext(),
      {i32, i32, i32, i32, pointer, pointer, pointer, b.getI64Type(), pointer});
  LLVM::GlobalOp global =
      add(loc, type, stepInfoName, Attribute(), [&](OpBuilder &b) {
        return makeAggregate(b, loc, type,
                             {makeInteger(b, loc, 32, CKPT_ABI_VERSION),
                              makeInteger(b, loc, 32, info.arguments.size()),
                              makeInteger(b, loc, 32, info.results.size()),
                              makeInteger(b, loc, 32, info.messages.size()),
                              LLVM::AddressOfOp::create(b, loc, argumentInfos),
                              LLVM::AddressOfOp::create(b, loc, resultInfos),
                              LLVM::AddressOfOp::create(b, loc, messageTexts),
                              makeInteger(b, loc, 64, info.arenaBytes),
                              LLVM::AddressOfOp::create(b, loc, info.run)});
      });
  global.setSymName(stepInfoName);
  global.setLinkage(LLVM::Linkage::External);
}

} // namespace ckpt
