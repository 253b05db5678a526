//===- AccessBoundsTest.cpp - Proofs about accesses are sound -------------===//

#include "Emulated/AccessBounds.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

using namespace llvm;
using namespace ckpt::emulated;

//===----------------------------------------------------------------------===//
// Single cases
//===----------------------------------------------------------------------===//

namespace {

/// The proof of the only access of a function @f whose parameters from the
/// `firstParam`-th on are the kernel's.
struct Proof {
  explicit Proof(const std::string &text, unsigned firstParam = 1) {
    LLVMContext context;
    SMDiagnostic diagnostic;
    std::unique_ptr<Module> module =
        parseAssemblyString("target triple = \"nvptx64-nvidia-cuda\"\n" + text,
                            diagnostic, context);
    if (!module) {
      ADD_FAILURE() << diagnostic.getMessage().str();
      return;
    }
    Function &function = *module->getFunction("f");
    SmallVector<KernelAccess> accesses = collectAccesses(function);
    EXPECT_EQ(accesses.size(), 1u);
    needed =
        proveAccesses(function, firstParam, accesses, requirements).front();
  }

  NeededChecks needed;
  std::vector<LaunchRequirement> requirements;
};

} // namespace

TEST(AccessBounds, IndexInTheLaunchsRange) {
  Proof proof(R"(define void @f(i32 range(i32 0, 256) %t, ptr %x) {
    %i = zext i32 %t to i64
    %p = getelementptr float, ptr %x, i64 %i
    store float 0.0, ptr %p, align 4
    ret void
  })");
  EXPECT_FALSE(proof.needed.bounds);
  EXPECT_FALSE(proof.needed.alignment);
  ASSERT_EQ(proof.requirements.size(), 1u);
  EXPECT_EQ(proof.requirements[0].param, 0u);
  EXPECT_EQ(proof.requirements[0].low, 0);
  EXPECT_EQ(proof.requirements[0].high, 1024);
  EXPECT_EQ(proof.requirements[0].alignment, 4u);
}

TEST(AccessBounds, GuardedIndex) {
  Proof proof(R"(define void @f(i32 range(i32 0, 256) %t, ptr %x) {
    %in = icmp ult i32 %t, 100
    br i1 %in, label %body, label %exit
  body:
    %i = zext i32 %t to i64
    %p = getelementptr float, ptr %x, i64 %i
    store float 0.0, ptr %p, align 4
    br label %exit
  exit:
    ret void
  })");
  EXPECT_FALSE(proof.needed.bounds);
  ASSERT_EQ(proof.requirements.size(), 1u);
  EXPECT_EQ(proof.requirements[0].high, 400);
}

TEST(AccessBounds, CountedLoop) {
  Proof proof(R"(define void @f(i32 range(i32 0, 16) %t, ptr %x) {
  entry:
    %row = mul i32 %t, 64
    br label %loop
  loop:
    %k = phi i32 [ 0, %entry ], [ %next, %loop ]
    %i = add i32 %row, %k
    %i64 = zext i32 %i to i64
    %p = getelementptr float, ptr %x, i64 %i64
    store float 0.0, ptr %p, align 4
    %next = add i32 %k, 1
    %more = icmp ult i32 %next, 64
    br i1 %more, label %loop, label %exit
  exit:
    ret void
  })");
  EXPECT_FALSE(proof.needed.bounds);
  ASSERT_EQ(proof.requirements.size(), 1u);
  EXPECT_EQ(proof.requirements[0].low, 0);
  EXPECT_EQ(proof.requirements[0].high, 16 * 64 * 4);
}

TEST(AccessBounds, IndexFromOutside) {
  Proof proof(R"(define void @f(i32 %t, ptr %x, i64 %i) {
    %p = getelementptr float, ptr %x, i64 %i
    store float 0.0, ptr %p, align 4
    ret void
  })");
  EXPECT_TRUE(proof.needed.bounds);
  EXPECT_FALSE(proof.needed.alignment);
}

TEST(AccessBounds, VectorAtAnOddElement) {
  Proof proof(R"(define void @f(i32 range(i32 0, 8) %t, ptr %x) {
    %i = zext i32 %t to i64
    %p = getelementptr float, ptr %x, i64 %i
    store <4 x float> zeroinitializer, ptr %p, align 16
    ret void
  })");
  EXPECT_FALSE(proof.needed.bounds);
  EXPECT_TRUE(proof.needed.alignment);
}

TEST(AccessBounds, VectorAtAMultipleOfFour) {
  Proof proof(R"(define void @f(i32 range(i32 0, 8) %t, ptr %x) {
    %f = shl i32 %t, 2
    %i = zext i32 %f to i64
    %p = getelementptr float, ptr %x, i64 %i
    store <4 x float> zeroinitializer, ptr %p, align 16
    ret void
  })");
  EXPECT_FALSE(proof.needed.bounds);
  EXPECT_FALSE(proof.needed.alignment);
  ASSERT_EQ(proof.requirements.size(), 1u);
  EXPECT_EQ(proof.requirements[0].alignment, 16u);
  EXPECT_EQ(proof.requirements[0].high, 8 * 16);
}

/// A store to a shared buffer of 64 floats by threads below `extent`.
static NeededChecks sharedStore(int extent, int bufferAlign, int accessAlign) {
  return Proof("@s = internal addrspace(3) global [64 x float] undef, align " +
               std::to_string(bufferAlign) +
               "\n define void @f(i32 range(i32 0, " + std::to_string(extent) +
               R"() %t, ptr %x) {
    %i = zext i32 %t to i64
    %p = getelementptr float, ptr addrspace(3) @s, i64 %i
    store float 0.0, ptr addrspace(3) %p, align )" +
               std::to_string(accessAlign) + "\n ret void }")
      .needed;
}

TEST(AccessBounds, SharedBuffer) {
  EXPECT_FALSE(sharedStore(64, 4, 4).bounds);
  EXPECT_FALSE(sharedStore(64, 4, 4).alignment);
  EXPECT_TRUE(sharedStore(65, 4, 4).bounds);
  EXPECT_TRUE(sharedStore(64, 2, 4).alignment);
  EXPECT_TRUE(sharedStore(64, 16, 8).alignment);
}

TEST(AccessBounds, PointerFromMemory) {
  Proof proof(R"(define void @f(i32 %t, ptr %x) {
    %p = inttoptr i64 4096 to ptr
    store float 0.0, ptr %p, align 4
    ret void
  })");
  EXPECT_TRUE(proof.needed.bounds);
  EXPECT_TRUE(proof.needed.alignment);
}

//===----------------------------------------------------------------------===//
// Random expressions against all their values
//===----------------------------------------------------------------------===//

namespace {

/// Builds an i64 index from two bounded i32 arguments, as IR and as a number.
class RandomIndex {
public:
  RandomIndex(std::mt19937 &random, IRBuilder<> &builder)
      : random(random), b(builder) {}

  using Evaluator = std::function<uint32_t(uint32_t, uint32_t)>;

  std::pair<Value *, Evaluator> build(Value *x, Value *y, unsigned depth) {
    const unsigned kind = random() % (depth == 0 ? 3 : 9);
    const uint32_t c = random() % 40;
    if (kind == 0)
      return {x, [](uint32_t vx, uint32_t) { return vx; }};
    if (kind == 1)
      return {y, [](uint32_t, uint32_t vy) { return vy; }};
    if (kind == 2)
      return {b.getInt32(c), [c](uint32_t, uint32_t) { return c; }};
    auto [left, evalLeft] = build(x, y, depth - 1);
    auto [right, evalRight] = build(x, y, depth - 1);
    auto l = evalLeft, r = evalRight;
    switch (kind) {
    case 3:
      return {b.CreateAdd(left, right),
              [=](uint32_t a, uint32_t d) { return l(a, d) + r(a, d); }};
    case 4:
      return {b.CreateSub(left, right),
              [=](uint32_t a, uint32_t d) { return l(a, d) - r(a, d); }};
    case 5:
      return {b.CreateMul(left, b.getInt32(c)),
              [=](uint32_t a, uint32_t d) { return l(a, d) * c; }};
    case 6:
      return {b.CreateAnd(left, c),
              [=](uint32_t a, uint32_t d) { return l(a, d) & c; }};
    case 7:
      return {b.CreateUDiv(left, b.getInt32(c + 1)),
              [=](uint32_t a, uint32_t d) { return l(a, d) / (c + 1); }};
    default:
      return {b.CreateURem(left, b.getInt32(c + 1)),
              [=](uint32_t a, uint32_t d) { return l(a, d) % (c + 1); }};
    }
  }

private:
  std::mt19937 &random;
  IRBuilder<> &b;
};

} // namespace

TEST(AccessBounds, HoldForEveryValueOfRandomIndices) {
  std::mt19937 random(2024);
  unsigned proved = 0;
  for (int round = 0; round < 2000; ++round) {
    LLVMContext context;
    Module module("random", context);
    IRBuilder<> b(context);
    const uint32_t extentX = 1 + random() % 12, extentY = 1 + random() % 12;
    Function *f = Function::Create(
        FunctionType::get(b.getVoidTy(),
                          {b.getInt32Ty(), b.getInt32Ty(), b.getPtrTy()},
                          false),
        GlobalValue::ExternalLinkage, "f", module);
    for (auto [argument, extent] : {std::pair(0u, extentX), {1u, extentY}})
      f->getArg(argument)->addAttr(
          Attribute::get(context, Attribute::Range,
                         ConstantRange(APInt(32, 0), APInt(32, extent))));
    BasicBlock *entry = BasicBlock::Create(context, "entry", f);
    BasicBlock *body = BasicBlock::Create(context, "body", f);
    BasicBlock *exit = BasicBlock::Create(context, "exit", f);
    b.SetInsertPoint(entry);
    RandomIndex maker(random, b);
    auto [index, evaluate] = maker.build(f->getArg(0), f->getArg(1), 3);
    // Half of the accesses are guarded.
    const bool guarded = random() % 2;
    const uint32_t limit = random() % 100;
    if (guarded)
      b.CreateCondBr(b.CreateICmpULT(index, b.getInt32(limit)), body, exit);
    else
      b.CreateBr(body);
    b.SetInsertPoint(body);
    const bool isSigned = random() % 2;
    Value *wide = isSigned ? b.CreateSExt(index, b.getInt64Ty())
                           : b.CreateZExt(index, b.getInt64Ty());
    b.CreateAlignedStore(b.getInt16(0),
                         b.CreateGEP(b.getInt16Ty(), f->getArg(2), wide),
                         Align(2));
    b.CreateBr(exit);
    b.SetInsertPoint(exit);
    b.CreateRetVoid();
    ASSERT_FALSE(verifyFunction(*f, &errs()));

    std::vector<LaunchRequirement> requirements;
    const NeededChecks needed =
        proveAccesses(*f, 2, collectAccesses(*f), requirements).front();
    if (needed.bounds)
      continue;
    ++proved;
    for (uint32_t x = 0; x < extentX; ++x)
      for (uint32_t y = 0; y < extentY; ++y) {
        const uint32_t value = evaluate(x, y);
        if (guarded && value >= limit)
          continue;
        const int64_t offset =
            2 * (isSigned ? int64_t(int32_t(value)) : int64_t(value));
        ASSERT_FALSE(requirements.empty()) << round;
        EXPECT_LE(requirements[0].low, offset) << round;
        EXPECT_GE(requirements[0].high, offset + 2) << round;
      }
  }
  // The test would show nothing if nothing were ever proved.
  EXPECT_GT(proved, 1000u);
}
