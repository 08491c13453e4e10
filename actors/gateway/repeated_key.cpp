// SPDX-License-Identifier: MIT
#include "actors/gateway/repeated_key.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/string_view.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace baton::http {
namespace {

namespace json = boost::json;

/// Collects the keys of the objects that are open; looks at an object's keys
/// when it closes.
class key_watch {
public:
  static constexpr auto no_limit = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_object_size = no_limit;
  static constexpr std::size_t max_array_size = no_limit;
  static constexpr std::size_t max_key_size = no_limit;
  static constexpr std::size_t max_string_size = no_limit;

  std::optional<std::string> take() { return std::move(found_); }

  bool on_object_begin(json::error_code&) { return open(); }
  bool on_array_begin(json::error_code&) { return open(); }
  bool on_object_end(std::size_t, json::error_code&) { return close(); }
  bool on_array_end(std::size_t, json::error_code&) { return close(); }

  bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
    part_.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view part, std::size_t n, json::error_code& ec) {
    on_key_part(part, n, ec);
    levels_.back().push_back(std::exchange(part_, {}));
    return true;
  }

  // -- of no interest ---------------------------------------------------------

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_string_part(json::string_view, std::size_t, json::error_code&) {
    return true;
  }
  bool on_string(json::string_view, std::size_t, json::error_code&) {
    return true;
  }
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(std::int64_t, json::string_view, json::error_code&) {
    return true;
  }
  bool on_uint64(std::uint64_t, json::string_view, json::error_code&) {
    return true;
  }
  bool on_double(double, json::string_view, json::error_code&) { return true; }
  bool on_bool(bool, json::error_code&) { return true; }
  bool on_null(json::error_code&) { return true; }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

private:
  bool open() {
    levels_.emplace_back();
    return true;
  }

  bool close() {
    auto keys = std::move(levels_.back());
    levels_.pop_back();
    std::sort(keys.begin(), keys.end());
    auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice == keys.end() || found_)
      return true;
    found_.emplace();
    for (const auto& outer : levels_)
      if (!outer.empty())
        *found_ += outer.back() + ".";
    *found_ += *twice;
    return true;
  }

  std::vector<std::vector<std::string>> levels_;
  std::string part_;
  std::optional<std::string> found_;
};

} // namespace

std::optional<std::string> find_repeated_key(std::string_view text) {
  json::basic_parser<key_watch> parser{json::parse_options{}};
  json::error_code ec;
  parser.write_some(false, text.data(), text.size(), ec);
  return parser.handler().take();
}

} // namespace baton::http
