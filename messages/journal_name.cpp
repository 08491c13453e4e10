// SPDX-License-Identifier: MIT
#include "messages/journal_name.hpp"

#include "messages/sha256.hpp"
#include "messages/utf8.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace baton {
namespace {

/// File names go up to 255 bytes; this leaves room for any extension.
constexpr std::size_t stem_chars_max = 200;
constexpr std::size_t hash_chars = 16;
/// What is left for the prefix, before `-` and the hash.
constexpr std::size_t prefix_chars_max = stem_chars_max - hash_chars - 1;
/// A prefix ends between escapes, so it may be two characters shorter.
constexpr std::size_t cut_chars_min = stem_chars_max - 2;

/// By run_file.
constexpr std::array<std::string_view, 3> extensions{".ndjson", ".err",
                                                     ".exit"};

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
         || (c >= '0' && c <= '9');
}

bool stands_for_itself(char c) {
  return is_letter_or_digit(c) || c == '.' || c == '-';
}

bool is_lower_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/// Windows takes these for devices, whatever follows the first dot.
bool is_device_name(std::string_view id) {
  std::string base{id.substr(0, id.find('.'))};
  std::transform(base.begin(), base.end(), base.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  if (base == "CON" || base == "PRN" || base == "AUX" || base == "NUL")
    return true;
  return base.size() == 4
         && (base.starts_with("COM") || base.starts_with("LPT"))
         && base[3] >= '0' && base[3] <= '9';
}

std::string escaped(std::string_view id) {
  constexpr std::string_view digits = "0123456789abcdef";
  auto whole = is_device_name(id);
  std::string out;
  for (char c : id) {
    if (!whole && stands_for_itself(c)) {
      out += c;
    } else {
      auto byte = static_cast<unsigned char>(c);
      out += '_';
      out += digits[byte >> 4];
      out += digits[byte & 0xF];
    }
  }
  return out;
}

/// Undoes escaped(), without asking whether it would have written that.
std::optional<std::string> unescaped(std::string_view stem) {
  auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string out;
  for (std::size_t i = 0; i < stem.size(); ++i) {
    if (stands_for_itself(stem[i])) {
      out += stem[i];
      continue;
    }
    if (stem[i] != '_' || stem.size() - i < 3 || !is_lower_hex(stem[i + 1])
        || !is_lower_hex(stem[i + 2]))
      return std::nullopt;
    out += static_cast<char>(value(stem[i + 1]) << 4 | value(stem[i + 2]));
    i += 2;
  }
  return out;
}

bool could_be_cut(std::string_view stem) {
  if (stem.size() < cut_chars_min || stem.size() > stem_chars_max)
    return false;
  auto tail = stem.substr(stem.size() - hash_chars - 1);
  return tail[0] == '-'
         && std::all_of(tail.begin() + 1, tail.end(), is_lower_hex)
         && unescaped(stem.substr(0, stem.size() - tail.size())).has_value();
}

std::string cut(std::string stem, std::string_view id) {
  auto n = std::min(stem.size(), prefix_chars_max);
  // Not through an escape: its `_` is one of the last two characters then.
  for (std::size_t back = 1; back <= 2; ++back)
    if (stem[n - back] == '_') {
      n -= back;
      break;
    }
  stem.resize(n);
  return stem + '-' + sha256_hex(id).substr(0, hash_chars);
}

} // namespace

result<std::string> run_file_name(const run_id& id, run_file kind) {
  if (id.empty() || !is_utf8(id.str()))
    return {errc::malformed, id.empty()
                               ? "a run id without a byte has no file name"
                               : "a run id that is not UTF-8 has no file name"};
  auto stem = escaped(id.str());
  if (stem.size() > stem_chars_max || could_be_cut(stem))
    stem = cut(std::move(stem), id.str());
  return stem + std::string{extensions[static_cast<std::size_t>(kind)]};
}

run_file_found read_run_file_name(std::string_view name) {
  using enum run_file_found::outcome;
  auto extension =
    std::find_if(extensions.begin(), extensions.end(),
                 [&](std::string_view x) { return name.ends_with(x); });
  if (extension == extensions.end())
    return {};
  auto kind = static_cast<run_file>(extension - extensions.begin());
  auto stem = name.substr(0, name.size() - extension->size());
  if (could_be_cut(stem))
    return {truncated, {}, kind};
  auto id = unescaped(stem);
  if (!id || id->empty() || !is_utf8(*id))
    return {};
  // One id has one name: whatever else spells it is foreign.
  auto back = run_file_name(run_id{*id}, kind);
  if (!back || *back != name)
    return {};
  return {found, run_id{*std::move(id)}, kind};
}

} // namespace baton
