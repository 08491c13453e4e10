// SPDX-License-Identifier: MIT
#include "messages/canonical_json.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/string_view.hpp>

#include <algorithm>
#include <charconv>
#include <limits>

namespace baton {

namespace json = boost::json;

/// Builds canonical texts bottom-up from the parser's events.
class canonical_json_builder {
public:
  static constexpr auto no_limit = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_object_size = no_limit;
  static constexpr std::size_t max_array_size = no_limit;
  static constexpr std::size_t max_key_size = no_limit;
  static constexpr std::size_t max_string_size = no_limit;

  canonical_json take() { return std::move(result_); }

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }

  bool on_object_begin(json::error_code&) { return open(true); }
  bool on_array_begin(json::error_code&) { return open(false); }

  bool on_object_end(std::size_t, json::error_code&) {
    auto done = close();
    canonical_json value;
    value.is_object_ = true;
    value.members_ = std::move(done.members);
    std::stable_sort(
      value.members_.begin(), value.members_.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
    if (levels_.empty())
      result_ = std::move(value);
    else
      put(value.text());
    return true;
  }

  bool on_array_end(std::size_t, json::error_code&) {
    auto done = close();
    std::string text = "[";
    for (const auto& [key, value] : done.members) {
      if (text.size() > 1)
        text += ',';
      text += value;
    }
    put(text + "]");
    return true;
  }

  bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
    return add(part);
  }
  bool on_key(json::string_view part, std::size_t, json::error_code&) {
    add(part);
    levels_.back().key = std::exchange(scalar_, {});
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, json::error_code&) {
    return add(part);
  }
  bool on_string(json::string_view part, std::size_t, json::error_code&) {
    add(part);
    put(json_quoted(std::exchange(scalar_, {})));
    return true;
  }

  bool on_number_part(json::string_view part, json::error_code&) {
    return add(part);
  }
  bool on_int64(std::int64_t, json::string_view part, json::error_code&) {
    return end_number(part);
  }
  bool on_uint64(std::uint64_t, json::string_view part, json::error_code&) {
    return end_number(part);
  }
  bool on_double(double, json::string_view part, json::error_code&) {
    return end_number(part);
  }

  bool on_bool(bool x, json::error_code&) {
    put(x ? "true" : "false");
    return true;
  }
  bool on_null(json::error_code&) {
    put("null");
    return true;
  }

  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

private:
  struct level {
    bool is_object = false;
    std::string key;
    /// Of an array: with empty keys.
    std::vector<std::pair<std::string, std::string>> members;
  };

  bool add(json::string_view part) {
    scalar_.append(part.data(), part.size());
    return true;
  }

  bool open(bool is_object) {
    levels_.push_back({is_object, {}, {}});
    return true;
  }

  level close() {
    auto done = std::move(levels_.back());
    levels_.pop_back();
    return done;
  }

  void put(std::string text) {
    if (levels_.empty()) {
      result_.text_ = std::move(text);
      return;
    }
    auto& into = levels_.back();
    into.members.emplace_back(std::exchange(into.key, {}), std::move(text));
  }

  bool end_number(json::string_view part);

  std::vector<level> levels_;
  std::string scalar_;
  canonical_json result_;
};

namespace {

/// Bounds the recursion of the parser.
constexpr std::size_t depth_max = 256;

/// `digits` `e` exponent, without zeros at either end of the digits; as
/// written, if the exponent is beyond numbers.
std::string canonical_number(std::string_view text) {
  auto rest = text;
  auto negative = rest.starts_with('-');
  rest.remove_prefix(negative ? 1 : 0);
  auto mark = std::min(rest.find_first_of("eE"), rest.size());
  std::int64_t exponent = 0;
  if (mark < rest.size()) {
    auto from = mark + (rest.substr(mark + 1).starts_with('+') ? 2 : 1);
    auto [end, bad] =
      std::from_chars(rest.data() + from, rest.data() + rest.size(), exponent);
    if (bad != std::errc{} || end != rest.data() + rest.size()
        || rest.size() - from > 10)
      return std::string{text};
  }
  std::string digits{rest.substr(0, mark)};
  if (auto point = digits.find('.'); point != std::string::npos) {
    exponent -= static_cast<std::int64_t>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  digits.erase(0, digits.find_first_not_of('0'));
  if (digits.empty())
    return "0";
  while (digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  return (negative ? "-" : "") + digits + "e" + std::to_string(exponent);
}

} // namespace

bool canonical_json_builder::end_number(json::string_view part) {
  add(part);
  put(canonical_number(std::exchange(scalar_, {})));
  return true;
}

std::optional<canonical_json> canonical_json::of(std::string_view text) {
  json::parse_options options;
  options.max_depth = depth_max;
  json::basic_parser<canonical_json_builder> parser{options};
  json::error_code bad;
  auto n = parser.write_some(false, text.data(), text.size(), bad);
  if (bad || n != text.size())
    return std::nullopt;
  return parser.handler().take();
}

const std::string* canonical_json::member(std::string_view key) const {
  const std::string* found = nullptr;
  for (const auto& [name, value] : members_)
    if (name == key)
      found = &value;
  return found;
}

std::string
canonical_json::text(std::span<const std::string_view> left_out) const {
  if (!is_object_)
    return text_;
  std::string out = "{";
  for (const auto& [key, value] : members_) {
    if (std::find(left_out.begin(), left_out.end(), key) != left_out.end())
      continue;
    if (out.size() > 1)
      out += ',';
    out += json_quoted(key);
    out += ':';
    out += value;
  }
  return out + "}";
}

std::string json_quoted(std::string_view text) {
  return json::serialize(json::string_view{text.data(), text.size()});
}

} // namespace baton
