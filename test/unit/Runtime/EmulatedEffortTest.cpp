//===- EmulatedEffortTest.cpp - Optimisation does not change a bit --------===//
//
// Random kernels of float arithmetic, launched with few threads (compiled
// quickly, run one by one) and with many (optimised, run as vectors), in two
// orders: the results must be equal bit for bit, or a recomputed value could
// differ from the original.
//
//===----------------------------------------------------------------------===//

#include "TestDevice.h"
#include "ckpt/Runtime/Emulated.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace ckpt::test;

namespace {

/// The text of a kernel out[i] = f(x[i % 1024], y[i % 1024]) for a random f.
class RandomKernel {
public:
  explicit RandomKernel(uint32_t seed) : random(seed) {}

  std::string build() {
    values = {"%x", "%y", "0x3FF8000000000000", "0xBFB99999A0000000"};
    for (int i = 0; i < 40; ++i)
      addOperation();
    return R"(target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare float @llvm.nvvm.ex2.approx.ftz.f32(float)
declare float @llvm.nvvm.rcp.approx.ftz.f(float)
declare float @llvm.nvvm.fma.rm.f(float, float, float)
declare float @llvm.nvvm.saturate.f(float)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.sqrt.f32(float)
declare float @llvm.fabs.f32(float)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.minnum.f32(float, float)
declare float @llvm.maximum.f32(float, float)
declare float @llvm.floor.f32(float)
define ptx_kernel void @random(ptr %px, ptr %py, ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = mul i32 %block, 256
  %i = add i32 %base, %tid
  %j = and i32 %i, 1023
  %ax = getelementptr float, ptr %px, i32 %j
  %ay = getelementptr float, ptr %py, i32 %j
  %x = load float, ptr %ax, align 4
  %y = load float, ptr %ay, align 4
)" + body + "  %ao = getelementptr float, ptr %out, i32 %i\n  store float " +
           values.back() + ", ptr %ao, align 4\n  ret void\n}\n";
  }

private:
  std::string pick() { return values[random() % values.size()]; }
  std::string define(const std::string &text) {
    const std::string name = "%v" + std::to_string(next++);
    body += "  " + name + " = " + text + "\n";
    return name;
  }
  std::string call(const std::string &function,
                   const std::vector<std::string> &arguments) {
    std::string text = "call float @" + function + "(";
    for (size_t i = 0; i < arguments.size(); ++i)
      text += (i ? ", float " : "float ") + arguments[i];
    return define(text + ")");
  }
  /// Rounds to a narrower type and back.
  std::string throughType(const std::string &type) {
    const std::string narrow =
        define("fptrunc float " + pick() + " to " + type);
    return define("fpext " + type + " " + narrow + " to float");
  }

  void addOperation() {
    static const char *const binary[] = {"fadd", "fadd contract", "fsub",
                                         "fmul", "fmul reassoc",  "fdiv"};
    static const char *const unaryCalls[] = {"llvm.nvvm.ex2.approx.ftz.f32",
                                             "llvm.nvvm.rcp.approx.ftz.f",
                                             "llvm.nvvm.saturate.f",
                                             "llvm.sqrt.f32",
                                             "llvm.fabs.f32",
                                             "llvm.floor.f32"};
    static const char *const binaryCalls[] = {
        "llvm.maxnum.f32", "llvm.minnum.f32", "llvm.maximum.f32"};
    std::string value;
    switch (random() % 8) {
    case 0:
    case 1:
    case 2:
      value = define(std::string(binary[random() % 6]) + " float " + pick() +
                     ", " + pick());
      break;
    case 3:
      value = call(unaryCalls[random() % 6], {pick()});
      break;
    case 4:
      value = call(binaryCalls[random() % 3], {pick(), pick()});
      break;
    case 5:
      value = call(random() % 2 ? "llvm.fma.f32" : "llvm.nvvm.fma.rm.f",
                   {pick(), pick(), pick()});
      break;
    case 6:
      value = throughType(random() % 2 ? "bfloat" : "half");
      break;
    default: {
      const std::string less =
          define("fcmp olt float " + pick() + ", " + pick());
      value = define("select i1 " + less + ", float " + pick() + ", float " +
                     pick());
      break;
    }
    }
    values.push_back(value);
  }

  std::mt19937 random;
  std::vector<std::string> values;
  std::string body;
  int next = 0;
};

} // namespace

/// The bits of floats, with one pattern for all NaNs: which operand's payload
/// survives is nobody's promise.
static std::vector<uint32_t> bitsOf(const std::vector<float> &values) {
  std::vector<uint32_t> bits(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    std::memcpy(&bits[i], &values[i], 4);
    if (std::isnan(values[i]))
      bits[i] = 0x7FC00000;
  }
  return bits;
}

TEST(EmulatedEffort, RandomArithmeticIsEqualBitForBit) {
  ckptRegisterEmulatedDevice();
  std::vector<float> x(1024), y(1024);
  for (size_t i = 0; i < 1024; ++i) {
    x[i] = std::sin(float(i)) * 10.f;
    y[i] = std::cos(float(i) * 0.37f);
  }
  x[0] = 0.f;
  x[1] = -0.f;
  x[2] = INFINITY;
  x[3] = 1e-40f;
  y[1] = 0.f;
  y[4] = NAN;
  const size_t many = 600 * 256;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    const std::string kernel = RandomKernel(seed).build();
    std::vector<uint32_t> few;
    for (uint64_t order : {0, 5}) {
      TestDevice device("emulated", order);
      device.load(kernel);
      void *dx = device.buffer(x);
      void *dy = device.buffer(y);
      void *out = ckptAllocate(device, int64_t(many * 4));
      ASSERT_EQ(device.launch("random", {4}, {256}, 0, dx, dy, out), 0)
          << device.error();
      if (few.empty())
        few = bitsOf(device.read<float>(out, 1024));
      EXPECT_EQ(bitsOf(device.read<float>(out, 1024)), few) << kernel;
      ASSERT_EQ(device.launch("random", {600}, {256}, 0, dx, dy, out), 0)
          << device.error();
      const std::vector<uint32_t> all = bitsOf(device.read<float>(out, many));
      for (size_t first = 0; first < many; first += 1024) {
        const std::vector<uint32_t> part(
            all.begin() + ptrdiff_t(first),
            all.begin() + ptrdiff_t(std::min(first + 1024, many)));
        ASSERT_EQ(part, std::vector<uint32_t>(
                            few.begin(), few.begin() + ptrdiff_t(part.size())))
            << kernel;
      }
    }
  }
}
