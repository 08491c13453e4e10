// SPDX-License-Identifier: MIT
#include "actors/gateway/response.hpp"

#include "actors/gateway/record_json.hpp"

#include <boost/beast/http/status.hpp>

namespace baton::http {
namespace {

constexpr std::string_view retry_after_s = "1";

std::string status_line(int code) {
  auto reason = boost::beast::http::obsolete_reason(
    static_cast<boost::beast::http::status>(code));
  return "HTTP/1.1 " + std::to_string(code) + " "
         + std::string{reason.data(), reason.size()} + "\r\n";
}

void add(std::string_view name, std::string_view value, std::string& out) {
  out += name;
  out += ": ";
  out += value;
  out += "\r\n";
}

} // namespace

response error_response(const status& why, int http_status) {
  response out;
  out.http_status = http_status ? http_status : http_status_of(why.code);
  out.body = error_json(why) + "\n";
  if (out.http_status == 503 || out.http_status == 429)
    out.headers.emplace_back("Retry-After", retry_after_s);
  if (out.http_status == 401)
    out.headers.emplace_back("WWW-Authenticate", "Bearer");
  return out;
}

std::string render(const response& r, framing how) {
  auto out = status_line(r.http_status);
  if (r.http_status != 204) {
    add("Content-Type", r.content_type, out);
    add("Content-Length", std::to_string(r.body.size()), out);
  }
  add("Cache-Control", "no-store", out);
  add("X-Content-Type-Options", "nosniff", out);
  for (const auto& [name, value] : r.headers)
    add(name, value, out);
  add("Connection", how.keep_alive ? "keep-alive" : "close", out);
  out += "\r\n";
  if (!how.head && r.http_status != 204)
    out += r.body;
  return out;
}

std::string render_stream_head(std::string_view content_type, bool chunked,
                               bool keep_alive) {
  auto out = status_line(200);
  add("Content-Type", content_type, out);
  if (chunked)
    add("Transfer-Encoding", "chunked", out);
  add("Cache-Control", "no-store", out);
  add("X-Content-Type-Options", "nosniff", out);
  // Proxies would hold events back.
  add("X-Accel-Buffering", "no", out);
  add("Connection", keep_alive ? "keep-alive" : "close", out);
  out += "\r\n";
  return out;
}

} // namespace baton::http
