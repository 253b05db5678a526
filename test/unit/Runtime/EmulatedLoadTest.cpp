//===- EmulatedLoadTest.cpp - What the emulated device refuses ------------===//

#include "TestDevice.h"
#include "ckpt/Runtime/Emulated.h"

#include <gmock/gmock.h>

using namespace ckpt::test;
using testing::AllOf;
using testing::HasSubstr;

static const char header[] = "target triple = \"nvptx64-nvidia-cuda\"\n";

namespace {
class EmulatedLoad : public testing::Test {
protected:
  EmulatedLoad() : device((ckptRegisterEmulatedDevice(), "emulated")) {}

  std::string loadError(const std::string &image) {
    EXPECT_NE(ckptLoadImage(device, image.data(), int64_t(image.size())), 0);
    return device.error();
  }

  TestDevice device;
};
} // namespace

TEST_F(EmulatedLoad, UnknownIntrinsic) {
  EXPECT_THAT(loadError(std::string(header) + R"(
    declare i32 @llvm.nvvm.read.ptx.sreg.smid()
    define ptx_kernel void @uses_smid(ptr %p) {
      %v = call i32 @llvm.nvvm.read.ptx.sreg.smid()
      store i32 %v, ptr %p
      ret void
    })"),
              AllOf(HasSubstr("kernel 'uses_smid'"),
                    HasSubstr("'llvm.nvvm.read.ptx.sreg.smid'")));
}

TEST_F(EmulatedLoad, UnknownIntrinsicInCallee) {
  EXPECT_THAT(loadError(std::string(header) + R"(
    declare i32 @llvm.nvvm.read.ptx.sreg.smid()
    define i32 @helper() {
      %v = call i32 @llvm.nvvm.read.ptx.sreg.smid()
      ret i32 %v
    }
    define ptx_kernel void @calls_it(ptr %p) {
      %v = call i32 @helper()
      store i32 %v, ptr %p
      ret void
    })"),
              HasSubstr("kernel 'calls_it'"));
}

TEST_F(EmulatedLoad, UnknownAssembly) {
  EXPECT_THAT(loadError(std::string(header) + R"(
    define ptx_kernel void @inline_ptx() {
      call void asm sideeffect "wgmma.fence.sync.aligned;", ""()
      ret void
    })"),
              AllOf(HasSubstr("kernel 'inline_ptx'"),
                    HasSubstr("wgmma.fence.sync.aligned;")));
}

TEST_F(EmulatedLoad, ExternalFunction) {
  // What a workgroup buffer that was not placed becomes.
  EXPECT_THAT(loadError(std::string(header) + R"(
    declare ptr @malloc(i64)
    define ptx_kernel void @allocates(ptr %p) {
      %m = call ptr @malloc(i64 16)
      store ptr %m, ptr %p
      ret void
    })"),
              AllOf(HasSubstr("kernel 'allocates'"), HasSubstr("'malloc'")));
}

TEST_F(EmulatedLoad, Recursion) {
  EXPECT_THAT(loadError(std::string(header) + R"(
    define void @again(i32 %n) {
      %c = icmp eq i32 %n, 0
      br i1 %c, label %end, label %more
    more:
      %m = sub i32 %n, 1
      call void @again(i32 %m)
      br label %end
    end:
      ret void
    }
    define ptx_kernel void @recursive() {
      call void @again(i32 3)
      ret void
    })"),
              HasSubstr("recursion"));
}

TEST_F(EmulatedLoad, OtherTarget) {
  EXPECT_THAT(loadError("target triple = \"x86_64-linux-gnu\"\n"
                        "define void @f() { ret void }"),
              HasSubstr("not for nvptx64"));
}

TEST_F(EmulatedLoad, Ptx) {
  EXPECT_THAT(loadError("// Generated\n.version 8.0\n.target sm_80\n"),
              HasSubstr("the kernel image is PTX"));
}

TEST_F(EmulatedLoad, Cubin) {
  EXPECT_THAT(loadError(std::string("\x7f") + "ELF garbage"),
              HasSubstr("a cubin"));
}

TEST_F(EmulatedLoad, Garbage) {
  EXPECT_THAT(loadError("BC\xC0\xDE garbage"), HasSubstr("no LLVM bitcode"));
}

TEST_F(EmulatedLoad, TruncatedBitcode) {
  EXPECT_THAT(loadError("BC"), HasSubstr("no LLVM bitcode"));
}

TEST_F(EmulatedLoad, UnknownKernel) {
  device.load(std::string(header) + "define ptx_kernel void @k() { ret void }");
  EXPECT_NE(device.launch("other", {1}, {1}, 0), 0);
  EXPECT_THAT(device.error(), HasSubstr("no kernel 'other'"));
}

TEST_F(EmulatedLoad, WrongNumberOfParameters) {
  device.load(std::string(header) +
              "define ptx_kernel void @k(ptr %p) { ret void }");
  EXPECT_NE(device.launch("k", {1}, {1}, 0), 0);
  EXPECT_THAT(device.error(), HasSubstr("takes 1 parameters, was given 0"));
}

TEST_F(EmulatedLoad, RequiredBlockSize) {
  device.load(std::string(header) +
              "define ptx_kernel void @k() "
              "\"nvvm.reqntid\"=\"128,1,1\" { ret void }");
  EXPECT_EQ(device.launch("k", {1}, {128}, 0), 0) << device.error();
  EXPECT_NE(device.launch("k", {1}, {64}, 0), 0);
  EXPECT_THAT(device.error(), HasSubstr("compiled for 128 x 1 x 1"));
}

TEST_F(EmulatedLoad, ImageIsReplaced) {
  device.load(std::string(header) + "define ptx_kernel void @a() { ret void }");
  device.load(std::string(header) + "define ptx_kernel void @b() { ret void }");
  EXPECT_EQ(device.launch("b", {1}, {1}, 0), 0) << device.error();
  EXPECT_NE(device.launch("a", {1}, {1}, 0), 0);
}

TEST_F(EmulatedLoad, TooMuchLocalMemory) {
  device.load(std::string(header) + R"(
    define ptx_kernel void @huge(ptr %p, i64 %i) {
      %a = alloca [100000000 x i8], align 4
      %q = getelementptr i8, ptr %a, i64 %i
      store volatile i8 1, ptr %q, align 1
      %v = load volatile i8, ptr %a, align 1
      store i8 %v, ptr %p, align 1
      ret void
    })");
  void *p = ckptAllocate(device, 1);
  EXPECT_NE(device.launch("huge", {1}, {1}, 0, p, int64_t(0)), 0);
  EXPECT_THAT(device.error(), HasSubstr("bytes of local memory per thread"));
}
