//===- NpyHeader.h - The header of a .npy file ------------------*- C++ -*-===//
#ifndef CKPT_LIB_SUPPORT_NPYHEADER_H
#define CKPT_LIB_SUPPORT_NPYHEADER_H

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace ckpt {

struct NpyHeader {
  /// Byte order, kind and size, such as "<f4".
  std::string descriptor;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Reads the magic string, the version and the text of the header. Each of the
/// two returns what is wrong, or the empty string.
std::string readNpyHeaderText(std::istream &stream, int64_t fileBytes,
                              std::string &text);
/// Parses the text, a Python dictionary.
std::string parseNpyHeader(const std::string &text, NpyHeader &header);

/// Everything before the elements, in version 1 where it is short enough.
std::string formatNpyHeader(const std::string &descriptor,
                            const std::vector<int64_t> &shape);

} // namespace ckpt

#endif // CKPT_LIB_SUPPORT_NPYHEADER_H
