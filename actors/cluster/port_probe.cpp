// SPDX-License-Identifier: MIT
#include "actors/cluster/port_probe.hpp"

#include <cerrno>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace baton::cluster {
namespace {

using addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

/// 0, or an errno.
int try_connect(const addrinfo& to, std::chrono::milliseconds timeout) {
  auto fd = ::socket(to.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
                     to.ai_protocol);
  if (fd < 0)
    return errno;
  auto why = 0;
  if (::connect(fd, to.ai_addr, to.ai_addrlen) != 0) {
    why = errno;
    if (why == EINPROGRESS) {
      pollfd wait{fd, POLLOUT, 0};
      socklen_t size = sizeof(why);
      if (::poll(&wait, 1, static_cast<int>(timeout.count())) != 1)
        why = ETIMEDOUT;
      else if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size) != 0)
        why = errno;
    }
  }
  ::close(fd);
  return why;
}

} // namespace

status probe_port(const std::string& host, std::uint16_t port,
                  std::chrono::milliseconds timeout) {
  auto name = host + ":" + std::to_string(port);
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (auto bad = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(),
                               &wanted, &found);
      bad != 0)
    return make_status(errc::unavailable,
                       name + ": " + ::gai_strerror(bad)
                         + " (check the name given to --join)");
  addresses all{found, &::freeaddrinfo};
  auto why = ENOENT;
  for (auto* x = all.get(); x != nullptr; x = x->ai_next) {
    why = try_connect(*x, timeout);
    if (why == 0)
      return {};
  }
  return make_status(errc::unavailable,
                     name + ": " + std::strerror(why)
                       + " (is the coordinator running there with --cluster?)");
}

} // namespace baton::cluster
