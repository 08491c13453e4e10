// SPDX-License-Identifier: MIT
#include "apps/baton/http_client.hpp"

#include "apps/baton/connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>

#include <array>
#include <charconv>
#include <utility>

namespace baton::cli {

namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::uint32_t header_bytes_max = 64 * 1024;
/// Answers that are held in memory: a page of records, not a log.
constexpr std::size_t answer_bytes_max = std::size_t{64} << 20;

std::string_view std_view(string_view x) {
  return {x.data(), x.size()};
}

/// Collects the head and hands body bytes on.
class answer_parser : public http::basic_parser<false> {
public:
  explicit answer_parser(byte_sink sink) : sink_(std::move(sink)) {
    header_limit(header_bytes_max);
    body_limit(boost::none);
  }

  const http_head& head() const noexcept { return head_; }
  bool is_stopped() const noexcept { return is_stopped_; }

private:
  void on_request_impl(http::verb, string_view, string_view, int,
                       error_code&) override {}
  void on_response_impl(int code, string_view, int, error_code&) override {
    head_.code = code;
  }
  void on_field_impl(http::field name, string_view, string_view value,
                     error_code&) override {
    auto text = std_view(value);
    if (name == http::field::content_type)
      head_.content_type = text;
    else if (name == http::field::server)
      head_.server = text;
    else if (name == http::field::retry_after) {
      int seconds = 0;
      auto [stop, ec] =
        std::from_chars(text.data(), text.data() + text.size(), seconds);
      if (ec == std::errc{} && seconds >= 0)
        head_.retry_after = std::chrono::seconds{seconds};
    }
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(boost::optional<std::uint64_t> const&,
                         error_code&) override {}
  std::size_t on_body_impl(string_view body, error_code&) override {
    deliver(body);
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body,
                                 error_code&) override {
    deliver(body);
    return body.size();
  }
  void on_finish_impl(error_code&) override {}

  void deliver(string_view body) {
    if (!is_stopped_ && !body.empty())
      is_stopped_ = !sink_(std_view(body));
  }

  byte_sink sink_;
  http_head head_;
  bool is_stopped_ = false;
};

std::string render(const http_request& request, const client_options& options) {
  auto& server = options.server;
  auto host = server.via == transport::unix_socket
                ? std::string{"localhost"}
                : to_text(server).substr(to_text(server).find("//") + 2);
  auto text = request.method + " " + request.target + " HTTP/1.1\r\nHost: "
              + host + "\r\nUser-Agent: baton\r\nConnection: close\r\n";
  if (!options.token.empty())
    text += "Authorization: Bearer " + options.token + "\r\n";
  for (auto& [name, value] : request.headers)
    text += name + ": " + value + "\r\n";
  if (!request.body.empty())
    text += "Content-Type: application/json\r\n";
  if (!request.body.empty() || request.method == "POST")
    text += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  return text + "\r\n" + request.body;
}

std::string describe(const io_result& x, const server_address& server) {
  auto peer = to_text(server);
  switch (x.end) {
  case io_end::timed_out:
    return peer + " went silent";
  case io_end::closed:
    return peer + " closed the connection";
  default:
    return peer + ": " + x.why;
  }
}

deadline after(milliseconds time) {
  return time.count() == 0 ? never : steady_clock::now() + time;
}

struct pump_options {
  /// Until the head is there.
  deadline head_until;
  /// Between body bytes; 0: any time.
  milliseconds silence_max{};
  /// Until the last byte.
  deadline until = never;
};

/// Reads until the parser has it all or something ends it; `end` ok: all.
io_result pump(connection& peer, answer_parser& parser,
               const pump_options& options) {
  std::array<char, 64 * 1024> buffer;
  // What the parser could not use yet: part of a header or chunk border.
  std::string pending;
  while (!parser.is_done() && !parser.is_stopped()) {
    auto until =
      parser.is_header_done() ? after(options.silence_max) : options.head_until;
    auto got = peer.read_some(buffer, std::min(until, options.until));
    error_code ec;
    if (got.end == io_end::closed && parser.is_header_done()) {
      parser.put_eof(ec);
      return ec ? got : io_result{};
    }
    if (got.end != io_end::ok)
      return got;
    pending.append(buffer.data(), got.bytes);
    while (!pending.empty() && !parser.is_done()) {
      auto used = parser.put(boost::asio::buffer(pending), ec);
      pending.erase(0, used);
      if (ec == http::error::need_more || (!ec && used == 0))
        break;
      if (ec)
        return {io_end::failed, 0, "not understood: " + ec.message()};
    }
  }
  return {};
}

} // namespace

result<http_response> http_client::send(const http_request& request) const {
  auto until = steady_clock::now() + options_.answer_timeout;
  auto peer = connection::open(options_);
  if (!peer)
    return std::move(peer).error();
  std::string body;
  answer_parser parser{[&](std::string_view bytes) {
    body += bytes;
    return body.size() <= answer_bytes_max;
  }};
  auto done = peer->write_all(render(request, options_), until);
  // A server may answer, and close, before it has read the whole request.
  if (done.end != io_end::timed_out && done.end != io_end::woken)
    done = pump(*peer, parser, {until, options_.answer_timeout, until});
  if (done.end == io_end::woken)
    return make_status(errc::cancelled, "interrupted");
  if (done.end != io_end::ok)
    return make_status(errc::outcome_unknown, describe(done, options_.server));
  if (parser.is_stopped())
    return make_status(errc::too_large,
                       "expected an answer of at most 64 MiB, found a larger "
                       "one");
  return http_response{parser.head(), std::move(body)};
}

result<stream_result> http_client::stream(const http_request& request,
                                          milliseconds silence_max,
                                          const byte_sink& sink) const {
  auto until = steady_clock::now() + options_.answer_timeout;
  auto peer = connection::open(options_);
  if (!peer)
    return std::move(peer).error();
  stream_result out;
  const answer_parser* head = nullptr;
  answer_parser parser{[&](std::string_view bytes) {
    if (head->head().code == 200)
      return sink(bytes);
    out.error_body += bytes;
    return out.error_body.size() <= header_bytes_max;
  }};
  head = &parser;
  auto done = peer->write_all(render(request, options_), until);
  if (done.end == io_end::ok)
    done = pump(*peer, parser, {until, silence_max, never});
  out.head = parser.head();
  if (parser.is_stopped()) {
    out.end = stream_end::stopped;
  } else if (done.end == io_end::woken) {
    out.end = stream_end::woken;
  } else if (done.end != io_end::ok) {
    out.end = stream_end::broken;
    out.why = describe(done, options_.server);
  }
  return out;
}

} // namespace baton::cli
