// SPDX-License-Identifier: MIT
// Goal: a daemon that cannot serve says why in one line, ends with 2, and has
// touched no run. Method: starts with something in the way; then the same
// directory is started for real.
#include "tests/support/agents.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace baton::test {
namespace {

/// A port that somebody else listens on.
class busy_port {
public:
  busy_port() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* at = reinterpret_cast<sockaddr*>(&where);
    socklen_t size = sizeof(where);
    BOOST_REQUIRE(::bind(fd_, at, size) == 0 && ::listen(fd_, 1) == 0
                  && ::getsockname(fd_, at, &size) == 0);
    port_ = ntohs(where.sin_port);
  }
  ~busy_port() { ::close(fd_); }
  busy_port(const busy_port&) = delete;
  busy_port& operator=(const busy_port&) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

private:
  int fd_;
  int port_ = 0;
};

void expect_one_line(const finished& x, const std::string& part) {
  BOOST_TEST(x.exit == 2);
  BOOST_TEST(x.out.empty());
  BOOST_TEST(x.err.starts_with("batond: "));
  BOOST_TEST(std::ranges::count(x.err, '\n') == 1);
  BOOST_TEST_CONTEXT(x.err)
  BOOST_TEST(x.err.find(part) != std::string::npos);
}

std::int64_t epoch_of(const daemon& d, const std::string& run) {
  return d.record(run).at("epoch").to_number<std::int64_t>();
}

} // namespace

BOOST_AUTO_TEST_SUITE(system_start)

BOOST_AUTO_TEST_CASE(a_busy_port_or_socket_touches_no_run) {
  daemon d;
  d.start();
  auto run = d.create(wait_for_file(d.file("go")) + "echo done");
  BOOST_REQUIRE(wait_until([&] { return epoch_of(d, run) == 1; }));
  d.kill9();
  busy_port port;

  expect_one_line(d.start_in_vain({"--http", port.address()}), port.address());
  write_file(d.file("no-socket"), "");
  expect_one_line(
    d.start_in_vain({"--http", "127.0.0.1:0", "--socket", d.file("no-socket")}),
    "no-socket");

  d.restart();
  BOOST_TEST(wait_until([&] { return epoch_of(d, run) == 2; }));
  write_file(d.file("go"), "");
  BOOST_TEST(d.wait_for_end(run).at("status").as_string() == "completed");
  BOOST_TEST(epoch_of(d, run) == 2);
}

BOOST_AUTO_TEST_CASE(a_store_that_has_no_room_to_open_says_what_to_do) {
  daemon d;
  d.start();
  auto run = d.create("seq 1 200");
  d.wait_for_end(run);
  d.kill9();

  // In blocks of 512 bytes.
  for (auto* blocks : {"1", "8", "16", "64"})
    BOOST_TEST_CONTEXT(blocks)
  expect_one_line(d.start_in_vain({"--http", "127.0.0.1:0"},
                                  std::string{"ulimit -f "} + blocks),
                  "free space");

  d.restart();
  BOOST_TEST(d.record(run).at("entries").to_number<int>() == 200);
}

BOOST_AUTO_TEST_CASE(idle_connections_leave_agents_and_store_their_files) {
  daemon d;
  d.start({}, {}, "ulimit -n 256");
  std::vector<std::unique_ptr<http::test::client>> idle;
  for (int i = 0; i < 300; ++i)
    idle.push_back(std::make_unique<http::test::client>(d.port()));

  // Through the Unix socket.
  auto got = d.cli({"run", "--", "echo", "through"});

  BOOST_TEST(got.exit == 0);
  BOOST_TEST_CONTEXT(got.err)
  BOOST_TEST(got.out == "through\n");
}

BOOST_AUTO_TEST_CASE(a_daemon_that_is_told_to_end_is_gone_within_10_s) {
  for (std::vector<std::string> args :
       {std::vector<std::string>{}, {"--cluster", "127.0.0.1:0"}}) {
    daemon d;
    d.start(args);
    auto run = d.create("echo one; sleep 60");
    d.wait_for_entries(run, 1);
    d.life().signal(SIGTERM);
    BOOST_TEST(wait_until([&] { return !d.alive(); }, 10s));
    BOOST_TEST((d.life().exit() == 0));
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
