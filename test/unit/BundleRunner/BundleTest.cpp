//===- BundleTest.cpp - Steps run from a folder ---------------------------===//

#include "Bundle.h"
#include "ckpt/Runtime/Emulated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

using namespace ckpt;
using namespace ckpt::bundle;
using testing::HasSubstr;

namespace fs = std::filesystem;

namespace {

class Bundle : public testing::Test {
protected:
  void SetUp() override {
    ckptRegisterEmulatedDevice();
    std::string pattern =
        (fs::temp_directory_path() / "ckpt-bundle-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    fs::create_directory(folder / "args");
    fs::create_directory(folder / "expected");
    fs::copy_file(CKPT_TEST_STEP, folder / "step.so");
    fs::copy_file(CKPT_TEST_KERNELS, folder / "kernels.bc");
    std::iota(x.begin(), x.end(), 0.f);
    writeArgument("arg0", NpyType::F32, {2, 64}, x.data());
    writeIndex(5);
    options.folder = folder.string();
    options.device = "emulated";
    options.runs = 3;
  }
  void TearDown() override { fs::remove_all(folder); }

  void write(const std::string &name, NpyType type,
             const std::vector<int64_t> &shape, const void *data) {
    std::string problem;
    ASSERT_TRUE(writeNpy(folder / name, type, shape, data, problem)) << problem;
  }
  void writeArgument(const std::string &name, NpyType type,
                     const std::vector<int64_t> &shape, const void *data) {
    write("args/" + name + ".npy", type, shape, data);
  }
  void writeIndex(int32_t index) {
    writeArgument("arg1", NpyType::I32, {1}, &index);
  }
  void writeExpected(double offset) {
    std::vector<double> expected;
    for (float value : x)
      expected.push_back(4.0 * value + 3 + offset);
    write("expected/result0.npy", NpyType::F64, {2, 64}, expected.data());
  }
  void writeText(const std::string &name, const std::string &text) {
    std::ofstream(folder / name) << text;
  }
  std::string failure() {
    EXPECT_FALSE(runBundle(options, report, error));
    return error;
  }

  fs::path folder;
  std::vector<float> x = std::vector<float>(128);
  Options options;
  Report report;
  std::string error;
};

} // namespace

TEST_F(Bundle, RunsAndMeasures) {
  writeExpected(0);
  ASSERT_TRUE(runBundle(options, report, error)) << error;
  EXPECT_TRUE(report.passed());
  EXPECT_TRUE(report.emulated);
  EXPECT_EQ(report.peakBytes, 1024);
  EXPECT_EQ(report.arenaBytes, 1024);
  EXPECT_EQ(report.argumentBytes, 516);
  EXPECT_EQ(report.resultBytes, 512);
  EXPECT_EQ(report.launches, 3);
  EXPECT_EQ(report.seconds.size(), 3u);
  NpyArray result;
  ASSERT_TRUE(readNpy(folder / "results" / "result0.npy", result, error));
  EXPECT_EQ(result.shape, (std::vector<int64_t>{2, 64}));
  EXPECT_EQ(npyElement(result, 127), 4 * 127 + 3);
  EXPECT_THAT(formatTable(report), HasSubstr("passed"));
  EXPECT_THAT(formatJson(report),
              testing::AllOf(HasSubstr("\"measured_peak_bytes\": 1024"),
                             HasSubstr("\"passed\": true")));
}

TEST_F(Bundle, WithoutExpectedResults) {
  ASSERT_TRUE(runBundle(options, report, error)) << error;
  EXPECT_TRUE(report.comparisons.empty());
  EXPECT_TRUE(report.passed());
}

TEST_F(Bundle, WrongResults) {
  writeExpected(1);
  ASSERT_TRUE(runBundle(options, report, error)) << error;
  EXPECT_FALSE(report.passed());
  EXPECT_THAT(formatTable(report), HasSubstr("FAILED"));
}

TEST_F(Bundle, TolerancesOfResults) {
  writeExpected(1);
  writeText("expected/tolerances.txt", "0 absolute 11.4\n");
  ASSERT_TRUE(runBundle(options, report, error)) << error;
  ASSERT_EQ(report.comparisons.size(), 1u);
  EXPECT_NEAR(report.comparisons[0].error, std::sqrt(128.0), 1e-9);
  EXPECT_TRUE(report.passed());
}

TEST_F(Bundle, NaNDoesNotPass) {
  x[5] = NAN;
  writeArgument("arg0", NpyType::F32, {2, 64}, x.data());
  x[5] = 5;
  writeExpected(0);
  ASSERT_TRUE(runBundle(options, report, error)) << error;
  EXPECT_FALSE(report.passed());
}

TEST_F(Bundle, FailedCheck) {
  writeIndex(1000);
  EXPECT_EQ(failure(), "the index is out of range");
}

TEST_F(Bundle, MalformedTolerances) {
  writeText("expected/tolerances.txt", "0 about 3\n");
  EXPECT_THAT(failure(), HasSubstr("tolerances.txt:1"));
}

TEST_F(Bundle, MissingParts) {
  fs::remove(folder / "args" / "arg1.npy");
  EXPECT_THAT(failure(), HasSubstr("arg1.npy"));
  fs::remove(folder / "kernels.bc");
  EXPECT_THAT(failure(), HasSubstr("no kernels for this device"));
}

TEST_F(Bundle, MissingStep) {
  fs::remove(folder / "step.so");
  EXPECT_THAT(failure(), HasSubstr("step.so"));
}

TEST_F(Bundle, ArgumentOfAnotherShape) {
  writeArgument("arg0", NpyType::F32, {128}, x.data());
  EXPECT_THAT(failure(), HasSubstr("its shape or type"));
}

TEST_F(Bundle, UnknownDevice) {
  options.device = "quantum";
  EXPECT_THAT(failure(), HasSubstr("unknown device"));
}
