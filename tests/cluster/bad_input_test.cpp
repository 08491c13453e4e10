// SPDX-License-Identifier: MIT
// Goal: whoever joins wrongly is told so in one line, and whatever comes to a
// cluster port, those who work there are undisturbed.
// Method: wrong addresses, foreign data directories, names in use, noise.
#include "tests/cluster/judge.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <random>

namespace baton::test {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != text.npos;
}

/// Of the log, those that tell of a fault.
std::vector<std::string> complaints(const std::string& log) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < log.size();) {
    auto end = std::min(log.find('\n', at), log.size());
    auto line = log.substr(at, end - at);
    if (!has(line, " info ") && !line.empty())
      out.push_back(line);
    at = end + 1;
  }
  return out;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const auto& x : lines)
    out += x + "\n";
  return out;
}

/// `d` does not get ready and says why, in one line with `part` in it.
void expect_waits(daemon& d, std::vector<std::string> args,
                  const std::string& part) {
  d.begin(std::move(args));
  BOOST_TEST(wait_until([&] { return !complaints(d.log()).empty(); }));
  pause(1500ms); // It tries again meanwhile, and does not repeat itself.
  auto said = complaints(d.log());
  BOOST_TEST(said.size() == 1U, joined(said));
  BOOST_TEST(has(said.front(), part), said.front());
  BOOST_TEST(d.alive());
  BOOST_TEST(d.life().out() == "");
}

/// `d` ends with 2, and its last line has `part` in it.
void expect_refused(daemon& d, std::vector<std::string> args,
                    const std::string& part) {
  d.begin(std::move(args));
  auto end = d.life().wait(30s);
  BOOST_TEST(end.exit == 2);
  BOOST_TEST(end.out == "");
  auto said = complaints(end.err);
  BOOST_TEST_REQUIRE(!said.empty());
  BOOST_TEST(has(said.back(), part), joined(said));
  BOOST_TEST_MESSAGE(joined(said));
}

/// Sends `bytes` and waits for the other end to close, for a while.
void send_noise(std::uint16_t port, std::string_view bytes) {
  http::test::client peer{port};
  peer.send(bytes);
  peer.sees_end(1s);
}

std::uint16_t port_of(const std::string& address) {
  return static_cast<std::uint16_t>(
    std::stoul(address.substr(address.rfind(':') + 1)));
}

/// A frame of BASP: kind, flags, the payload's length, three numbers.
std::string frame_head(unsigned kind, std::uint32_t length) {
  std::string out(32, '\0');
  out[0] = static_cast<char>(kind);
  for (unsigned i = 0; i < 4; ++i)
    out[4 + i] = static_cast<char>(length >> (24 - 8 * i));
  return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(cluster_bad_input)

BOOST_AUTO_TEST_CASE(a_worker_is_told_where_it_went_wrong) {
  cluster c{{.workers = 1}};
  auto run = c.count(1, 1, 100, 20);
  auto own = [](const std::string& where) {
    return std::vector<std::string>{"--node-id", "lost", "--join", where};
  };
  {
    daemon d;
    expect_waits(d, own(c.coordinator().told("http")), "");
    BOOST_TEST_MESSAGE(d.log());
  }
  {
    daemon other;
    auto args = c.worker_args(2);
    args.insert(args.end(), {"--cluster", "127.0.0.1:0"});
    other.start(args);
    daemon d;
    expect_refused(d, own(other.cluster_address()), "join its coordinator");
  }
  {
    daemon d;
    expect_refused(d,
                   {"--node-id", "n1", "--lease", "1s", "--join",
                    c.coordinator().cluster_address()},
                   "--node-id");
  }
  c.node(1).wait_for_end(run);
  judge(c, run, 100);
  BOOST_TEST(claims_of(c.node(1), run).size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_worker_waits_for_its_coordinator) {
  daemon hub;
  hub.start({"--node-id", "hub", "--cluster", "127.0.0.1:0"});
  auto address = hub.cluster_address();
  hub.kill9();
  daemon d;
  expect_waits(d, {"--node-id", "early", "--join", address}, address);
  hub.restart();
  BOOST_TEST(d.wait_ready());
  BOOST_TEST(d.get("/readyz").status == 200);
}

BOOST_AUTO_TEST_CASE(a_data_directory_serves_one_cluster_in_one_role) {
  daemon one;
  one.start({"--node-id", "one", "--cluster", "127.0.0.1:0"});
  daemon two;
  two.start({"--node-id", "two", "--cluster", "127.0.0.1:0"});
  daemon d;
  d.start({"--node-id", "d", "--join", one.cluster_address()});
  d.stop();
  expect_refused(d, {"--node-id", "d", "--join", two.cluster_address()},
                 "belongs to cluster");
  expect_refused(d, {"--node-id", "d", "--cluster", "127.0.0.1:0"},
                 "is a worker's");
  two.stop();
  expect_refused(two, {"--node-id", "two", "--join", one.cluster_address()},
                 "is a coordinator's");
  // What was refused left nothing changed.
  d.start({"--node-id", "d", "--join", one.cluster_address()});
  two.start({"--node-id", "two", "--cluster", "127.0.0.1:0"});
}

BOOST_AUTO_TEST_CASE(noise_at_the_cluster_port_disturbs_nobody) {
  cluster c{{.workers = 2}};
  auto run = c.count(2, 1, 300, 20);
  watcher viewer{c.node(2), run};
  BOOST_TEST(viewer.pump_until([&] { return viewer.last() > 10; }));
  auto port = port_of(c.coordinator().cluster_address());
  auto before = c.coordinator().resident();
  std::mt19937 draw{20261129};
  for (int round = 0; round < 3; ++round) {
    std::string noise(64 * 1024, '\0');
    std::ranges::generate(noise, [&] { return static_cast<char>(draw()); });
    send_noise(port, noise);
  }
  send_noise(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  auto noisy = peak_resident_bytes(c.coordinator().pid());
  for (unsigned kind = 0; kind < 7; ++kind)
    for (auto length : {0xffff'ffffU, 0x7fff'ffffU, 0x2000'0000U})
      send_noise(port, frame_head(kind, length));
  auto after = peak_resident_bytes(c.coordinator().pid());
  BOOST_TEST_MESSAGE("peak memory: " << before / 1024 << " KiB before, "
                                     << noisy / 1024 << " behind noise, "
                                     << after / 1024 << " behind long frames");
  BOOST_TEST_REQUIRE(c.coordinator().alive());
  BOOST_TEST(noisy < memory_bound(before + (32U << 20)));
  BOOST_TEST(after < memory_bound(before + (32U << 20)));
  BOOST_TEST(viewer.pump_to_end());
  judge(c, run, 300, {&viewer});
  BOOST_TEST(claims_of(c.coordinator(), run).size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
