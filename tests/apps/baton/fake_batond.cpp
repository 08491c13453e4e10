// SPDX-License-Identifier: MIT
// Stands in for batond where only its start matters: one per data directory,
// a ready line, and an answer to everything; half a second late when there is a
// file `late`, as on a machine that stands still. Ends when its socket is
// removed and touched no more, or after a minute.
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

void note(const std::string& path, const std::string& text) {
  auto fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  [[maybe_unused]] auto n = ::write(fd, text.data(), text.size());
  ::close(fd);
}

} // namespace

int main() {
  std::string dir = std::getenv("BATON_DATA_DIR");
  note(dir + "/starts", std::to_string(::getpid()) + "\n");
  if (::access((dir + "/refuse").c_str(), F_OK) == 0) {
    std::fputs("batond: data-dir: is broken\n", stderr);
    return 2;
  }
  auto lock = ::open((dir + "/lock").c_str(), O_RDWR | O_CREAT, 0600);
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0)
    return 2;
  auto path = dir + "/batond.sock";
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  path.copy(where.sun_path, sizeof(where.sun_path) - 1);
  ::unlink(path.c_str());
  auto fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (::bind(fd, reinterpret_cast<sockaddr*>(&where), sizeof(where)) != 0)
    return 2;
  auto late = ::access((dir + "/late").c_str(), F_OK) == 0;
  if (!late && ::listen(fd, 64) != 0)
    return 2;
  std::puts("batond ready node=fake http=127.0.0.1:1 cluster=none");
  std::fflush(stdout);
  if (late) {
    ::poll(nullptr, 0, 500);
    ::listen(fd, 64);
  }
  auto until = std::chrono::steady_clock::now() + std::chrono::minutes{1};
  while (std::chrono::steady_clock::now() < until
         && ::access(path.c_str(), F_OK) == 0) {
    pollfd watched{fd, POLLIN, 0};
    if (::poll(&watched, 1, 50) <= 0)
      continue;
    auto client = ::accept(fd, nullptr, nullptr);
    std::array<char, 4096> request;
    [[maybe_unused]] auto n = ::recv(client, request.data(), request.size(), 0);
    std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n"
                         "{\"runs\":[]}";
    n = ::send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
    ::close(client);
  }
  return 0;
}
