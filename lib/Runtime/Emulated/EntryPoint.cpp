//===- EntryPoint.cpp - The function that the emulator calls --------------===//

#include "EntryPoint.h"

#include "ThreadState.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace ckpt;
using namespace ckpt::emulated;

namespace {
enum BodyArgument : unsigned {
  ThreadArgument,
  BlockArgument,
  LinearArgument,
  ThreadIdxArgument,
  BlockIdxArgument = ThreadIdxArgument + 3,
  EndOfPosition = BlockIdxArgument + 3
};
static_assert(EndOfPosition == firstBodyParam);
} // namespace

/// Keeps what says how memory is used; drops what promises properties of the
/// address, which are checked instead.
static AttributeSet bodyParamAttributes(LLVMContext &context,
                                        AttributeSet attributes) {
  return attributes.removeAttribute(context, Attribute::Alignment)
      .removeAttribute(context, Attribute::NonNull)
      .removeAttribute(context, Attribute::NoUndef)
      .removeAttribute(context, Attribute::Dereferenceable)
      .removeAttribute(context, Attribute::DereferenceableOrNull);
}

Function *ckpt::emulated::createBodyFunction(Function &kernel) {
  LLVMContext &context = kernel.getContext();
  Type *i32 = Type::getInt32Ty(context);
  Type *pointer = PointerType::getUnqual(context);
  SmallVector<Type *> types(firstBodyParam, i32);
  types[ThreadArgument] = types[BlockArgument] = pointer;
  SmallVector<AttributeSet> attributes(firstBodyParam);
  for (const Argument &param : kernel.args()) {
    types.push_back(param.getType());
    attributes.push_back(bodyParamAttributes(
        context, kernel.getAttributes().getParamAttrs(param.getArgNo())));
  }
  Function *body = Function::Create(
      FunctionType::get(Type::getVoidTy(context), types, /*isVarArg=*/false),
      GlobalValue::InternalLinkage, kernel.getName() + ".body",
      kernel.getParent());
  body->splice(body->end(), &kernel);
  for (auto [index, param] : llvm::enumerate(kernel.args()))
    param.replaceAllUsesWith(body->getArg(firstBodyParam + unsigned(index)));
  body->setAttributes(
      AttributeList::get(context, AttributeSet(), AttributeSet(), attributes));
  body->setDoesNotThrow();
  for (Instruction &instruction : instructions(*body))
    // What lies outside of an object is to be found, not assumed away.
    if (auto *address = dyn_cast<GetElementPtrInst>(&instruction))
      address->setNoWrapFlags(GEPNoWrapFlags::none());
  return body;
}

static void boundIndex(Argument &index, uint32_t extent, const Twine &name) {
  index.setName(name);
  index.addAttr(Attribute::get(index.getContext(), Attribute::Range,
                               ConstantRange(APInt(32, 0), APInt(32, extent))));
}

KernelValues ckpt::emulated::bodyValues(Function &body,
                                        const runtime::Dim3 &grid,
                                        const runtime::Dim3 &block) {
  KernelValues values;
  values.blockSize = block;
  values.gridSize = grid;
  values.thread = body.getArg(ThreadArgument);
  values.block = body.getArg(BlockArgument);
  values.linear = body.getArg(LinearArgument);
  values.thread->setName("thread");
  values.block->setName("block");
  boundIndex(*body.getArg(LinearArgument), uint32_t(block.count()), "linear");
  const uint32_t blockExtents[] = {block.x, block.y, block.z};
  const uint32_t gridExtents[] = {grid.x, grid.y, grid.z};
  for (unsigned i = 0; i < 3; ++i) {
    const char axis = char('x' + i);
    Argument &threadIdx = *body.getArg(ThreadIdxArgument + i);
    Argument &blockIdx = *body.getArg(BlockIdxArgument + i);
    boundIndex(threadIdx, blockExtents[i], "threadIdx." + Twine(axis));
    boundIndex(blockIdx, gridExtents[i], "blockIdx." + Twine(axis));
    values.threadIdx[i] = &threadIdx;
    values.blockIdx[i] = &blockIdx;
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

static Value *loadField(IRBuilder<> &b, Type *type, Value *base,
                        uint64_t offset) {
  return b.CreateLoad(type, b.CreateConstGEP1_64(b.getInt8Ty(), base, offset));
}

/// Fills in the block's index and the kernel's parameters.
static void loadBlockArguments(IRBuilder<> &b, Function &body, Value *block,
                               SmallVectorImpl<Value *> &arguments) {
  arguments[BlockArgument] = block;
  for (unsigned i = 0; i < 3; ++i)
    arguments[BlockIdxArgument + i] = loadField(
        b, b.getInt32Ty(), block, layout::blockIdx + i * sizeof(uint32_t));
  Value *params = loadField(b, b.getPtrTy(), block, layout::params);
  for (unsigned i = firstBodyParam; i < body.arg_size(); ++i) {
    Value *address = loadField(b, b.getPtrTy(), params,
                               (i - firstBodyParam) * sizeof(void *));
    arguments[i] = body.getArg(i)->hasByValAttr()
                       ? address
                       : b.CreateLoad(body.getArg(i)->getType(), address);
  }
}

static Function *createEntry(Function &body, const std::string &name,
                             ArrayRef<Type *> types) {
  Function *entry = Function::Create(
      FunctionType::get(Type::getVoidTy(body.getContext()), types, false),
      GlobalValue::ExternalLinkage, name, body.getParent());
  entry->setDoesNotThrow();
  BasicBlock::Create(body.getContext(), "entry", entry);
  return entry;
}

static CallInst *createThreadFunction(Function &body, const std::string &name) {
  Function *entry =
      createEntry(body, name, {PointerType::getUnqual(body.getContext())});
  IRBuilder<> b(&entry->getEntryBlock());
  SmallVector<Value *> arguments(body.arg_size());
  Value *thread = entry->getArg(0);
  arguments[ThreadArgument] = thread;
  arguments[LinearArgument] =
      loadField(b, b.getInt32Ty(), thread, layout::linear);
  for (unsigned i = 0; i < 3; ++i)
    arguments[ThreadIdxArgument + i] = loadField(
        b, b.getInt32Ty(), thread, layout::threadIdx + i * sizeof(uint32_t));
  loadBlockArguments(b, body, loadField(b, b.getPtrTy(), thread, layout::block),
                     arguments);
  CallInst *call = b.CreateCall(&body, arguments);
  b.CreateRetVoid();
  return call;
}

/// Says that the iterations of the loop that ends in `latch` are independent:
/// threads that wait for nobody may not depend on each other. Local arrays are
/// one per thread in the program but one for all here, and are left out.
static void markIndependent(Function &body, Instruction &latch) {
  LLVMContext &context = body.getContext();
  MDNode *group = MDNode::getDistinct(context, {});
  for (Instruction &instruction : instructions(body)) {
    const Value *pointer = getLoadStorePointerOperand(&instruction);
    if (!pointer)
      continue;
    SmallVector<const Value *, 2> roots;
    getUnderlyingObjects(pointer, roots, nullptr, 0);
    if (llvm::none_of(roots,
                      [](const Value *root) { return isa<AllocaInst>(root); }))
      instruction.setMetadata(LLVMContext::MD_access_group, group);
  }
  Metadata *parallel[] = {MDString::get(context, "llvm.loop.parallel_accesses"),
                          group};
  MDNode *loop =
      MDNode::getDistinct(context, {nullptr, MDNode::get(context, parallel)});
  loop->replaceOperandWith(0, loop);
  latch.setMetadata(LLVMContext::MD_loop, loop);
}

static CallInst *createThreadLoop(Function &body, const std::string &name,
                                  const runtime::Dim3 &block) {
  LLVMContext &context = body.getContext();
  Type *i32 = Type::getInt32Ty(context);
  Function *entry =
      createEntry(body, name, {PointerType::getUnqual(context), i32, i32});
  Value *begin = entry->getArg(1);
  Value *end = entry->getArg(2);
  BasicBlock *loop = BasicBlock::Create(context, "loop", entry);
  BasicBlock *exit = BasicBlock::Create(context, "exit", entry);
  SmallVector<Value *> arguments(body.arg_size());
  IRBuilder<> b(&entry->getEntryBlock());
  loadBlockArguments(b, body, entry->getArg(0), arguments);
  b.CreateBr(loop);

  b.SetInsertPoint(loop);
  PHINode *linear = b.CreatePHI(i32, 2, "linear");
  linear->addIncoming(begin, &entry->getEntryBlock());
  arguments[ThreadArgument] =
      ConstantPointerNull::get(PointerType::getUnqual(context));
  arguments[LinearArgument] = linear;
  Value *x = linear;
  Value *y = b.getInt32(0);
  Value *z = b.getInt32(0);
  if (block.y > 1 || block.z > 1) {
    x = b.CreateURem(linear, b.getInt32(block.x));
    Value *row = b.CreateUDiv(linear, b.getInt32(block.x));
    y = b.CreateURem(row, b.getInt32(block.y));
    z = b.CreateUDiv(row, b.getInt32(block.y));
  }
  arguments[ThreadIdxArgument] = x;
  arguments[ThreadIdxArgument + 1] = y;
  arguments[ThreadIdxArgument + 2] = z;
  CallInst *call = b.CreateCall(&body, arguments);
  Value *next = b.CreateAdd(linear, b.getInt32(1), "next", /*HasNUW=*/true,
                            /*HasNSW=*/true);
  linear->addIncoming(next, loop);
  Instruction *latch = b.CreateCondBr(b.CreateICmpULT(next, end), loop, exit);
  b.SetInsertPoint(exit);
  b.CreateRetVoid();
  markIndependent(body, *latch);
  return call;
}

void ckpt::emulated::createEntryPoint(Function &body, const std::string &name,
                                      bool fibers, const runtime::Dim3 &block) {
  CallInst *call = fibers ? createThreadFunction(body, name)
                          : createThreadLoop(body, name, block);
  InlineFunctionInfo info;
  [[maybe_unused]] InlineResult result = InlineFunction(*call, info);
  assert(result.isSuccess() && "the body can be inlined");
  body.eraseFromParent();
}
