// SPDX-License-Identifier: MIT
// Goal: behind mutual TLS only nodes of the cluster's own authority get in, and
// whoever else knocks disturbs nobody. Method: real daemons, real certificates,
// strangers of every kind beside a run that must not notice.
#include "tests/cluster_tls/authority.hpp"
#include "tests/support/agents.hpp"
#include "tests/support/run_log.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <random>

namespace baton::test {
namespace {

using words = std::vector<std::string>;

/// A handshake that a busy machine draws out over a heartbeat fails and is
/// tried again, so that joining takes a while there.
constexpr auto patience = 120s;

words operator+(words a, const words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct tls_cluster {
  tls_cluster() {
    ours.issue("hub");
    ours.issue("one");
    hub.start(words{"--node-id", "hub", "--cluster", "127.0.0.1:0"}
              + ours.flags("hub"));
    one.start(joining("one") + words{"--cluster", "127.0.0.1:0"}
              + ours.flags("one"));
  }

  words joining(const std::string& name) const {
    return {"--node-id", name, "--join", hub.cluster_address()};
  }

  std::string state_of(const std::string& node) const {
    auto list = json::parse(hub.get("/v1/nodes").body).at("nodes").as_array();
    for (const auto& x : list)
      if (x.at("node_id").as_string() == node)
        return json::value_to<std::string>(x.at("state"));
    return "unknown";
  }

  temp_dir certificates;
  authority ours{certificates.path(), "ca"};
  daemon hub;
  daemon one;
};

/// A run on the cluster's worker that nobody may disturb.
class undisturbed_run {
public:
  explicit undisturbed_run(const tls_cluster& c)
    : cluster_(c),
      run_(c.hub.create(counter(1'000'000, 20, c.hub.file("stop")),
                        {{"node", "one"}})) {
    c.hub.wait_for_entries(run_, 3, patience);
  }

  /// It goes on, still under its first claim.
  void expect_goes_on() const {
    auto entries = cluster_.hub.record(run_).at("entries");
    cluster_.hub.wait_for_entries(run_, entries.to_number<std::int64_t>() + 10,
                                  patience);
    auto now = cluster_.hub.record(run_);
    BOOST_TEST(now.at("epoch").to_number<int>() == 1);
    BOOST_TEST(now.at("node").as_string() == "one");
    BOOST_TEST(cluster_.state_of("one") == "live");
  }

  void expect_ends_well() const {
    write_file(cluster_.hub.file("stop"), "");
    auto end = cluster_.hub.wait_for_end(run_, patience);
    BOOST_TEST(end.at("status").as_string() == "completed");
    expect_invariants(cluster_.hub, run_);
    expect_invariants(cluster_.one, run_);
  }

private:
  const tls_cluster& cluster_;
  std::string run_;
};

bool says(const daemon& d, std::string_view text) {
  return d.log().find(text) != std::string::npos;
}

/// One daemon that the cluster must not let in.
struct stranger {
  std::string name;
  words tls;
  daemon node = {};

  bool is_told() const { return says(node, "--tls-* files"); }
};

/// It did not get in, and its operator was told why not, once.
void expect_outside(const tls_cluster& c, stranger& x) {
  BOOST_TEST_CONTEXT(x.name << ": " << x.node.log()) {
    BOOST_TEST(x.node.alive());
    BOOST_TEST(!x.node.wait_ready(0ms));
    BOOST_TEST(std::ranges::count(x.node.log(), '\n') == 1);
    BOOST_TEST(c.state_of(x.name) == "unknown");
  }
}

void expect_one_line(const finished& refused, const std::string& about) {
  BOOST_TEST(refused.exit == 2);
  BOOST_TEST(refused.out.empty());
  BOOST_TEST(std::ranges::count(refused.err, '\n') == 1, refused.err);
  BOOST_TEST(refused.err.starts_with("batond: "), refused.err);
  BOOST_TEST(refused.err.find(about) != std::string::npos, refused.err);
}

std::uint16_t cluster_port(const daemon& d) {
  auto address = d.cluster_address();
  return static_cast<std::uint16_t>(
    std::stoul(address.substr(address.rfind(':') + 1)));
}

std::string random_bytes(std::mt19937& random, std::size_t count) {
  std::string out(count, '\0');
  for (auto& c : out)
    c = static_cast<char>(random());
  return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(cluster_tls)

BOOST_AUTO_TEST_CASE(a_cluster_with_mutual_tls_drives_runs_on_its_workers) {
  tls_cluster c;
  auto run = c.hub.create("echo one; echo two", {{"node", "one"}});

  auto end = c.one.wait_for_end(run, patience);

  BOOST_TEST(end.at("status").as_string() == "completed");
  BOOST_TEST(end.at("node").as_string() == "one");
  BOOST_TEST(read_journal(c.one, run) == "one\ntwo\n");
  expect_invariants(c.hub, run);
  expect_invariants(c.one, run);
}

BOOST_AUTO_TEST_CASE(strangers_never_join_are_told_why_and_disturb_nobody) {
  tls_cluster c;
  undisturbed_run run{c};
  authority theirs{c.certificates.path(), "other-ca"};
  theirs.issue("theirs");
  c.ours.issue("expired", -1);
  std::vector<std::unique_ptr<stranger>> all;
  auto add = [&](std::string name, words tls) {
    all.push_back(std::make_unique<stranger>());
    all.back()->name = std::move(name);
    all.back()->tls = std::move(tls);
  };
  add("plain", {});
  add("of-another-authority", theirs.flags("theirs"));
  // It trusts us, and is not trusted.
  add("disguised", theirs.flags("theirs", c.ours));
  // It has our certificate, and does not trust us.
  c.ours.issue("doubtful");
  add("doubtful", c.ours.flags("doubtful", theirs));
  add("expired", c.ours.flags("expired"));

  for (auto& x : all)
    x->node.begin(c.joining(x->name) + x->tls);

  for (auto& x : all)
    BOOST_TEST(wait_until([&] { return x->is_told(); }, patience),
               x->name << ": " << x->node.log());
  // Some more tries of theirs.
  pause(2s);
  for (auto& x : all)
    expect_outside(c, *x);
  run.expect_goes_on();
  run.expect_ends_well();
}

BOOST_AUTO_TEST_CASE(random_bytes_and_silence_at_the_port_disturb_nobody) {
  tls_cluster c;
  undisturbed_run run{c};
  std::mt19937 random{42};
  std::vector<std::unique_ptr<http::test::client>> all;

  for (std::size_t i = 0; i < 40; ++i) {
    const auto& target = i % 2 == 0 ? c.hub : c.one;
    all.push_back(std::make_unique<http::test::client>(cluster_port(target)));
    // Every fourth says nothing at all, and stays.
    auto bytes = random_bytes(random, i / 2 % 4 * 1'000);
    // The beginning of a TLS record, so that the rest is read as one.
    if (i / 2 % 4 == 3)
      bytes.replace(0, 5, std::string{"\x16\x03\x01\x10\x00", 5});
    all.back()->send(bytes);
  }

  run.expect_goes_on();
  c.ours.issue("two");
  daemon two;
  two.begin(c.joining("two") + c.ours.flags("two"));
  BOOST_TEST(two.wait_ready(patience), two.log());
  run.expect_goes_on();
  run.expect_ends_well();
}

BOOST_AUTO_TEST_CASE(a_key_that_breaks_later_keeps_new_nodes_out_until_mended) {
  tls_cluster c;
  undisturbed_run run{c};
  c.ours.issue("two");
  auto key = c.ours.path_of("hub", ".key");
  auto good = content_of(key);
  write_file(key, "no PEM\n");
  daemon two;

  two.begin(c.joining("two") + c.ours.flags("two"));

  BOOST_TEST(wait_until([&] { return says(two, "--tls-* files"); }, patience));
  BOOST_TEST(c.state_of("two") == "unknown");
  run.expect_goes_on();
  write_file(key, good);
  BOOST_TEST(two.wait_ready(patience), two.log());
  run.expect_ends_well();
}

BOOST_AUTO_TEST_CASE(files_that_cannot_be_used_end_the_start_with_one_line) {
  temp_dir folder;
  authority ours{folder.path(), "ca"};
  ours.issue("hub");
  ours.issue("other");
  write_file(folder / "garbage", "no PEM\n");
  daemon d;
  auto start = [&](const std::string& cert, const std::string& key,
                   const std::string& ca) {
    return d.start_in_vain({"--http", "127.0.0.1:0", "--cluster", "127.0.0.1:0",
                            "--tls-cert", folder / cert, "--tls-key",
                            folder / key, "--tls-ca", folder / ca});
  };

  expect_one_line(start("hub.pem", "absent", "ca.pem"), "--tls-key");
  expect_one_line(start("hub.pem", "garbage", "ca.pem"), "--tls-key");
  expect_one_line(start("hub.pem", "other.key", "ca.pem"), "--tls-key");
  expect_one_line(start("garbage", "hub.key", "ca.pem"), "--tls-cert");
  expect_one_line(start("hub.pem", "hub.key", "absent"), "--tls-ca");
  expect_one_line(d.start_in_vain({"--cluster", "127.0.0.1:0", "--tls-cert",
                                   folder / "hub.pem"}),
                  "together");
}

BOOST_AUTO_TEST_CASE(an_open_cluster_port_without_tls_is_refused) {
  daemon d;

  expect_one_line(d.start_in_vain({"--cluster", "0.0.0.0:0"}), "--cluster");
  expect_one_line(d.start_in_vain({"--cluster", "[::]:0"}), "--insecure");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
