// SPDX-License-Identifier: MIT
#include "messages/exit_marker.hpp"

#include "messages/check.hpp"
#include "messages/sha256.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace baton {
namespace {

namespace json = boost::json;

constexpr std::size_t nonce_chars_max = 128;
/// The longest marker: its fixed text, the longest numbers, the nonce.
constexpr std::size_t line_bytes_max = 256;
constexpr int code_max = 255;
/// SIGRTMAX of Linux.
constexpr int signal_max = 64;

bool is_nonce(std::string_view text) {
  return !text.empty() && text.size() <= nonce_chars_max
         && std::all_of(text.begin(), text.end(), [](char c) {
              return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')
                     || (c >= 'A' && c <= 'F');
            });
}

std::optional<std::uint64_t> natural(const json::object& from,
                                     std::string_view key, std::uint64_t max) {
  auto* x = from.if_contains(key);
  if (x == nullptr)
    return std::nullopt;
  std::uint64_t value = 0;
  if (auto* small = x->if_int64(); small != nullptr && *small >= 0)
    value = static_cast<std::uint64_t>(*small);
  else if (auto* large = x->if_uint64())
    value = *large;
  else
    return std::nullopt;
  return value <= max ? std::optional{value} : std::nullopt;
}

} // namespace

std::string write_exit_marker(const exit_mark& mark, std::string_view nonce) {
  BATON_CHECK(is_nonce(nonce), "a nonce is 1 to 128 hex digits");
  auto out = "{\"baton_exit\":{\"code\":" + std::to_string(mark.code);
  if (mark.signal)
    out += ",\"signal\":" + std::to_string(*mark.signal);
  out += ",\"journal_end\":" + std::to_string(mark.journal_end.value);
  out += ",\"nonce\":\"";
  out += nonce;
  out += "\"}}\n";
  return out;
}

std::string hash_of_nonce(std::string_view nonce) {
  return sha256_hex(nonce);
}

std::optional<exit_mark>
recognise_exit_marker(std::string_view line,
                      std::span<const std::string> nonce_hashes) {
  if (!looks_like_exit_marker(line))
    return std::nullopt;
  if (line.ends_with('\n'))
    line.remove_suffix(1);
  if (line.size() > line_bytes_max)
    return std::nullopt;
  json::error_code bad;
  auto value = json::parse({line.data(), line.size()}, bad);
  auto* outer = bad ? nullptr : value.if_object();
  auto* inner = outer == nullptr ? nullptr : outer->if_contains("baton_exit");
  auto* fields = inner == nullptr ? nullptr : inner->if_object();
  if (fields == nullptr)
    return std::nullopt;
  auto* nonce_field = fields->if_contains("nonce");
  auto* nonce = nonce_field == nullptr ? nullptr : nonce_field->if_string();
  auto code = natural(*fields, "code", code_max);
  auto end =
    natural(*fields, "journal_end", std::numeric_limits<std::uint64_t>::max());
  if (nonce == nullptr || !code || !end)
    return std::nullopt;
  exit_mark mark{static_cast<int>(*code), std::nullopt, position{*end}};
  if (fields->contains("signal")) {
    auto number = natural(*fields, "signal", signal_max);
    if (!number || *number == 0)
      return std::nullopt;
    mark.signal = static_cast<int>(*number);
  }
  std::string_view text{nonce->data(), nonce->size()};
  if (!is_nonce(text))
    return std::nullopt;
  // Whatever else a JSON parser forgives (repeated or further keys, spaces,
  // escapes), the round trip does not.
  auto same = write_exit_marker(mark, text);
  if (std::string_view{same}.substr(0, same.size() - 1) != line)
    return std::nullopt;
  auto hash = hash_of_nonce(text);
  if (std::find(nonce_hashes.begin(), nonce_hashes.end(), hash)
      == nonce_hashes.end())
    return std::nullopt;
  return mark;
}

std::optional<exit_mark_found>
find_exit_marker(std::string_view window,
                 std::span<const std::string> nonce_hashes) {
  // A line without its LF may be a marker still being written.
  auto end = window.rfind('\n');
  while (end != std::string_view::npos) {
    auto before =
      end == 0 ? std::string_view::npos : window.rfind('\n', end - 1);
    auto begin = before == std::string_view::npos ? 0 : before + 1;
    auto line = window.substr(begin, end - begin);
    if (auto mark = recognise_exit_marker(line, nonce_hashes))
      return exit_mark_found{*mark, begin};
    end = before;
  }
  return std::nullopt;
}

} // namespace baton
