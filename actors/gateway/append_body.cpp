// SPDX-License-Identifier: MIT
#include "actors/gateway/append_body.hpp"

#include "actors/gateway/router.hpp"
#include "messages/line_framing.hpp"

#include <algorithm>

namespace baton::http {
namespace {

/// Sixteen commits' worth: one append must not keep the others' waiting.
constexpr std::ptrdiff_t append_lines_max = 16'384;

result<std::uint64_t> parse_header(std::string_view name,
                                   const std::optional<std::string>& text) {
  if (!text)
    return result<std::uint64_t>(errc::malformed,
                                 "header " + std::string{name}
                                   + " is missing; expected a number");
  return parse_number("header " + std::string{name}, *text);
}

line_batch cut(std::string_view body, std::size_t line_bytes_max) {
  line_batch out;
  framing_limits limits;
  limits.line_bytes_max = line_bytes_max;
  framing_state state;
  while (!body.empty())
    body.remove_prefix(frame_last_lines(body, state, limits, out));
  return out;
}

} // namespace

result<epoch> parse_epoch(const std::optional<std::string>& text) {
  auto number = parse_header("Baton-Epoch", text);
  if (!number)
    return number.error();
  return epoch{*number};
}

result<append_lines> parse_append(const run_id& run,
                                  const append_headers& headers,
                                  std::string_view body,
                                  std::size_t line_bytes_max) {
  append_lines out;
  out.run = run;
  auto at = parse_epoch(headers.epoch);
  if (!at)
    return at.error();
  out.epoch = *at;
  auto first = parse_header("Baton-Seq", headers.first_seq);
  if (!first)
    return first.error();
  if (*first == 0)
    return result<append_lines>(errc::malformed,
                                "header Baton-Seq is 0, expected the seq of "
                                "the first line, from 1");
  out.first_seq = seq{*first};
  if (headers.position) {
    auto begin = parse_header("Baton-Position", headers.position);
    if (!begin)
      return begin.error();
    out.begin = position{*begin};
    out.has_begin = true;
  }
  if (body.empty())
    return result<append_lines>(errc::empty,
                                "the body is empty, expected lines");
  if (std::ranges::count(body, '\n') > append_lines_max)
    return result<append_lines>(errc::too_large,
                                "an append takes at most "
                                  + std::to_string(append_lines_max)
                                  + " lines; send them in parts");
  out.lines = cut(body, line_bytes_max);
  return out;
}

} // namespace baton::http
