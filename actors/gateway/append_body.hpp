// SPDX-License-Identifier: MIT
// An external driver's append: headers Baton-Epoch, Baton-Seq, Baton-Position
// and a body of lines.
// Threads: pure functions.
// Failure: errc::malformed naming the header; errc::empty.
#pragma once

#include "messages/claim_messages.hpp"
#include "messages/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace baton::http {

/// Header values; nullopt where a header is not there.
struct append_headers {
  std::optional<std::string> epoch;
  std::optional<std::string> first_seq;
  std::optional<std::string> position;
};

/// The header Baton-Epoch, which every write of a driver carries.
result<epoch> parse_epoch(const std::optional<std::string>& text);

/// Lines of up to `line_bytes_max` bytes become entries, longer ones fragments;
/// a last line without newline is a line.
result<append_lines> parse_append(const run_id& run,
                                  const append_headers& headers,
                                  std::string_view body,
                                  std::size_t line_bytes_max);

} // namespace baton::http
