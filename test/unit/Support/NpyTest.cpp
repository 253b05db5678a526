//===- NpyTest.cpp - Arrays in NumPy's file format ------------------------===//

#include "ckpt/Support/Npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace ckpt;
using testing::HasSubstr;

namespace fs = std::filesystem;

/// A file of version `major` with this header and these elements.
static std::string file(int major, const std::string &header,
                        const std::string &data) {
  std::string text = "\x93NUMPY";
  text += char(major);
  text += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    text += char(header.size() >> (8 * i) & 0xFF);
  return text + header + data;
}

static std::string floats(int count) {
  std::string data(size_t(count) * 4, '\0');
  for (int i = 0; i < count; ++i) {
    const float value = float(i) + 0.5f;
    std::memcpy(data.data() + i * 4, &value, 4);
  }
  return data;
}

static std::string errorOf(const std::string &bytes) {
  std::istringstream stream(bytes);
  NpyArray array;
  std::string error;
  EXPECT_FALSE(parseNpy(stream, "a.npy", array, error));
  EXPECT_EQ(error.rfind("a.npy: ", 0), 0u) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos);
  return error;
}

static NpyArray arrayOf(const std::string &bytes) {
  std::istringstream stream(bytes);
  NpyArray array;
  std::string error;
  EXPECT_TRUE(parseNpy(stream, "a.npy", array, error)) << error;
  return array;
}

static const char good[] =
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n";

TEST(Npy, ReadsAllVersions) {
  for (int version : {1, 2, 3}) {
    NpyArray array = arrayOf(file(version, good, floats(6)));
    EXPECT_EQ(array.type, NpyType::F32);
    EXPECT_EQ(array.shape, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(array.size(), 6);
    EXPECT_EQ(npyElement(array, 5), 5.5);
  }
}

TEST(Npy, ReadsOtherSpellings) {
  NpyArray array = arrayOf(
      file(1, "{\"shape\":(4L,),\"descr\":'=f4',\"fortran_order\":False}",
           floats(4)));
  EXPECT_EQ(array.shape, std::vector<int64_t>{4});
}

TEST(Npy, ReadsScalarsAndEmptyArrays) {
  EXPECT_EQ(arrayOf(file(1,
                         "{'descr': '<f4', 'fortran_order': False, "
                         "'shape': ()}",
                         floats(1)))
                .size(),
            1);
  NpyArray empty = arrayOf(file(1,
                                "{'descr': '<f4', 'fortran_order': False, "
                                "'shape': (3, 0, 7)}",
                                ""));
  EXPECT_EQ(empty.size(), 0);
  EXPECT_EQ(empty.shape, (std::vector<int64_t>{3, 0, 7}));
}

TEST(Npy, OneDimensionHasNoOrder) {
  arrayOf(file(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2,)}",
               floats(2)));
}

TEST(Npy, EveryTruncationIsAnError) {
  const std::string whole = file(1, good, floats(6));
  for (size_t length = 0; length < whole.size(); ++length)
    errorOf(whole.substr(0, length));
}

TEST(Npy, SaysWhatIsWrong) {
  EXPECT_THAT(errorOf("PK\x03\x04 a zip"), HasSubstr("no .npy file"));
  EXPECT_THAT(errorOf(file(9, good, floats(6))), HasSubstr("version 9"));
  EXPECT_THAT(errorOf(file(1, good, floats(5))), HasSubstr("cut short"));
  EXPECT_THAT(errorOf(file(1, good, floats(7))),
              HasSubstr("4 bytes follow the array's last element"));
}

TEST(Npy, RefusesOtherArrays) {
  auto withDescr = [](const std::string &descr) {
    return errorOf(file(
        1, "{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,)}",
        std::string(8, '\0')));
  };
  EXPECT_THAT(withDescr("'>f4'"), HasSubstr("big-endian"));
  EXPECT_THAT(withDescr("'|O'"), HasSubstr("'|O' is not supported"));
  EXPECT_THAT(withDescr("'<c8'"), HasSubstr("not supported"));
  EXPECT_THAT(withDescr("'<U3'"), HasSubstr("not supported"));
  EXPECT_THAT(withDescr("''"), HasSubstr("empty"));
  EXPECT_THAT(withDescr("[('a', '<f4')]"), HasSubstr("structures"));
  EXPECT_THAT(errorOf(file(1,
                           "{'descr': '<f4', 'fortran_order': True, "
                           "'shape': (2, 3)}",
                           floats(6))),
              HasSubstr("Fortran order"));
}

TEST(Npy, RefusesWrongShapes) {
  auto withShape = [](const std::string &shape) {
    return errorOf(file(
        1, "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}",
        floats(2)));
  };
  EXPECT_THAT(withShape("(-2,)"), HasSubstr("negative"));
  EXPECT_THAT(withShape("(99999999999999999999,)"), HasSubstr("more elements"));
  EXPECT_THAT(withShape("(4294967296, 4294967296, 16)"),
              HasSubstr("more elements"));
  EXPECT_THAT(withShape("(2"), HasSubstr("malformed"));
  EXPECT_THAT(withShape("2"), HasSubstr("malformed"));
  EXPECT_THAT(withShape("(2 3)"), HasSubstr("malformed"));
  EXPECT_THAT(withShape("(2.5,)"), HasSubstr("malformed"));
  std::string ones = "(";
  for (int i = 0; i < 65; ++i)
    ones += "1,";
  EXPECT_THAT(withShape(ones + ")"), HasSubstr("dimensions"));
}

TEST(Npy, RefusesMalformedHeaders) {
  EXPECT_THAT(errorOf(file(1, "", "")), HasSubstr("malformed"));
  EXPECT_THAT(errorOf(file(1, "{}", "")), HasSubstr("lacks"));
  EXPECT_THAT(errorOf(file(1, "{'descr': '<f4', 'shape': (1,)}", floats(1))),
              HasSubstr("lacks"));
  EXPECT_THAT(errorOf(file(1, "{'other': 1}", "")), HasSubstr("'other'"));
  EXPECT_THAT(errorOf(file(1, "{'descr': '<f4', 'descr': '<f4'}", "")),
              HasSubstr("two keys"));
  EXPECT_THAT(errorOf(file(1, std::string(good) + "x", floats(6))),
              HasSubstr("malformed"));
  EXPECT_THAT(errorOf(file(2, std::string(2 << 20, ' '), "")),
              HasSubstr("too long"));
}

TEST(Npy, HalfPrecisionElements) {
  NpyArray array;
  array.type = NpyType::F16;
  const uint16_t bits[] = {0x3C00, 0xC000, 0x0001, 0x7BFF, 0x7C00, 0x7E00};
  array.data.resize(sizeof(bits));
  std::memcpy(array.data.data(), bits, sizeof(bits));
  EXPECT_EQ(npyElement(array, 0), 1.0);
  EXPECT_EQ(npyElement(array, 1), -2.0);
  EXPECT_EQ(npyElement(array, 2), std::ldexp(1.0, -24));
  EXPECT_EQ(npyElement(array, 3), 65504.0);
  EXPECT_TRUE(std::isinf(npyElement(array, 4)));
  EXPECT_TRUE(std::isnan(npyElement(array, 5)));
}

TEST(Npy, TypesOfMlir) {
  NpyType type;
  ASSERT_TRUE(npyTypeOf("bf16", type));
  EXPECT_EQ(type, NpyType::U16);
  ASSERT_TRUE(npyTypeOf("i1", type));
  EXPECT_EQ(type, NpyType::Bool);
  EXPECT_FALSE(npyTypeOf("f8E4M3FN", type));
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

namespace {
class NpyFiles : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern =
        (fs::temp_directory_path() / "ckpt-npy-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { fs::remove_all(folder); }

  size_t numFiles() const {
    return size_t(std::distance(fs::directory_iterator(folder), {}));
  }

  fs::path folder;
  std::string error;
};
} // namespace

TEST_F(NpyFiles, RoundTripOfEveryType) {
  for (NpyType type : {NpyType::Bool, NpyType::I8, NpyType::U8, NpyType::I16,
                       NpyType::U16, NpyType::I32, NpyType::U32, NpyType::I64,
                       NpyType::U64, NpyType::F16, NpyType::F32, NpyType::F64})
    for (const std::vector<int64_t> &shape :
         {std::vector<int64_t>{}, {3}, {2, 5}, {0, 4}, {2, 1, 3, 1}}) {
      int64_t count = 1;
      for (int64_t extent : shape)
        count *= extent;
      std::string data(size_t(count * npyElementBytes(type)), '\1');
      const std::string path = folder / "a.npy";
      ASSERT_TRUE(writeNpy(path, type, shape, data.data(), error)) << error;
      NpyArray array;
      ASSERT_TRUE(readNpy(path, array, error)) << error;
      EXPECT_EQ(array.type, type);
      EXPECT_EQ(array.shape, shape);
      EXPECT_EQ(std::string(array.data.begin(), array.data.end()), data);
      EXPECT_EQ(numFiles(), 1u);
    }
}

TEST_F(NpyFiles, ElementsStartAtAMultipleOf64) {
  const std::string path = folder / "a.npy";
  const double value = 1;
  ASSERT_TRUE(writeNpy(path, NpyType::F64, {1}, &value, error)) << error;
  EXPECT_EQ(fs::file_size(path) % 64, 8u);
}

TEST_F(NpyFiles, MissingFileAndFolder) {
  NpyArray array;
  EXPECT_FALSE(readNpy(folder / "none.npy", array, error));
  EXPECT_THAT(error, HasSubstr("No such file"));
  EXPECT_FALSE(readNpy(folder, array, error));
  EXPECT_THAT(error, HasSubstr("no regular file"));
}

TEST_F(NpyFiles, FailedWriteLeavesNothing) {
  const double value = 1;
  EXPECT_FALSE(
      writeNpy(folder / "no" / "a.npy", NpyType::F64, {1}, &value, error));
  EXPECT_THAT(error, HasSubstr("cannot be written"));
  fs::create_directory(folder / "taken.npy");
  EXPECT_FALSE(
      writeNpy(folder / "taken.npy", NpyType::F64, {1}, &value, error));
  EXPECT_EQ(numFiles(), 1u);
}
