// SPDX-License-Identifier: MIT
// Goal: a dial finds the coordinator, or says why not; strangers at the port
// disturb nobody. Method: two actor systems with CAF's network on loopback, and
// bare sockets.
#include "actors/cluster/dialer.hpp"

#include "actors/cluster/dial.hpp"
#include "messages/caf_types.hpp"
#include "tests/messages/seeded.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/io/middleman.hpp>
#include <caf/openssl/manager.hpp>
#include <caf/scoped_actor.hpp>

#include <boost/test/unit_test.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>

using namespace baton;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t frame_bytes_max = 1 << 20;

struct network_config : caf::actor_system_config {
  network_config() {
    register_messages(*this);
    load<caf::io::middleman>();
    load<caf::openssl::manager>();
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{2});
  }
};

caf::behavior nobody(caf::event_based_actor*) {
  return {[](get_run&) {}};
}

/// One process's worth of CAF.
struct node_system {
  network_config config;
  caf::actor_system system{config};
};

struct coordinator_system : node_system {
  coordinator_system() : actor(system.spawn(nobody)) {
    answer.role = "coordinator";
    answer.node = node_id{"c"};
    answer.cluster = "one";
    answer.coordinator = actor;
  }
  ~coordinator_system() {
    if (door.keeper)
      caf::anon_send_exit(door.keeper, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    actor = nullptr;
    door = {};
    answer = {};
  }

  void open() {
    auto got = cluster::open_door(system, {"127.0.0.1", 0}, false,
                                  frame_bytes_max, answer);
    BOOST_REQUIRE(got.ok());
    door = *std::move(got);
  }

  caf::actor actor;
  greeted answer;
  cluster::door door;
};

result<greeted> dial_to(
  std::vector<cluster::endpoint> to,
  std::function<status(const greeted&)> accept = [](const greeted&) {
    return status{};
  }) {
  node_system here;
  auto dialer = cluster::spawn_dialer(
    here.system, {std::move(to), false, std::move(accept)});
  result<greeted> out{errc::timed_out, "no answer at all"};
  {
    caf::scoped_actor self{here.system};
    self->request(dialer, 60s, dial{})
      .receive(
        [&](greeted& x) {
          BOOST_TEST(static_cast<bool>(x.coordinator));
          x.coordinator = nullptr;
          out = std::move(x);
        },
        [&](const caf::error& why) { out = to_status(why); });
  }
  caf::anon_send_exit(dialer, caf::exit_reason::user_shutdown);
  dialer = nullptr;
  return out;
}

class bare_client {
public:
  explicit bare_client(std::uint16_t port)
    : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(port);
    BOOST_REQUIRE(::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof(to))
                  == 0);
  }
  ~bare_client() { ::close(fd_); }
  bare_client(const bare_client&) = delete;

  void send(const std::string& bytes) {
    ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

  /// Whether the other side hangs up.
  bool is_cut_off() {
    char some[4096];
    pollfd wait{fd_, POLLIN, 0};
    while (::poll(&wait, 1, 20'000) == 1)
      if (::recv(fd_, some, sizeof(some), 0) <= 0)
        return true;
    return false;
  }

private:
  int fd_;
};

/// As far as CAF reads before it trusts the length in it.
std::string frame_header(char kind, std::uint32_t payload_bytes) {
  std::string out(32, '\0');
  out[0] = kind;
  for (int i = 0; i < 4; ++i)
    out[static_cast<std::size_t>(4 + i)] =
      static_cast<char>(payload_bytes >> (8 * (3 - i)));
  return out;
}

std::size_t peak_bytes() {
  std::ifstream in{"/proc/self/status"};
  for (std::string word; in >> word;)
    if (std::size_t kib = 0; word == "VmHWM:" && in >> kib)
      return kib << 10;
  return 0;
}

} // namespace

BOOST_AUTO_TEST_SUITE(cluster_dialer)

BOOST_AUTO_TEST_CASE(a_dial_finds_the_coordinator) {
  coordinator_system there;
  there.open();
  auto got = dial_to({{"127.0.0.1", there.door.port}});
  BOOST_REQUIRE(got.ok());
  BOOST_TEST(got->node.str() == "c");
  BOOST_TEST(got->cluster == "one");
}

BOOST_AUTO_TEST_CASE(the_second_address_is_tried_when_the_first_is_silent) {
  coordinator_system gone, there;
  gone.open();
  caf::anon_send_exit(gone.door.keeper, caf::exit_reason::user_shutdown);
  there.open();
  auto got = dial_to({{"127.0.0.1", 1}, {"127.0.0.1", there.door.port}});
  BOOST_TEST(got.ok());
}

BOOST_AUTO_TEST_CASE(a_worker_is_no_coordinator) {
  coordinator_system there;
  there.answer.role = "worker";
  there.answer.coordinator = nullptr;
  there.open();
  auto got = dial_to({{"127.0.0.1", there.door.port}});
  BOOST_REQUIRE(!got.ok());
  BOOST_TEST((got.error().code == errc::unsupported));
  BOOST_TEST(got.error().message.find("is a worker") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_coordinator_that_starts_is_asked_again_later) {
  coordinator_system there;
  there.answer.coordinator = nullptr;
  there.open();
  auto got = dial_to({{"127.0.0.1", there.door.port}});
  BOOST_REQUIRE(!got.ok());
  BOOST_TEST((got.error().code == errc::unavailable));

  there.answer.coordinator = there.actor;
  caf::anon_send(there.door.keeper, there.answer);
  BOOST_TEST(dial_to({{"127.0.0.1", there.door.port}}).ok());
}

BOOST_AUTO_TEST_CASE(another_protocol_is_refused_and_both_numbers_named) {
  coordinator_system there;
  there.answer.protocol = cluster_protocol + 7;
  there.open();
  auto got = dial_to({{"127.0.0.1", there.door.port}});
  BOOST_REQUIRE(!got.ok());
  BOOST_TEST((got.error().code == errc::unsupported));
  BOOST_TEST(got.error().message.find(std::to_string(cluster_protocol + 7))
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(another_cluster_is_refused_in_the_words_given) {
  coordinator_system there;
  there.open();
  auto got = dial_to({{"127.0.0.1", there.door.port}}, [](const greeted& x) {
    return make_status(errc::foreign_data, "not " + x.cluster);
  });
  BOOST_REQUIRE(!got.ok());
  BOOST_TEST((got.error().code == errc::foreign_data));
  BOOST_TEST(got.error().message == "not one");
}

BOOST_AUTO_TEST_CASE(a_port_nobody_has_is_unavailable) {
  auto got = dial_to({{"127.0.0.1", 1}});
  BOOST_REQUIRE(!got.ok());
  BOOST_TEST((got.error().code == errc::unavailable));
}

BOOST_AUTO_TEST_CASE(a_taken_port_cannot_be_opened) {
  coordinator_system there, other;
  there.open();
  auto got = cluster::open_door(other.system, {"127.0.0.1", there.door.port},
                                false, frame_bytes_max, other.answer);
  BOOST_REQUIRE(!got.ok());
  BOOST_TEST((got.error().code == errc::in_use));
}

BOOST_AUTO_TEST_CASE(a_huge_frame_is_cut_off_before_it_takes_memory) {
  coordinator_system there;
  there.open();
  auto before = peak_bytes();
  for (char kind = 0; kind < 8; ++kind)
    for (std::uint32_t bytes : {0x7FFFFFFFu, 0xFFFFFFFFu, 2u << 20}) {
      bare_client x{there.door.port};
      x.send(frame_header(kind, bytes));
      BOOST_TEST(x.is_cut_off(), "kind " << int{kind} << ", " << bytes);
    }
  BOOST_TEST(peak_bytes() - before < (std::size_t{64} << 20));
  BOOST_TEST(dial_to({{"127.0.0.1", there.door.port}}).ok());
}

BOOST_AUTO_TEST_CASE(random_bytes_disturb_nobody) {
  coordinator_system there;
  there.open();
  test::seeded random{7};
  for (int i = 0; i < 50; ++i) {
    bare_client x{there.door.port};
    x.send(random.bytes(1 + random.below(4096)));
  }
  BOOST_TEST(dial_to({{"127.0.0.1", there.door.port}}).ok());
}

BOOST_AUTO_TEST_SUITE_END()
