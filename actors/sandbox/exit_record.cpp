// SPDX-License-Identifier: MIT
#include "actors/sandbox/exit_record.hpp"

#include <charconv>

namespace baton::sandbox {
namespace {

constexpr std::string_view head = "baton-exit 1\n";
constexpr std::string_view sum_name = "sum ";
constexpr std::size_t error_bytes_max = 2048;

std::string sum_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4)
    out += digits[(hash >> shift) & 0xF];
  return out;
}

/// Takes `NAME VALUE\n` off the front of `text`.
std::optional<std::string_view> take(std::string_view& text,
                                     std::string_view name) {
  if (!text.starts_with(name))
    return std::nullopt;
  auto end = text.find('\n');
  if (end == std::string_view::npos)
    return std::nullopt;
  auto value = text.substr(name.size(), end - name.size());
  text.remove_prefix(end + 1);
  return value;
}

template <class T>
bool parse(std::optional<std::string_view> text, T& out) {
  if (!text)
    return false;
  auto [end, error] = std::from_chars(text->begin(), text->end(), out);
  return error == std::errc{} && end == text->end();
}

} // namespace

std::string encode(const exit_record& record) {
  std::string out{head};
  out += "nonce " + record.nonce + "\n";
  out += "code " + std::to_string(record.code) + "\n";
  if (record.signal)
    out += "signal " + std::to_string(*record.signal) + "\n";
  out += "journal_end " + std::to_string(record.journal_end) + "\n";
  if (!record.cause.empty())
    out += "cause " + record.cause + "\n";
  if (!record.launch_error.empty()) {
    auto text = record.launch_error.substr(0, error_bytes_max);
    for (char& c : text)
      if (c == '\n' || c == '\0')
        c = ' ';
    out += "error " + text + "\n";
  }
  out += std::string{sum_name} + sum_of(out) + "\n";
  out.resize(exit_record_bytes, '\0');
  return out;
}

std::optional<exit_record> decode_exit_record(std::string_view block) {
  auto text = block.substr(0, block.find('\0'));
  auto sum_at = text.rfind(sum_name);
  if (!text.starts_with(head) || sum_at == std::string_view::npos
      || text.substr(sum_at)
           != std::string{sum_name} + sum_of(text.substr(0, sum_at)) + "\n")
    return std::nullopt;
  text = text.substr(head.size(), sum_at - head.size());
  exit_record out;
  auto nonce = take(text, "nonce ");
  if (!nonce)
    return std::nullopt;
  out.nonce = *nonce;
  if (!parse(take(text, "code "), out.code))
    return std::nullopt;
  if (text.starts_with("signal ")
      && !parse(take(text, "signal "), out.signal.emplace()))
    return std::nullopt;
  if (!parse(take(text, "journal_end "), out.journal_end))
    return std::nullopt;
  if (auto cause = take(text, "cause "))
    out.cause = *cause;
  if (auto error = take(text, "error "))
    out.launch_error = *error;
  return text.empty() ? std::optional{out} : std::nullopt;
}

std::string exit_marker_line(const exit_record& record, std::string_view nonce,
                             std::optional<char> last_byte) {
  std::string out;
  if (last_byte && *last_byte != '\n')
    out += '\n';
  out += R"({"baton_exit":{"code":)" + std::to_string(record.code);
  if (record.signal)
    out += R"(,"signal":)" + std::to_string(*record.signal);
  out +=
    R"(,"journal_end":)" + std::to_string(record.journal_end) + R"(,"nonce":")";
  out += nonce;
  out += "\"}}\n";
  return out;
}

} // namespace baton::sandbox
