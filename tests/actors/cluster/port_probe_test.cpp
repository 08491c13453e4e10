// SPDX-License-Identifier: MIT
// Goal: an answer within the time given, whoever is at the port. Method: a
// listener, a closed port, one whose queue is full, a name nobody has.
#include "actors/cluster/port_probe.hpp"

#include <boost/test/unit_test.hpp>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

using namespace baton;
using namespace std::chrono_literals;

namespace {

class listener {
public:
  explicit listener(int queue)
    : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    where_.sin_family = AF_INET;
    where_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(where_);
    BOOST_REQUIRE(::bind(fd_, at(), size) == 0);
    BOOST_REQUIRE(::getsockname(fd_, at(), &size) == 0);
    BOOST_REQUIRE(::listen(fd_, queue) == 0);
  }
  ~listener() { close(); }
  listener(const listener&) = delete;

  std::uint16_t port() const { return ntohs(where_.sin_port); }
  void close() {
    if (fd_ >= 0)
      ::close(std::exchange(fd_, -1));
  }
  sockaddr* at() { return reinterpret_cast<sockaddr*>(&where_); }

private:
  int fd_;
  sockaddr_in where_{};
};

} // namespace

BOOST_AUTO_TEST_SUITE(cluster_port_probe)

BOOST_AUTO_TEST_CASE(who_listens_is_found) {
  listener x{8};
  BOOST_TEST(cluster::probe_port("127.0.0.1", x.port(), 5s).ok());
  BOOST_TEST(cluster::probe_port("localhost", x.port(), 5s).ok());
}

BOOST_AUTO_TEST_CASE(a_closed_port_is_unavailable_and_named) {
  listener x{8};
  x.close();
  auto got = cluster::probe_port("127.0.0.1", x.port(), 5s);
  BOOST_TEST((got.code == errc::unavailable));
  BOOST_TEST(got.message.find(std::to_string(x.port())) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_name_nobody_has_is_unavailable) {
  auto got = cluster::probe_port("no-such-host.invalid", 1, 5s);
  BOOST_TEST((got.code == errc::unavailable));
}

BOOST_AUTO_TEST_CASE(who_does_not_answer_is_not_waited_for) {
  listener x{0};
  // Fill the queue: from then on the kernel drops what asks to connect.
  std::vector<int> waiting;
  for (int i = 0; i < 8; ++i) {
    waiting.push_back(
      ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    ::connect(waiting.back(), x.at(), sizeof(sockaddr_in));
  }
  auto got = cluster::probe_port("127.0.0.1", x.port(), 50ms);
  BOOST_TEST((got.code == errc::unavailable));
  for (auto fd : waiting)
    ::close(fd);
}

BOOST_AUTO_TEST_SUITE_END()
