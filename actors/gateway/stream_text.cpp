// SPDX-License-Identifier: MIT
#include "actors/gateway/stream_text.hpp"

#include "actors/gateway/entry_json.hpp"
#include "actors/gateway/record_json.hpp"

namespace baton::http {

std::string_view stream_text::content_type() const noexcept {
  switch (how_.format) {
  case stream_format::sse:
    return "text/event-stream";
  case stream_format::ndjson:
    return "application/x-ndjson";
  case stream_format::journal:
    break;
  }
  return "application/octet-stream";
}

void stream_text::add(const entry& x, std::string& out) const {
  switch (how_.format) {
  case stream_format::sse:
    out += "id: " + std::to_string(x.seq.value) + "\nevent: entry\ndata: ";
    append_json(x, out);
    out += "\n\n";
    return;
  case stream_format::ndjson:
    append_json(x, out);
    out += '\n';
    return;
  case stream_format::journal:
    break;
  }
  if (x.end <= how_.from)
    return;
  std::string_view bytes{x.data};
  if (x.begin < how_.from)
    bytes.remove_prefix(how_.from.value - x.begin.value);
  out += bytes;
}

void stream_text::add_end(const run_view& x, std::string& out) const {
  if (how_.format == stream_format::sse)
    out += "event: end\ndata: " + to_json(x) + "\n\n";
}

void stream_text::add_refusal(const status& why, std::string& out) const {
  if (how_.format == stream_format::sse)
    out += "event: error\ndata: " + error_json(why) + "\n\n";
}

std::string_view stream_text::heartbeat() const noexcept {
  return how_.format == stream_format::sse ? ": alive\n\n" : "";
}

} // namespace baton::http
