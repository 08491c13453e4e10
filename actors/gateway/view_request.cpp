// SPDX-License-Identifier: MIT
#include "actors/gateway/view_request.hpp"

#include "messages/record.hpp"

namespace baton::http {
namespace {

/// nullopt: not said.
result<std::optional<bool>> parse_live(const query& params) {
  auto* text = find_param(params, "live");
  if (!text)
    return std::optional<bool>{};
  if (*text != "0" && *text != "1")
    return result<std::optional<bool>>(
      errc::malformed,
      "query parameter 'live' is '" + printable(*text) + "', expected 0 or 1");
  return std::optional{*text == "1"};
}

result<std::uint64_t> parse_from(const query& params) {
  auto* text = find_param(params, "from");
  if (!text)
    return std::uint64_t{0};
  return parse_number("query parameter 'from'", *text);
}

std::string lower(std::string_view text) {
  std::string out;
  for (char c : text)
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

} // namespace

result<view_request>
parse_events(const query& params, std::string_view accept,
             const std::optional<std::string>& last_event_id) {
  if (auto why = check_names(params, {"from", "live"}); !why.ok())
    return why;
  auto live = parse_live(params);
  if (!live)
    return live.error();
  auto from = parse_from(params);
  if (!from)
    return from.error();
  if (last_event_id && last_event_id->empty()) {
    from = std::uint64_t{0};
  } else if (last_event_id) {
    from = parse_number("header Last-Event-ID", *last_event_id);
    if (!from)
      return from.error();
  }
  view_request out;
  auto wants = lower(accept);
  bool sse = wants.find("text/event-stream") != wants.npos;
  bool ndjson = wants.find("application/x-ndjson") != wants.npos;
  if (sse == ndjson)
    out.format =
      live->value_or(true) ? stream_format::sse : stream_format::ndjson;
  else
    out.format = sse ? stream_format::sse : stream_format::ndjson;
  out.live = live->value_or(out.format == stream_format::sse);
  out.after = seq{*from};
  return out;
}

result<view_request> parse_journal(const query& params) {
  if (auto why = check_names(params, {"from", "live"}); !why.ok())
    return why;
  auto live = parse_live(params);
  if (!live)
    return live.error();
  auto from = parse_from(params);
  if (!from)
    return from.error();
  view_request out;
  out.format = stream_format::journal;
  out.live = live->value_or(false);
  out.from = position{*from};
  return out;
}

std::optional<seq> journal_seek::probe() const {
  if (from_.value == 0 || low_ >= high_)
    return std::nullopt;
  return seq{low_.value + (high_.value - low_.value + 1) / 2};
}

void journal_seek::see(const entry& x) {
  reaches_first_ |= x.seq.value == trimmed_.value + 1 && x.begin <= from_;
  if (x.end <= from_)
    low_ = x.seq;
  else
    high_ = seq{x.seq.value - 1};
}

} // namespace baton::http
