// SPDX-License-Identifier: MIT
#include "apps/baton_shim/inner_report.hpp"

#include <unistd.h>

#include <cerrno>
#include <charconv>

namespace baton::shim {
namespace {

constexpr std::string_view started = "started";
constexpr std::string_view failed = "failed ";
constexpr std::string_view ended = "ended ";

std::optional<int> take_number(std::string_view& text) {
  int out = 0;
  auto [end, error] =
    std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{})
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return out;
}

} // namespace

std::string encode(const inner_report& report) {
  if (report.kind == inner_report::what::started)
    return std::string{started} + "\n";
  if (report.kind == inner_report::what::ended)
    return std::string{ended} + std::to_string(report.value) + "\n";
  auto text = report.text;
  for (char& c : text)
    if (c == '\n')
      c = ' ';
  return std::string{failed} + std::to_string(report.value) + " " + text + "\n";
}

std::optional<inner_report> decode_inner_report(std::string_view line) {
  inner_report out;
  if (line == started)
    return out;
  bool is_failure = line.starts_with(failed);
  if (!is_failure && !line.starts_with(ended))
    return std::nullopt;
  line.remove_prefix(is_failure ? failed.size() : ended.size());
  auto number = take_number(line);
  if (!number)
    return std::nullopt;
  out.kind =
    is_failure ? inner_report::what::failed : inner_report::what::ended;
  out.value = *number;
  if (is_failure != line.starts_with(' '))
    return std::nullopt;
  if (is_failure)
    out.text = line.substr(1);
  else if (!line.empty())
    return std::nullopt;
  return out;
}

std::optional<inner_report> inner_reports::next() {
  for (;;) {
    if (auto end = bytes_.find('\n'); end != std::string::npos) {
      auto out = decode_inner_report(std::string_view{bytes_}.substr(0, end));
      bytes_.erase(0, end + 1);
      if (out)
        return out;
      continue;
    }
    char buffer[4096];
    auto n = pipe_.ok() ? ::read(pipe_.get(), buffer, sizeof(buffer)) : 0;
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && errno == EAGAIN)
      return std::nullopt;
    if (n <= 0) {
      pipe_.close();
      return std::nullopt;
    }
    bytes_.append(buffer, static_cast<std::size_t>(n));
  }
}

} // namespace baton::shim
