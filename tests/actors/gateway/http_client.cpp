// SPDX-License-Identifier: MIT
#include "tests/actors/gateway/http_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

namespace baton::http::test {
namespace {

using clock = std::chrono::steady_clock;

void connect_to(int fd, const void* where, std::size_t size) {
  if (::connect(fd, static_cast<const sockaddr*>(where),
                static_cast<socklen_t>(size))
      != 0)
    throw std::runtime_error{std::string{"connect: "} + std::strerror(errno)};
}

/// Takes whole chunks from `raw`; true at the last one.
bool take_chunks(std::string& raw, std::string& body) {
  for (;;) {
    auto line = raw.find("\r\n");
    if (line == raw.npos)
      return false;
    auto size = std::stoul(raw.substr(0, line), nullptr, 16);
    if (raw.size() < line + 2 + size + 2)
      return false;
    body += raw.substr(line + 2, size);
    raw.erase(0, line + 2 + size + 2);
    if (size == 0)
      return true;
  }
}

std::optional<reply> take_head(std::string& raw) {
  auto end = raw.find("\r\n\r\n");
  if (end == raw.npos)
    return std::nullopt;
  reply out;
  out.status = std::stoi(raw.substr(9, 3));
  auto at = raw.find("\r\n") + 2;
  while (at < end + 2) {
    auto stop = raw.find("\r\n", at);
    auto line = raw.substr(at, stop - at);
    auto colon = line.find(": ");
    auto name = line.substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
      return static_cast<char>(std::tolower(c));
    });
    out.headers[name] = line.substr(colon + 2);
    at = stop + 2;
  }
  raw.erase(0, end + 4);
  return out;
}

} // namespace

client::client(std::uint16_t port, int receive_bytes)
  : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (receive_bytes > 0)
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_bytes,
                 sizeof(receive_bytes));
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(port);
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  connect_to(fd_, &where, sizeof(where));
}

client::client(const std::string& socket_path)
  : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  socket_path.copy(where.sun_path, sizeof(where.sun_path) - 1);
  connect_to(fd_, &where, sizeof(where));
}

client::~client() {
  close();
}

client::client(client&& other) noexcept
  : fd_(std::exchange(other.fd_, -1)), buffer_(std::move(other.buffer_)) {}

bool client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    auto n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

void client::close() {
  if (fd_ >= 0)
    ::close(fd_);
  fd_ = -1;
}

void client::abort() {
  linger now{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  close();
}

void client::shut_down_sending() {
  ::shutdown(fd_, SHUT_WR);
}

bool client::fill(clock::time_point end) {
  // Up, so that who got nothing is behind `end`: sees_end() tells by that.
  auto left = std::chrono::ceil<std::chrono::milliseconds>(end - clock::now());
  pollfd waiting{fd_, POLLIN, 0};
  if (left.count() <= 0
      || ::poll(&waiting, 1, static_cast<int>(left.count())) <= 0)
    return false;
  char block[65536];
  auto n = ::recv(fd_, block, sizeof(block), 0);
  if (n <= 0)
    return false;
  buffer_.append(block, static_cast<std::size_t>(n));
  return true;
}

reply client::read(std::function<bool(const std::string&)> until,
                   bool head_only, std::chrono::seconds patience) {
  auto end = clock::now() + patience;
  std::optional<reply> out;
  while (!(out = take_head(buffer_)))
    if (!fill(end))
      return {};
  auto& h = out->headers;
  bool chunked = h.count("transfer-encoding") != 0;
  bool sized = h.count("content-length") != 0;
  auto size = sized ? std::stoul(h["content-length"]) : 0;
  if (head_only || out->status == 204) {
    out->whole = true;
    return *out;
  }
  for (;;) {
    if (chunked) {
      out->whole = take_chunks(buffer_, out->body);
    } else if (sized && buffer_.size() >= size) {
      out->body = buffer_.substr(0, size);
      buffer_.erase(0, size);
      out->whole = true;
    } else if (!sized) {
      out->body += std::exchange(buffer_, {});
    }
    if (out->whole || (until && until(out->body)))
      return *out;
    if (!fill(end)) {
      out->whole = !chunked && !sized;
      return *out;
    }
  }
}

bool client::sees_end(std::chrono::seconds patience) {
  auto end = clock::now() + patience;
  while (fill(end))
    buffer_.clear();
  return clock::now() < end;
}

std::string request(std::string_view method, std::string_view target,
                    std::string_view body, std::string_view headers) {
  std::string out{method};
  out += " ";
  out += target;
  out += " HTTP/1.1\r\nHost: localhost\r\n";
  out += headers;
  if (!body.empty())
    out += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  out += "\r\n";
  out += body;
  return out;
}

bool holds_soon(std::function<bool()> f, std::chrono::seconds patience) {
  auto end = clock::now() + patience;
  while (!f()) {
    if (clock::now() > end)
      return false;
    ::poll(nullptr, 0, 5);
  }
  return true;
}

} // namespace baton::http::test
