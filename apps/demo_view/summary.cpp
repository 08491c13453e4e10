// SPDX-License-Identifier: MIT
#include "apps/demo_view/summary.hpp"

#include "messages/utf8.hpp"

#include <boost/json.hpp>

#include <array>

namespace baton::demo {
namespace json = boost::json;
namespace {

/// Where the words of a line stand, most telling first.
constexpr std::array<std::string_view, 13> word_keys{
  "text",  "thinking", "command", "file_path", "pattern",
  "delta", "content",  "message", "output",    "aggregated_output",
  "error", "result",   "summary"};

/// What wraps the part of a line that matters.
constexpr std::array<std::string_view, 10> wrapper_keys{
  "message", "content", "item",  "part",    "input",
  "state",   "event",   "delta", "payload", "error"};

constexpr int depth_max = 8;

/// The object that says what the line is about: the innermost content block.
const json::object* block_of(const json::object& line) {
  const json::value* at = line.if_contains("message");
  if (at != nullptr && at->is_object())
    at = at->get_object().if_contains("content");
  if (at != nullptr && at->is_array() && !at->get_array().empty())
    at = &at->get_array().front();
  return at != nullptr ? at->if_object() : nullptr;
}

std::string string_at(const json::object& x, std::string_view key) {
  const auto* found = x.if_contains(key);
  return found != nullptr && found->is_string()
           ? std::string{found->get_string()}
           : "";
}

std::string words_of(const json::value& x, int depth) {
  if (depth == 0)
    return "";
  if (x.is_array()) {
    for (const auto& element : x.get_array())
      if (auto words = words_of(element, depth - 1); !words.empty())
        return words;
    return "";
  }
  if (!x.is_object())
    return "";
  const auto& object = x.get_object();
  for (auto key : word_keys)
    if (auto words = string_at(object, key); !words.empty())
      return words;
  for (auto key : wrapper_keys)
    if (const auto* inner = object.if_contains(key))
      if (auto words = words_of(*inner, depth - 1); !words.empty())
        return words;
  return "";
}

bool is_true(const json::object& x, std::string_view key) {
  const auto* found = x.if_contains(key);
  return found != nullptr && found->is_bool() && found->get_bool();
}

summary of_object(const json::object& line) {
  summary out;
  out.kind = string_at(line, "type");
  if (out.kind.empty())
    out.kind = "json";
  out.words = words_of(line, depth_max);
  if (out.words.empty())
    out.words = string_at(line, "model");
  out.failure = is_true(line, "is_error") || out.kind == "error";
  if (auto subtype = string_at(line, "subtype"); !subtype.empty())
    out.kind += "/" + subtype;
  const auto* block = block_of(line);
  if (block == nullptr)
    return out;
  auto type = string_at(*block, "type");
  if (!type.empty())
    out.kind = type == "text" ? out.kind : type;
  if (auto name = string_at(*block, "name"); !name.empty())
    out.words = name + "  " + out.words;
  out.failure = out.failure || is_true(*block, "is_error");
  return out;
}

} // namespace

summary summarise(std::string_view line) {
  if (!is_utf8(line))
    return {"bytes", std::to_string(line.size()) + " bytes", false};
  json::error_code failed;
  auto value = json::parse(line, failed);
  if (!failed && value.is_object())
    return of_object(value.get_object());
  return {failed ? "text" : "json", std::string{line}, false};
}

std::string fit(std::string_view text, std::size_t columns) {
  std::string out;
  std::size_t used = 0;
  std::size_t last_start = 0;
  bool blank = true;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    auto continues = (byte & 0xc0) == 0x80;
    auto control = byte < 0x20 || byte == 0x7f;
    if (control || byte == ' ') {
      if (blank)
        continue;
      c = ' ';
    }
    blank = control || byte == ' ';
    if (!continues) {
      if (used == columns) {
        out.resize(last_start);
        return out + "\xe2\x80\xa6";
      }
      ++used;
      last_start = out.size();
    }
    out += c;
  }
  return out;
}

} // namespace baton::demo
