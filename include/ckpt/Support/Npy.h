//===- Npy.h - Arrays in NumPy's file format --------------------*- C++ -*-===//
//
// Reads and writes .npy files (format versions 1 to 3, see NEP 1) of contiguous
// arrays in C order and little endian. Whatever a file holds, the answer is an
// array or one line that says what is wrong with it.
//
//===----------------------------------------------------------------------===//
#ifndef CKPT_SUPPORT_NPY_H
#define CKPT_SUPPORT_NPY_H

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace ckpt {

enum class NpyType {
  Bool,
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64,
  F16,
  F32,
  F64
};

struct NpyArray {
  NpyType type = NpyType::F32;
  std::vector<int64_t> shape;
  /// The elements, first index slowest.
  std::vector<char> data;

  /// Number of elements.
  int64_t size() const;
};

/// Bytes of an element.
int64_t npyElementBytes(NpyType type);
/// NumPy's name: "float32", "uint16", ....
const char *npyTypeName(NpyType type);
/// The type that holds elements of an MLIR type: "f32" as F32, "i1" as Bool,
/// "bf16" as U16 (its bit patterns), "index" as I64. False if there is none.
bool npyTypeOf(const std::string &mlirType, NpyType &type);
/// Element `index` as a double; 64-bit integers are rounded.
double npyElement(const NpyArray &array, int64_t index);

/// Reads an array. On failure returns false and writes a message that begins
/// with `name`.
bool parseNpy(std::istream &stream, const std::string &name, NpyArray &array,
              std::string &error);
bool readNpy(const std::string &path, NpyArray &array, std::string &error);

/// Writes an array of `shape` whose elements are at `data`. The file appears
/// whole or not at all. On failure returns false and writes a message.
bool writeNpy(const std::string &path, NpyType type,
              const std::vector<int64_t> &shape, const void *data,
              std::string &error);

/// Writes `size` bytes to a new file beside `path` and renames it to `path`.
bool writeFileWhole(const std::string &path, const void *data, size_t size,
                    std::string &error);

} // namespace ckpt

#endif // CKPT_SUPPORT_NPY_H
