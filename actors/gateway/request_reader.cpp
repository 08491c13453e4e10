// SPDX-License-Identifier: MIT
#include "actors/gateway/request_reader.hpp"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <array>

namespace baton::http {
namespace {

namespace beast = boost::beast;
using error_code = boost::system::error_code;

constexpr std::uint32_t header_bytes_max = 16 * 1024;
constexpr std::size_t chunk_header_max = 16 * 1024;
constexpr std::uint64_t body_bytes_max = 16 * 1024 * 1024;

/// What two of would leave it to us which one is meant.
constexpr std::array<std::string_view, 8> single_headers{
  "Host",          "Origin",      "Sec-Fetch-Site", "Authorization",
  "Last-Event-ID", "Baton-Epoch", "Baton-Seq",      "Baton-Position"};

beast::string_view view(std::string_view s) {
  return {s.data(), s.size()};
}

std::string_view view(beast::string_view s) {
  return {s.data(), s.size()};
}

} // namespace

struct request_reader::parser
  : beast::http::request_parser<beast::http::string_body> {};

request_reader::request_reader(connection& from, std::string& buffer,
                               read_limits limits)
  : from_(from),
    buffer_(buffer),
    limits_(limits),
    parser_(std::make_unique<parser>()) {
  parser_->header_limit(header_bytes_max);
  parser_->body_limit(body_bytes_max);
}

request_reader::~request_reader() = default;

template <class Enough>
asio::awaitable<bool> request_reader::read_until(Enough enough) {
  std::array<char, 16 * 1024> block;
  for (;;) {
    while (!buffer_.empty() && !enough()) {
      error_code ec;
      auto used = parser_->put(asio::buffer(buffer_), ec);
      buffer_.erase(0, used);
      if (ec == beast::http::error::need_more)
        ec = {};
      if (ec == beast::http::error::header_limit)
        co_return refuse(431, errc::too_large,
                         "the headers are over 16 KiB; send less");
      if (ec == beast::http::error::body_limit)
        co_return refuse(413, errc::too_large,
                         "the body is over 16 MiB; send it in parts");
      if (ec)
        co_return refuse(400, errc::malformed,
                         "not an HTTP/1.1 request: " + ec.message());
      if (used == 0) {
        // A chunk's own header, extensions included, is as bounded as the
        // request's.
        if (parser_->is_header_done() && buffer_.size() > chunk_header_max)
          co_return refuse(400, errc::malformed,
                           "a chunk header is over 16 KiB; send less");
        break;
      }
    }
    if (enough())
      co_return true;
    auto n = co_await from_.read_some(block.data(), block.size());
    if (n == 0)
      co_return false;
    if (buffer_.empty() && !parser_->got_some())
      from_.set_deadline(limits_.header);
    buffer_.append(block.data(), n);
  }
}

asio::awaitable<bool> request_reader::read_head() {
  from_.set_deadline(buffer_.empty() ? limits_.idle : limits_.header);
  auto done = [this] { return parser_->is_header_done(); };
  bool good = co_await read_until(done);
  from_.clear_deadline();
  co_return good&& check_head();
}

asio::awaitable<bool> request_reader::read_body() {
  auto done = [this] { return parser_->is_done(); };
  if (done())
    co_return true;
  from_.set_deadline(limits_.body);
  parser_->eager(true);
  auto expect = header("Expect");
  if (expect && beast::iequals(view(std::string_view{*expect}), "100-continue")
      && buffer_.empty()) {
    bool sent =
      co_await from_.write("HTTP/1.1 100 Continue\r\n\r\n", limits_.header);
    if (!sent)
      co_return false;
    from_.set_deadline(limits_.body);
  }
  bool good = co_await read_until(done);
  from_.clear_deadline();
  co_return good;
}

// -- the request --------------------------------------------------------------

std::string_view request_reader::method() const {
  return view(parser_->get().method_string());
}

std::string_view request_reader::target() const {
  return view(parser_->get().target());
}

std::optional<std::string> request_reader::header(std::string_view name) const {
  const auto& head = parser_->get();
  auto i = head.find(view(name));
  if (i == head.end())
    return std::nullopt;
  return std::string{view(i->value())};
}

bool request_reader::keep_alive() const {
  return parser_->get().keep_alive();
}

bool request_reader::is_modern() const {
  return parser_->get().version() >= 11;
}

bool request_reader::is_done() const {
  return parser_->is_done();
}

const std::string& request_reader::body() const {
  return parser_->get().body();
}

bool request_reader::refuse(int http_status, errc code, std::string message) {
  failure_ = http_status;
  why_ = make_status(code, std::move(message));
  return false;
}

bool request_reader::check_head() {
  const auto& head = parser_->get();
  for (auto name : single_headers)
    if (head.count(view(name)) > 1)
      return refuse(400, errc::malformed,
                    "header " + std::string{name}
                      + " is given more than once; give it once");
  return true;
}

} // namespace baton::http
