// SPDX-License-Identifier: MIT
// Why no library: those that Debian has tie validity to what they can
// represent (Boost.JSON recurses and refuses `1e99999999999`, RapidJSON
// refuses 1e400), while here the line itself is what is kept and sent.
#include "messages/entry_kind.hpp"

#include "messages/utf8.hpp"

#include <array>
#include <vector>

namespace baton {
namespace {

/// Walks the grammar; the open arrays and objects are its only memory.
class json_scanner {
public:
  explicit json_scanner(std::string_view text)
    : at_(text.data()), end_(text.data() + text.size()) {}

  bool scan() {
    for (;;) {
      if (!scan_value_start())
        return false;
      if (opened_)
        continue;
      if (!scan_value_end())
        return false;
      if (!expects_value_)
        return at_ == end_;
    }
  }

private:
  bool is_next(char c) const { return at_ != end_ && *at_ == c; }

  bool take(char c) {
    if (!is_next(c))
      return false;
    ++at_;
    return true;
  }

  bool take_word(std::string_view word) {
    if (!std::string_view{at_, static_cast<std::size_t>(end_ - at_)}
           .starts_with(word))
      return false;
    at_ += word.size();
    return true;
  }

  void skip_blanks() {
    while (at_ != end_
           && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n'))
      ++at_;
  }

  /// A scalar, or the opening of an array or object up to its first value
  /// (then `opened_`) or through its end when it is empty.
  bool scan_value_start() {
    opened_ = false;
    skip_blanks();
    if (at_ == end_)
      return false;
    switch (*at_) {
    case '{':
      ++at_;
      skip_blanks();
      if (take('}'))
        return true;
      open_objects_.push_back(true);
      opened_ = true;
      return scan_key();
    case '[':
      ++at_;
      skip_blanks();
      if (take(']'))
        return true;
      open_objects_.push_back(false);
      opened_ = true;
      return true;
    case '"':
      return scan_string();
    case 't':
      return take_word("true");
    case 'f':
      return take_word("false");
    case 'n':
      return take_word("null");
    default:
      return scan_number();
    }
  }

  /// Behind a value: closes what ends here and goes on to the next value
  /// (then `expects_value_`), or to the end of the text.
  bool scan_value_end() {
    expects_value_ = false;
    for (;;) {
      skip_blanks();
      if (open_objects_.empty())
        return true;
      auto in_object = open_objects_.back();
      if (take(',')) {
        expects_value_ = true;
        skip_blanks();
        return !in_object || scan_key();
      }
      if (!take(in_object ? '}' : ']'))
        return false;
      open_objects_.pop_back();
    }
  }

  /// A key and its colon.
  bool scan_key() {
    if (!scan_string())
      return false;
    skip_blanks();
    return take(':');
  }

  bool scan_string() {
    if (!take('"'))
      return false;
    while (at_ != end_) {
      auto c = static_cast<unsigned char>(*at_++);
      if (c == '"')
        return true;
      if (c < 0x20 || (c == '\\' && !scan_escape()))
        return false;
    }
    return false;
  }

  bool scan_escape() {
    if (at_ == end_)
      return false;
    auto c = *at_++;
    if (c != 'u')
      return std::string_view{"\"\\/bfnrt"}.find(c) != std::string_view::npos;
    for (int i = 0; i < 4; ++i, ++at_)
      if (at_ == end_
          || !(is_digit(*at_) || (*at_ >= 'a' && *at_ <= 'f')
               || (*at_ >= 'A' && *at_ <= 'F')))
        return false;
    return true;
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  bool scan_digits() {
    auto* before = at_;
    while (at_ != end_ && is_digit(*at_))
      ++at_;
    return at_ != before;
  }

  bool scan_number() {
    take('-');
    if (!take('0') && !scan_digits())
      return false;
    if (take('.') && !scan_digits())
      return false;
    if (take('e') || take('E')) {
      if (!take('+'))
        take('-');
      return scan_digits();
    }
    return true;
  }

  const char* at_;
  const char* end_;
  /// Innermost last; true for an object.
  std::vector<bool> open_objects_;
  bool opened_ = false;
  bool expects_value_ = false;
};

} // namespace

std::string_view to_string(entry_kind kind) noexcept {
  constexpr std::array<std::string_view, 4> names{"json", "text", "bytes",
                                                  "fragment"};
  return names[static_cast<std::size_t>(kind)];
}

bool is_json(std::string_view text) {
  return json_scanner{text}.scan() && is_utf8(text);
}

entry_kind classify(std::string_view line) {
  if (!is_utf8(line))
    return entry_kind::bytes;
  return json_scanner{line}.scan() ? entry_kind::json : entry_kind::text;
}

} // namespace baton
