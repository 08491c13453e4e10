// SPDX-License-Identifier: MIT
#include "tests/support/event_stream.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace baton::test {

using clock = std::chrono::steady_clock;

event_stream::event_stream(std::uint16_t port, const std::string& target,
                           const std::string& headers, int receive_bytes)
  : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (receive_bytes > 0)
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_bytes,
                 sizeof(receive_bytes));
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(port);
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd_, reinterpret_cast<sockaddr*>(&where), sizeof(where)) != 0)
    throw std::runtime_error{"nobody listens for viewers"};
  auto text = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers;
  if (headers.find("Accept:") == headers.npos)
    text += "Accept: text/event-stream\r\n";
  text += "\r\n";
  if (::send(fd_, text.data(), text.size(), MSG_NOSIGNAL)
      != static_cast<ssize_t>(text.size()))
    throw std::runtime_error{"the request of a viewer cannot be sent"};
}

event_stream::~event_stream() {
  if (fd_ >= 0)
    ::close(fd_);
}

event_stream::event_stream(event_stream&& other) noexcept {
  std::swap(fd_, other.fd_);
  status_ = other.status_;
  chunked_ = other.chunked_;
  is_sse_ = other.is_sse_;
  ended_ = other.ended_;
  whole_ = other.whole_;
  raw_ = std::move(other.raw_);
  text_ = std::move(other.text_);
  line_ = std::move(other.line_);
  after_cr_ = other.after_cr_;
  has_data_ = other.has_data_;
  last_id_ = std::move(other.last_id_);
  open_ = std::move(other.open_);
  comments_ = other.comments_;
  events_ = std::move(other.events_);
}

void event_stream::pump(millis patience) {
  if (ended_)
    return;
  pollfd waiting{fd_, POLLIN, 0};
  if (::poll(&waiting, 1, static_cast<int>(patience.count())) <= 0)
    return;
  char block[256 * 1024];
  auto n = ::recv(fd_, block, sizeof(block), MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (n <= 0) {
    whole_ = whole_ || !chunked_;
    ended_ = true;
    return;
  }
  raw_.append(block, static_cast<std::size_t>(n));
  if (status_ == 0)
    take_head();
  if (status_ == 0)
    return;
  if (chunked_)
    take_chunks();
  else
    take_text(std::exchange(raw_, {}));
}

bool event_stream::pump_until(const std::function<bool()>& condition,
                              millis patience) {
  auto until = clock::now() + patience;
  while (!condition()) {
    if (ended_ || clock::now() > until)
      return condition();
    pump(20ms);
  }
  return true;
}

bool event_stream::pump_to_end(millis patience) {
  return pump_until([this] { return ended_; }, patience);
}

void event_stream::take_head() {
  auto end = raw_.find("\r\n\r\n");
  if (end == raw_.npos)
    return;
  auto head = raw_.substr(0, end);
  std::transform(head.begin(), head.end(), head.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  status_ = std::stoi(head.substr(9, 3));
  chunked_ = head.find("transfer-encoding: chunked") != head.npos;
  is_sse_ = head.find("content-type: text/event-stream") != head.npos;
  raw_.erase(0, end + 4);
}

void event_stream::take_chunks() {
  std::size_t at = 0;
  for (;;) {
    auto line = raw_.find("\r\n", at);
    if (line == raw_.npos)
      break;
    auto size = std::stoul(raw_.substr(at, line - at), nullptr, 16);
    if (raw_.size() < line + 2 + size + 2)
      break;
    take_text(std::string_view{raw_}.substr(line + 2, size));
    at = line + 2 + size + 2;
    if (size == 0) {
      whole_ = ended_ = true;
      break;
    }
  }
  raw_.erase(0, at);
}

void event_stream::take_text(std::string_view piece) {
  if (!is_sse_) {
    text_ += piece;
    return;
  }
  while (!piece.empty()) {
    if (after_cr_ && piece[0] == '\n')
      piece.remove_prefix(1);
    after_cr_ = false;
    auto stop = piece.find_first_of("\r\n");
    line_ += piece.substr(0, stop);
    if (stop == piece.npos)
      return;
    after_cr_ = piece[stop] == '\r';
    piece.remove_prefix(stop + 1);
    take_line();
    line_.clear();
  }
}

void event_stream::take_line() {
  if (line_.empty()) {
    if (has_data_) {
      open_.id = last_id_;
      if (open_.type.empty())
        open_.type = "message";
      events_.push_back(std::move(open_));
    }
    open_ = {};
    has_data_ = false;
    return;
  }
  auto colon = line_.find(':');
  if (colon == 0) {
    ++comments_;
    return;
  }
  auto name = line_.substr(0, colon);
  auto value = colon == line_.npos ? "" : line_.substr(colon + 1);
  if (!value.empty() && value[0] == ' ')
    value.erase(0, 1);
  if (name == "event") {
    open_.type = value;
  } else if (name == "data") {
    open_.data += (has_data_ ? "\n" : "") + value;
    has_data_ = true;
  } else if (name == "id" && value.find('\0') == value.npos) {
    last_id_ = value;
  }
}

} // namespace baton::test
