// SPDX-License-Identifier: MIT
// A daemon that does what a test says: answers, drops connections in the
// middle of a body, goes away and comes back on the same endpoint.
// Threads: one accepting thread of its own; scripts run on it.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace baton::test {

struct seen_request {
  std::string method;
  std::string target;
  /// All header lines, as they came.
  std::string headers;
  std::string body;
};

/// One connection in the hands of a script.
class peer {
public:
  explicit peer(int fd) : fd_(fd) {}
  void write(const std::string& bytes) const;
  /// A whole answer with a Content-Length.
  void answer(int code, const std::string& body,
              const std::string& more_headers = {}) const;
  /// The head of a chunked 200, then chunks, then the end; leaving out the end
  /// is a connection that breaks.
  void begin_stream(const std::string& type) const;
  void chunk(const std::string& bytes) const;
  void end_stream() const;
  /// Until the client has closed.
  void wait_for_close() const;

private:
  int fd_;
};

using script = std::function<void(const seen_request&, const peer&)>;

class scripted_server {
public:
  /// On a Unix socket, or on a loopback port when `path` is empty.
  scripted_server(std::string path, script answer);
  ~scripted_server();

  int port() const noexcept { return port_; }
  std::string url() const;
  std::vector<seen_request> seen() const;

private:
  void serve();

  std::string path_;
  script answer_;
  int listen_fd_ = -1;
  int port_ = 0;
  std::atomic<bool> is_stopping_{false};
  mutable std::mutex lock_;
  std::vector<seen_request> seen_;
  std::thread thread_;
};

} // namespace baton::test
