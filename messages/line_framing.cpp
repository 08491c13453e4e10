// SPDX-License-Identifier: MIT
#include "messages/line_framing.hpp"

#include "messages/check.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace baton {
namespace {

constexpr std::size_t line_bytes_limit = std::size_t{1} << 30;
static_assert(line_bytes_limit + 1 < line_batch::fragment_bit,
              "a line and its LF fit in a length");

} // namespace

std::size_t frame_lines(std::string_view window, framing_state& state,
                        const framing_limits& limits, line_batch& out) {
  auto line_max = limits.line_bytes_max;
  BATON_CHECK(line_max >= 1 && line_max <= line_bytes_limit,
              "the line limit is 1 byte to 1 GiB");
  BATON_CHECK(state.searched <= line_max,
              "a longer stretch without LF had been cut");
  std::size_t at = 0;
  auto searched = std::min(state.searched, window.size());
  for (std::size_t lines = 0; lines < limits.lines_max; ++lines) {
    // One byte more than the limit tells a line that fits from one that
    // does not.
    auto reach = std::min(window.size() - at, line_max + 1);
    auto* from = window.data() + at;
    auto* lf = reach > searched
                 ? std::memchr(from + searched, '\n', reach - searched)
                 : nullptr;
    if (lf != nullptr) {
      auto length =
        static_cast<std::size_t>(static_cast<const char*>(lf) - from) + 1;
      out.lengths.push_back(
        static_cast<std::uint32_t>(length)
        | (state.inside_line ? line_batch::fragment_bit : 0));
      at += length;
      state.inside_line = false;
      searched = 0;
    } else if (reach > line_max) {
      out.lengths.push_back(static_cast<std::uint32_t>(line_max)
                            | line_batch::fragment_bit);
      at += line_max;
      state.inside_line = true;
      // The byte behind the piece has been looked at: it is no LF.
      searched = 1;
    } else {
      searched = reach;
      break;
    }
  }
  state.searched = searched;
  out.bytes.append(window.data(), at);
  return at;
}

std::size_t frame_last_lines(std::string_view window, framing_state& state,
                             const framing_limits& limits, line_batch& out) {
  auto before = out.size();
  auto at = frame_lines(window, state, limits, out);
  if (at == window.size() || out.size() - before == limits.lines_max)
    return at;
  out.add(window.substr(at), state.inside_line);
  state = {};
  return window.size();
}

} // namespace baton
