//===- Npy.cpp - Arrays in NumPy's file format ----------------------------===//

#include "ckpt/Support/Npy.h"

#include "NpyHeader.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace ckpt;

namespace {
struct TypeRow {
  NpyType type;
  const char *name;
  /// NumPy's kind character and size.
  const char *code;
  int64_t bytes;
};
} // namespace

static constexpr TypeRow typeRows[] = {
    {NpyType::Bool, "bool", "b1", 1},   {NpyType::I8, "int8", "i1", 1},
    {NpyType::U8, "uint8", "u1", 1},    {NpyType::I16, "int16", "i2", 2},
    {NpyType::U16, "uint16", "u2", 2},  {NpyType::I32, "int32", "i4", 4},
    {NpyType::U32, "uint32", "u4", 4},  {NpyType::I64, "int64", "i8", 8},
    {NpyType::U64, "uint64", "u8", 8},  {NpyType::F16, "float16", "f2", 2},
    {NpyType::F32, "float32", "f4", 4}, {NpyType::F64, "float64", "f8", 8},
};

static const TypeRow &rowOf(NpyType type) {
  for (const TypeRow &row : typeRows)
    if (row.type == type)
      return row;
  return typeRows[0];
}

int64_t ckpt::npyElementBytes(NpyType type) { return rowOf(type).bytes; }
const char *ckpt::npyTypeName(NpyType type) { return rowOf(type).name; }

bool ckpt::npyTypeOf(const std::string &mlirType, NpyType &type) {
  static constexpr struct {
    const char *mlir;
    NpyType type;
  } rows[] = {
      {"f16", NpyType::F16},  {"f32", NpyType::F32},  {"f64", NpyType::F64},
      {"bf16", NpyType::U16}, {"i1", NpyType::Bool},  {"i8", NpyType::I8},
      {"i16", NpyType::I16},  {"i32", NpyType::I32},  {"i64", NpyType::I64},
      {"ui8", NpyType::U8},   {"ui16", NpyType::U16}, {"ui32", NpyType::U32},
      {"ui64", NpyType::U64}, {"index", NpyType::I64}};
  for (const auto &row : rows)
    if (mlirType == row.mlir) {
      type = row.type;
      return true;
    }
  return false;
}

int64_t NpyArray::size() const {
  return int64_t(data.size()) / npyElementBytes(type);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

template <typename T>
static double loadAs(const char *address) {
  T value;
  std::memcpy(&value, address, sizeof(value));
  return double(value);
}

static double loadHalf(const char *address) {
  uint16_t bits;
  std::memcpy(&bits, address, sizeof(bits));
  const int exponent = bits >> 10 & 0x1F;
  const int mantissa = bits & 0x3FF;
  double magnitude = 0;
  if (exponent == 0x1F)
    magnitude = mantissa ? std::nan("") : HUGE_VAL;
  else if (exponent == 0)
    magnitude = std::ldexp(mantissa, -24);
  else
    magnitude = std::ldexp(mantissa + 1024, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

double ckpt::npyElement(const NpyArray &array, int64_t index) {
  const char *address = array.data.data() + index * npyElementBytes(array.type);
  switch (array.type) {
  case NpyType::Bool:
    return *address != 0;
  case NpyType::I8:
    return loadAs<int8_t>(address);
  case NpyType::U8:
    return loadAs<uint8_t>(address);
  case NpyType::I16:
    return loadAs<int16_t>(address);
  case NpyType::U16:
    return loadAs<uint16_t>(address);
  case NpyType::I32:
    return loadAs<int32_t>(address);
  case NpyType::U32:
    return loadAs<uint32_t>(address);
  case NpyType::I64:
    return loadAs<int64_t>(address);
  case NpyType::U64:
    return loadAs<uint64_t>(address);
  case NpyType::F16:
    return loadHalf(address);
  case NpyType::F32:
    return loadAs<float>(address);
  case NpyType::F64:
    return loadAs<double>(address);
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The type of a descriptor such as "<f4". Empty on success, else what is
/// wrong.
static std::string typeOfDescriptor(const std::string &descriptor,
                                    NpyType &type) {
  if (descriptor.empty())
    return "the element type is empty";
  const char order = descriptor[0];
  const bool hasOrder = std::strchr("<>=|", order) != nullptr;
  const std::string code = descriptor.substr(hasOrder ? 1 : 0);
  for (const TypeRow &row : typeRows) {
    if (code != row.code)
      continue;
    if (order == '>' && row.bytes > 1)
      return "big-endian elements ('" + descriptor + "') are not supported";
    type = row.type;
    return std::string();
  }
  return "element type '" + descriptor + "' is not supported";
}

/// The number of data bytes, or -1 if it is beyond 2^62.
static int64_t dataBytes(const std::vector<int64_t> &shape, int64_t element) {
  constexpr int64_t most = int64_t(1) << 62;
  int64_t bytes = element;
  for (int64_t extent : shape)
    if (extent == 0)
      return 0;
  for (int64_t extent : shape) {
    if (bytes > most / extent)
      return -1;
    bytes *= extent;
  }
  return bytes;
}

static std::string parse(std::istream &stream, NpyArray &array) {
  stream.seekg(0, std::ios::end);
  const int64_t fileBytes = int64_t(stream.tellg());
  stream.seekg(0);
  if (!stream || fileBytes < 0)
    return "cannot be read";

  std::string headerText;
  if (std::string problem = readNpyHeaderText(stream, fileBytes, headerText);
      !problem.empty())
    return problem;
  NpyHeader header;
  if (std::string problem = parseNpyHeader(headerText, header);
      !problem.empty())
    return problem;
  NpyArray result;
  if (std::string problem = typeOfDescriptor(header.descriptor, result.type);
      !problem.empty())
    return problem;
  if (header.fortranOrder && header.shape.size() > 1)
    return "arrays in Fortran order are not supported; save it with "
           "numpy.ascontiguousarray";
  const int64_t bytes = dataBytes(header.shape, npyElementBytes(result.type));
  const int64_t available = fileBytes - int64_t(stream.tellg());
  if (bytes < 0)
    return "its shape has more elements than can be";
  if (bytes > available)
    return "it is cut short: " + std::to_string(bytes) +
           " bytes of elements expected, " + std::to_string(available) +
           " there";
  if (bytes < available)
    return std::to_string(available - bytes) +
           " bytes follow the array's last element";
  result.shape = header.shape;
  result.data.resize(size_t(bytes));
  if (!stream.read(result.data.data(), std::streamsize(bytes)))
    return "cannot be read";
  array = std::move(result);
  return std::string();
}

bool ckpt::parseNpy(std::istream &stream, const std::string &name,
                    NpyArray &array, std::string &error) {
  const std::string problem = parse(stream, array);
  if (problem.empty())
    return true;
  error = name + ": " + problem;
  return false;
}

bool ckpt::readNpy(const std::string &path, NpyArray &array,
                   std::string &error) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    error = path + ": " + std::strerror(errno);
    return false;
  }
  if (!S_ISREG(info.st_mode)) {
    error = path + ": no regular file";
    return false;
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    error = path + ": cannot be opened";
    return false;
  }
  return parseNpy(stream, path, array, error);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
/// A file that is removed unless it was given its final name.
class TemporaryFile {
public:
  explicit TemporaryFile(const std::string &target)
      : target(target), path(target + ".tmp" + std::to_string(getpid())),
        file(std::fopen(path.c_str(), "wb")), good(file != nullptr) {}
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile() {
    if (file)
      std::fclose(file);
    if (!path.empty())
      std::remove(path.c_str());
  }

  void write(const void *data, size_t size) {
    good = good && (size == 0 || std::fwrite(data, 1, size, file) == size);
  }

  /// Gives the file its name, or says why it could not be written.
  bool commit(std::string &error) {
    errno = file ? errno : ENOENT;
    if (file) {
      good = std::fclose(file) == 0 && good;
      file = nullptr;
    }
    if (!good || std::rename(path.c_str(), target.c_str()) != 0) {
      error = target + ": cannot be written: " + std::strerror(errno);
      return false;
    }
    path.clear();
    return true;
  }

private:
  std::string target;
  std::string path;
  std::FILE *file;
  bool good;
};
} // namespace

bool ckpt::writeFileWhole(const std::string &path, const void *data,
                          size_t size, std::string &error) {
  TemporaryFile file(path);
  file.write(data, size);
  return file.commit(error);
}

bool ckpt::writeNpy(const std::string &path, NpyType type,
                    const std::vector<int64_t> &shape, const void *data,
                    std::string &error) {
  const TypeRow &row = rowOf(type);
  const int64_t bytes = dataBytes(shape, row.bytes);
  if (bytes < 0) {
    error = path + ": the array is too large";
    return false;
  }
  const std::string header = formatNpyHeader(
      (row.bytes == 1 ? "|" : "<") + std::string(row.code), shape);
  TemporaryFile file(path);
  file.write(header.data(), header.size());
  file.write(data, size_t(bytes));
  return file.commit(error);
}
