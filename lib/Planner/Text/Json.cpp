//===- Json.cpp - Reading JSON without building a tree --------------------===//
#include "Text/Json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ckpt::planner {

bool JsonReader::fail(const std::string &what) {
  if (failed())
    return false;
  size_t end = std::min(position, text.size());
  size_t line = 1 + std::count(text.begin(), text.begin() + end, '\n');
  size_t lineStart = text.substr(0, end).rfind('\n');
  size_t column =
      end - (lineStart == std::string_view::npos ? 0 : lineStart + 1) + 1;
  message = "line " + std::to_string(line) + ", column " +
            std::to_string(column) + ": " + what;
  return false;
}

void JsonReader::skipSpace() {
  while (position < text.size() &&
         (text[position] == ' ' || text[position] == '\n' ||
          text[position] == '\t' || text[position] == '\r'))
    ++position;
}

char JsonReader::peek() {
  skipSpace();
  if (position >= text.size())
    return 0;
  char c = text[position];
  return c >= '0' && c <= '9' ? '0' : c;
}

bool JsonReader::expect(char c, const char *what) {
  if (failed())
    return false;
  skipSpace();
  if (position >= text.size())
    return fail(std::string("the text ends where ") + what + " is expected");
  if (text[position] != c)
    return fail(std::string("expected ") + what);
  ++position;
  return true;
}

bool JsonReader::open(char c, const char *what) {
  if (!expect(c, what))
    return false;
  if (depth == kMaxDepth)
    return fail("nested deeper than " + std::to_string(kMaxDepth));
  first[++depth] = true;
  return true;
}

bool JsonReader::beginObject() { return open('{', "an object"); }
bool JsonReader::beginArray() { return open('[', "an array"); }

bool JsonReader::next(char close) {
  if (failed())
    return false;
  char c = peek();
  if (c == close) {
    ++position;
    --depth;
    return false;
  }
  if (first[depth]) {
    first[depth] = false;
    return true;
  }
  return expect(',', close == '}' ? "',' or '}'" : "',' or ']'");
}

bool JsonReader::nextKey(std::string &key) {
  return next('}') && readString(key) && expect(':', "':'");
}

bool JsonReader::nextElement() { return next(']'); }

bool JsonReader::readHex4(uint32_t &unit) {
  if (text.size() - position < 4)
    return fail("the text ends within a \\u escape");
  auto [end, error] = std::from_chars(text.data() + position,
                                      text.data() + position + 4, unit, 16);
  if (error != std::errc() || end != text.data() + position + 4)
    return fail("a \\u escape is not four hexadecimal digits");
  position += 4;
  return true;
}

/// Appends a code point in UTF-8.
static void appendUtf8(std::string &out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 63));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 63));
    out += static_cast<char>(0x80 | (code & 63));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 63));
    out += static_cast<char>(0x80 | (code >> 6 & 63));
    out += static_cast<char>(0x80 | (code & 63));
  }
}

bool JsonReader::readString(std::string &value) {
  if (!expect('"', "a string"))
    return false;
  value.clear();
  while (position < text.size()) {
    // Plain characters are taken over together.
    const size_t plain = position;
    auto isPlain = [](char c) {
      return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20;
    };
    while (position < text.size() && isPlain(text[position]))
      ++position;
    value.append(text, plain, position - plain);
    if (position == text.size())
      break;
    char c = text[position++];
    if (c == '"')
      return true;
    if (c != '\\')
      return fail("a control character within a string");
    if (position >= text.size())
      break;
    char escape = text[position++];
    static constexpr std::string_view from = "\"\\/bfnrt",
                                      to = "\"\\/\b\f\n\r\t";
    if (size_t which = from.find(escape); which != std::string_view::npos) {
      value += to[which];
      continue;
    }
    if (escape != 'u')
      return fail("an unknown escape within a string");
    uint32_t unit = 0, low = 0;
    if (!readHex4(unit))
      return false;
    if (unit >= 0xD800 && unit < 0xDC00) {
      if (text.substr(position, 2) != "\\u")
        return fail("half of a surrogate pair within a string");
      position += 2;
      if (!readHex4(low))
        return false;
      if (low < 0xDC00 || low >= 0xE000)
        return fail("half of a surrogate pair within a string");
      unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    } else if (unit >= 0xDC00 && unit < 0xE000) {
      return fail("half of a surrogate pair within a string");
    }
    appendUtf8(value, unit);
  }
  return fail("the text ends within a string");
}

bool JsonReader::literal(std::string_view word) {
  if (failed())
    return false;
  skipSpace();
  if (text.substr(position, word.size()) != word)
    return fail("expected " + std::string(word));
  position += word.size();
  return true;
}

bool JsonReader::readBool(bool &value) {
  value = peek() == 't';
  if (peek() != 't' && peek() != 'f')
    return fail("expected true or false");
  return literal(value ? "true" : "false");
}

bool JsonReader::readNull() { return literal("null"); }

bool JsonReader::scanNumber(std::string_view &number) {
  if (failed())
    return false;
  skipSpace();
  size_t start = position;
  auto digits = [&] {
    size_t from = position;
    while (position < text.size() && text[position] >= '0' &&
           text[position] <= '9')
      ++position;
    return position > from;
  };
  auto take = [&](std::string_view any) {
    bool is = position < text.size() &&
              any.find(text[position]) != std::string_view::npos;
    position += is;
    return is;
  };
  take("-");
  size_t whole = position;
  if (!digits())
    return fail("expected a number");
  if (text[whole] == '0' && position > whole + 1)
    return fail("a number with a leading zero");
  if (take(".") && !digits())
    return fail("a number without digits after the point");
  if (take("eE")) {
    take("+-");
    if (!digits())
      return fail("a number without an exponent");
  }
  number = text.substr(start, position - start);
  return true;
}

bool JsonReader::readInteger(int64_t &value) {
  std::string_view number;
  if (!scanNumber(number))
    return false;
  const char *begin = number.data(), *end = begin + number.size();
  auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc() && stop == end)
    return true;
  if (error == std::errc::result_out_of_range)
    return fail("the number is outside of the 64-bit integers");
  double real = 0;
  auto [realStop, realError] = std::from_chars(begin, end, real);
  if (realError != std::errc() || realStop != end ||
      !(std::fabs(real) < 9223372036854775808.0))
    return fail("the number is outside of the 64-bit integers");
  value = static_cast<int64_t>(real);
  return true;
}

bool JsonReader::skip() {
  // Containers opened by this call are counted, not nested calls.
  const int outside = depth;
  std::string scratch;
  std::string kinds;
  std::string_view number;
  do {
    if (failed())
      return false;
    if (!kinds.empty()) {
      bool more = kinds.back() == '{' ? nextKey(scratch) : nextElement();
      if (failed())
        return false;
      if (!more) {
        kinds.pop_back();
        continue;
      }
    }
    switch (char c = peek()) {
    case '{':
    case '[':
      if (!open(c, "a value"))
        return false;
      kinds += c;
      break;
    case '"':
      readString(scratch);
      break;
    case 't':
      literal("true");
      break;
    case 'f':
      literal("false");
      break;
    case 'n':
      literal("null");
      break;
    case '-':
    case '0':
      scanNumber(number);
      break;
    case 0:
      return fail("the text ends where a value is expected");
    default:
      return fail("expected a value");
    }
  } while (depth > outside);
  return !failed();
}

bool JsonReader::atEnd() {
  if (failed())
    return false;
  skipSpace();
  if (position != text.size())
    return fail("text after the end of the value");
  return true;
}

} // namespace ckpt::planner
