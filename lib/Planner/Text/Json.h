//===- Json.h - Reading JSON without building a tree ------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_TEXT_JSON_H
#define CKPT_LIB_PLANNER_TEXT_JSON_H

#include <cstdint>
#include <string>
#include <string_view>

namespace ckpt::planner {

/// A pull reader of JSON (RFC 8259) in place: the caller asks for what it
/// expects. The first error stops everything: every later call returns false
/// and error() says what was wrong first, with line and column.
///
///   if (reader.beginObject())
///     while (reader.nextKey(key))
///       if (key == "bytes") reader.readInteger(bytes); else reader.skip();
class JsonReader {
public:
  explicit JsonReader(std::string_view text) : text(text) {}

  bool failed() const { return !message.empty(); }
  const std::string &error() const { return message; }
  /// Reports an error of the caller's at the current place. Returns false.
  bool fail(const std::string &what);

  /// What comes next: one of { [ " t f n - 0 (for any digit), or 0 at the end.
  char peek();

  bool beginObject();
  /// The next key of the innermost object, or false at its end.
  bool nextKey(std::string &key);
  bool beginArray();
  /// Is there another element in the innermost array? Consumes the closing
  /// bracket if not.
  bool nextElement();
  /// Calls `element` at each element of an array; stops where it returns false.
  template <typename Fn>
  bool readArray(Fn element) {
    if (!beginArray())
      return false;
    while (nextElement())
      if (!element())
        return false;
    return !failed();
  }
  /// Calls `field` with each key of an object; stops where it returns false.
  template <typename Fn>
  bool readObject(Fn field) {
    std::string key;
    if (!beginObject())
      return false;
    while (nextKey(key))
      if (!field(key))
        return false;
    return !failed();
  }
  bool readString(std::string &value);
  bool readBool(bool &value);
  bool readNull();
  /// An integer, or a number whose fraction is dropped; error outside of int64.
  bool readInteger(int64_t &value);
  /// Any value, at any depth that is allowed.
  bool skip();
  /// Nothing but white space may follow.
  bool atEnd();

private:
  static constexpr int kMaxDepth = 512;
  std::string_view text;
  size_t position = 0;
  std::string message;
  int depth = 0;
  /// Bit of the innermost container: has it had an element yet?
  bool first[kMaxDepth + 1] = {};

  void skipSpace();
  bool expect(char c, const char *what);
  bool open(char c, const char *what);
  bool next(char close);
  bool literal(std::string_view word);
  bool readHex4(uint32_t &unit);
  bool scanNumber(std::string_view &digits);
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_TEXT_JSON_H
