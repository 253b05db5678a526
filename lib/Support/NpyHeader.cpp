//===- NpyHeader.cpp - The header of a .npy file --------------------------===//

#include "NpyHeader.h"

#include <cctype>
#include <istream>

using namespace ckpt;

static const std::string magic = "\x93NUMPY";

/// More text than any array's header has.
static constexpr uint64_t maxHeaderBytes = 1 << 20;
/// NumPy's own limit.
static constexpr size_t maxRank = 64;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string ckpt::readNpyHeaderText(std::istream &stream, int64_t fileBytes,
                                    std::string &text) {
  const std::string cutShort = "its header is cut short";
  std::string start(magic.size(), '\0');
  if (!stream.read(start.data(), std::streamsize(start.size())) ||
      start != magic)
    return "it is no .npy file";
  unsigned char version[2];
  if (!stream.read(reinterpret_cast<char *>(version), 2))
    return cutShort;
  if (version[0] < 1 || version[0] > 3)
    return "format version " + std::to_string(version[0]) + " is not supported";
  const unsigned sizeBytes = version[0] == 1 ? 2 : 4;
  unsigned char raw[4] = {};
  if (!stream.read(reinterpret_cast<char *>(raw), sizeBytes))
    return cutShort;
  const uint64_t length = uint64_t(raw[0]) | uint64_t(raw[1]) << 8 |
                          uint64_t(raw[2]) << 16 | uint64_t(raw[3]) << 24;
  if (length > uint64_t(fileBytes))
    return cutShort;
  if (length > maxHeaderBytes)
    return "its header is too long";
  text.resize(length);
  if (!stream.read(text.data(), std::streamsize(length)))
    return cutShort;
  return std::string();
}

std::string ckpt::formatNpyHeader(const std::string &descriptor,
                                  const std::vector<int64_t> &shape) {
  std::string text =
      "{'descr': '" + descriptor + "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : shape)
    text += std::to_string(extent) + (shape.size() == 1 ? "," : ", ");
  text += "), }";
  const unsigned sizeBytes = text.size() < 65000 ? 2 : 4;
  // The elements start at a multiple of 64, after a line feed.
  while ((magic.size() + 2 + sizeBytes + text.size() + 1) % 64 != 0)
    text += ' ';
  text += '\n';
  std::string result = magic;
  result += char(sizeBytes == 2 ? 1 : 2);
  result += '\0';
  for (unsigned i = 0; i < sizeBytes; ++i)
    result += char(text.size() >> (8 * i) & 0xFF);
  return result + text;
}

//===----------------------------------------------------------------------===//
// The dictionary
//===----------------------------------------------------------------------===//

namespace {

/// Takes the header's text apart. Every method that returns a bool returns
/// false where the text is something else.
class HeaderParser {
public:
  explicit HeaderParser(const std::string &text) : text(text) {}

  std::string parse(NpyHeader &header);

private:
  void skipSpace() {
    while (at < text.size() &&
           std::isspace(static_cast<unsigned char>(text[at])))
      ++at;
  }
  bool consume(char c) {
    skipSpace();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  bool startsWith(char c) {
    skipSpace();
    return at < text.size() && text[at] == c;
  }
  bool consumeWord(const std::string &word) {
    skipSpace();
    if (text.compare(at, word.size(), word) != 0)
      return false;
    at += word.size();
    return true;
  }
  bool parseString(std::string &value);
  bool parseBool(bool &value);
  std::string parseShape(std::vector<int64_t> &shape);
  std::string parseExtent(int64_t &extent);
  std::string parseEntry(NpyHeader &header);

  const std::string &text;
  size_t at = 0;
  bool sawDescriptor = false;
  bool sawOrder = false;
  bool sawShape = false;
};

} // namespace

static const std::string malformed = "its header is malformed";

bool HeaderParser::parseString(std::string &value) {
  skipSpace();
  if (at >= text.size() || (text[at] != '\'' && text[at] != '"'))
    return false;
  const char quote = text[at++];
  const size_t end = text.find(quote, at);
  if (end == std::string::npos)
    return false;
  value = text.substr(at, end - at);
  at = end + 1;
  return true;
}

bool HeaderParser::parseBool(bool &value) {
  value = consumeWord("True");
  return value || consumeWord("False");
}

std::string HeaderParser::parseExtent(int64_t &extent) {
  if (consume('-'))
    return "its shape has a negative extent";
  skipSpace();
  const size_t begin = at;
  extent = 0;
  for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]));
       ++at) {
    const int64_t digit = text[at] - '0';
    if (extent > (INT64_MAX - digit) / 10)
      return "its shape has more elements than can be";
    extent = extent * 10 + digit;
  }
  if (at == begin)
    return malformed;
  // Written by Python 2.
  consume('L');
  return std::string();
}

std::string HeaderParser::parseShape(std::vector<int64_t> &shape) {
  if (!consume('('))
    return malformed;
  while (!consume(')')) {
    int64_t extent = 0;
    if (std::string problem = parseExtent(extent); !problem.empty())
      return problem;
    shape.push_back(extent);
    if (shape.size() > maxRank)
      return "its shape has more than " + std::to_string(maxRank) +
             " dimensions";
    if (!consume(',') && !startsWith(')'))
      return malformed;
  }
  return std::string();
}

std::string HeaderParser::parseEntry(NpyHeader &header) {
  std::string key;
  if (!parseString(key) || !consume(':'))
    return malformed;
  bool &seen = key == "descr"           ? sawDescriptor
               : key == "fortran_order" ? sawOrder
                                        : sawShape;
  if (key != "descr" && key != "fortran_order" && key != "shape")
    return "its header has an unknown key '" + key + "'";
  if (seen)
    return "its header has two keys '" + key + "'";
  seen = true;
  if (key == "shape")
    return parseShape(header.shape);
  if (key == "fortran_order")
    return parseBool(header.fortranOrder) ? std::string() : malformed;
  if (startsWith('['))
    return "arrays of structures are not supported";
  return parseString(header.descriptor) ? std::string() : malformed;
}

std::string HeaderParser::parse(NpyHeader &header) {
  if (!consume('{'))
    return malformed;
  while (!consume('}')) {
    if (std::string problem = parseEntry(header); !problem.empty())
      return problem;
    if (!consume(',') && !startsWith('}'))
      return malformed;
  }
  skipSpace();
  if (at != text.size())
    return malformed;
  if (!sawDescriptor || !sawOrder || !sawShape)
    return "its header lacks 'descr', 'fortran_order' or 'shape'";
  return std::string();
}

std::string ckpt::parseNpyHeader(const std::string &text, NpyHeader &header) {
  return HeaderParser(text).parse(header);
}
