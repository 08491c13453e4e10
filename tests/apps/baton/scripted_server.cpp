// SPDX-License-Identifier: MIT
#include "tests/apps/baton/scripted_server.hpp"

#include <boost/test/unit_test.hpp>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace baton::test {

namespace {

/// A request with its body; empty method when the client left.
seen_request read_request(int fd) {
  std::string text;
  std::array<char, 4096> buffer;
  std::size_t head_end = std::string::npos;
  std::size_t length = 0;
  for (;;) {
    head_end = text.find("\r\n\r\n");
    if (head_end != std::string::npos) {
      auto at = text.find("Content-Length: ");
      length = at < head_end ? std::stoul(text.substr(at + 16)) : 0;
      if (text.size() >= head_end + 4 + length)
        break;
    }
    auto n = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (n <= 0)
      return {};
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  seen_request out;
  auto space = text.find(' ');
  out.method = text.substr(0, space);
  out.target = text.substr(space + 1, text.find(' ', space + 1) - space - 1);
  auto first = text.find("\r\n");
  out.headers = text.substr(first + 2, head_end - first);
  out.body = text.substr(head_end + 4, length);
  return out;
}

} // namespace

void peer::write(const std::string& bytes) const {
  for (std::size_t done = 0; done < bytes.size();) {
    auto n =
      ::send(fd_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (n <= 0)
      return;
    done += static_cast<std::size_t>(n);
  }
}

void peer::answer(int code, const std::string& body,
                  const std::string& more_headers) const {
  write("HTTP/1.1 " + std::to_string(code) + " X\r\nContent-Length: "
        + std::to_string(body.size()) + "\r\n" + more_headers + "\r\n" + body);
}

void peer::begin_stream(const std::string& type) const {
  write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: " + type
        + "\r\n\r\n");
}

void peer::chunk(const std::string& bytes) const {
  std::array<char, 32> size{};
  std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size());
  write(size.data() + bytes + "\r\n");
}

void peer::end_stream() const {
  write("0\r\n\r\n");
}

void peer::wait_for_close() const {
  char c = 0;
  while (::recv(fd_, &c, 1, 0) > 0) {
  }
}

scripted_server::scripted_server(std::string path, script answer)
  : path_(std::move(path)), answer_(std::move(answer)) {
  if (path_.empty()) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listen_fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t size = sizeof(where);
    auto raw = reinterpret_cast<sockaddr*>(&where);
    BOOST_TEST_REQUIRE(::bind(listen_fd_, raw, size) == 0);
    ::getsockname(listen_fd_, raw, &size);
    port_ = ntohs(where.sin_port);
  } else {
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    std::copy(path_.begin(), path_.end(), where.sun_path);
    ::unlink(path_.c_str());
    listen_fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    BOOST_TEST_REQUIRE(
      ::bind(listen_fd_, reinterpret_cast<sockaddr*>(&where), sizeof(where))
      == 0);
  }
  BOOST_TEST_REQUIRE(::listen(listen_fd_, 64) == 0);
  thread_ = std::thread{[this] { serve(); }};
}

scripted_server::~scripted_server() {
  is_stopping_ = true;
  ::shutdown(listen_fd_, SHUT_RDWR);
  thread_.join();
  ::close(listen_fd_);
  if (!path_.empty())
    ::unlink(path_.c_str());
}

std::string scripted_server::url() const {
  return path_.empty() ? "http://127.0.0.1:" + std::to_string(port_)
                       : "unix://" + path_;
}

std::vector<seen_request> scripted_server::seen() const {
  std::scoped_lock guard{lock_};
  return seen_;
}

void scripted_server::serve() {
  while (!is_stopping_) {
    auto fd = ::accept4(listen_fd_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0)
      break;
    auto request = read_request(fd);
    if (!request.method.empty()) {
      {
        std::scoped_lock guard{lock_};
        seen_.push_back(request);
      }
      answer_(request, peer{fd});
    }
    ::close(fd);
  }
}

} // namespace baton::test
