// SPDX-License-Identifier: MIT
// Goal: a node that is cut off, both ways or one way, and a node whose clock
// is a day ahead, cost a run nothing.
// Method: each node in a network namespace of its own, with an address on a
// bridge; links go down, and frames go nowhere. Skipped where the machine does
// not allow it.
#include "tests/cluster/judge.hpp"
#include "tests/cluster/network.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <memory>
#include <optional>

namespace baton::test {
namespace {

using steady = std::chrono::steady_clock;

bool skipped() {
  auto why = network::impossible();
  if (!why.empty())
    BOOST_TEST_MESSAGE("skipped: no network namespaces here: " << why);
  return !why.empty();
}

/// A coordinator on host 0, workers on the others; each is asked from inside
/// of its own namespace.
class islands {
public:
  explicit islands(int hosts) : net_(hosts), nodes_(at(hosts)) {
    for (int i = 0; i < hosts; ++i) {
      network::visit inside{net_, i};
      nodes_[at(i)] = std::make_unique<daemon>();
      node(i).start(args_of(i));
    }
  }

  network& net() { return net_; }
  daemon& node(int i) { return *nodes_[at(i)]; }

  template <class F>
  auto in(int i, F&& f) {
    network::visit inside{net_, i};
    return f(node(i));
  }

  std::string count(int through, const std::string& on, int count,
                    int pause_ms) {
    return in(through, [&](daemon& d) {
      return d.create("echo $$ >> '" + launches() + "'; "
                        + counter(count, pause_ms),
                      {{"node", on}});
    });
  }

  /// What all nodes say in the end, once they can all be reached.
  void judge_all(const std::string& run, std::int64_t lines,
                 const std::vector<const watcher*>& viewers) {
    for (int i = 0; i < static_cast<int>(nodes_.size()); ++i)
      in(i, [&](daemon& d) {
        expect_invariants(d, run);
        auto claims = claims_of(d, run);
        judge_log(read_log(d, run), claims, lines);
        return 0;
      });
    for (const auto* x : viewers) {
      BOOST_TEST(x->fault() == "");
      BOOST_TEST(x->ended());
      BOOST_TEST(x->last() == lines);
    }
    auto pids = content_of(launches());
    BOOST_TEST(std::ranges::count(pids, '\n') == 1);
  }

private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::string launches() const { return dir_ / "launches"; }

  std::vector<std::string> args_of(int i) const {
    std::vector<std::string> out{
      "--node-id",    "n" + std::to_string(i), "--lease",   "2s",
      "--host-label", "one-machine",           "--insecure"};
    auto here = network::address(i) + ":0";
    if (i == 0)
      out.insert(out.end(), {"--cluster", here});
    else
      out.insert(out.end(), {"--join", nodes_[0]->cluster_address()});
    return out;
  }

  test::temp_dir dir_;
  network net_;
  std::vector<std::unique_ptr<daemon>> nodes_;
};

/// Cuts the driver off by `cut`, waits for its successor, heals.
void expect_survives(const std::function<void(network&)>& cut,
                     const std::function<void(network&)>& heal) {
  islands c{3};
  constexpr auto lines = 250;
  auto run = c.count(2, "n1", lines, 40);
  std::optional<watcher> far;
  std::optional<watcher> cut_off;
  c.in(2, [&](daemon& d) { return &far.emplace(d, run); });
  c.in(1, [&](daemon& d) { return &cut_off.emplace(d, run); });
  BOOST_TEST_REQUIRE(far->pump_until([&] { return far->last() >= 30; }));
  cut(c.net());
  auto start = steady::now();
  BOOST_TEST(far->pump_until([&] { return far->last_epoch() > 1; }));
  BOOST_TEST_MESSAGE("cut to the successor's first entry, lease 2 s: "
                     << seconds_since(start) << " s");
  auto seen = far->last();
  BOOST_TEST(far->pump_until([&] { return far->last() > seen + 20; }));
  heal(c.net());
  // Its stream stayed open: what it missed comes over the healed link.
  BOOST_TEST(pump_all(
    {&*far, &*cut_off}, [&] { return far->ended() && cut_off->ended(); }, 90s));
  BOOST_TEST(cut_off->breaks() == 0);
  BOOST_TEST(far->breaks() == 0);
  BOOST_TEST(c.in(0, [](daemon& d) {
    return wait_until([&] { return state_of(d, "n1") == "live"; }, 30s);
  }));
  c.judge_all(run, lines, {&*far, &*cut_off});
}

} // namespace

BOOST_AUTO_TEST_SUITE(cluster_cuts)

BOOST_AUTO_TEST_CASE(a_driver_whose_link_is_down_is_replaced_and_comes_back) {
  if (skipped())
    return;
  expect_survives([](network& n) { n.cut(1); }, [](network& n) { n.heal(1); });
}

BOOST_AUTO_TEST_CASE(a_driver_that_hears_and_is_not_heard_is_replaced) {
  if (skipped())
    return;
  expect_survives([](network& n) { n.lose(1, 0); },
                  [](network& n) { n.stop_losing(1, 0); });
}

BOOST_AUTO_TEST_CASE(a_driver_that_is_heard_and_does_not_hear_loses_nothing) {
  if (skipped())
    return;
  islands c{3};
  auto run = c.count(2, "n1", 200, 40);
  std::optional<watcher> far;
  c.in(2, [&](daemon& d) { return &far.emplace(d, run); });
  BOOST_TEST_REQUIRE(far->pump_until([&] { return far->last() >= 30; }));
  c.net().lose(0, 1);
  // Without acknowledgements its connection stalls; the rest is one lease.
  BOOST_TEST(far->pump_until([&] { return far->last_epoch() > 1; }));
  c.net().stop_losing(0, 1);
  BOOST_TEST(far->pump_to_end(90s));
  BOOST_TEST(c.in(0, [](daemon& d) {
    return wait_until([&] { return state_of(d, "n1") == "live"; }, 30s);
  }));
  c.judge_all(run, 200, {&*far});
}

BOOST_AUTO_TEST_CASE(a_node_whose_clock_is_a_day_ahead_drives_like_any_other) {
  const std::string day_ahead =
    "set -- unshare --time --monotonic 86400 --boottime 86400 --fork "
    "--kill-child -- \"$@\"";
  process probe{
    {"/bin/sh", "-c", day_ahead + "; exec \"$@\"", "sh", "/bin/true"},
    {.env = {"PATH=/usr/bin:/bin"}}};
  if (auto done = probe.wait(); done.exit != 0) {
    BOOST_TEST_MESSAGE("skipped: no time namespaces here: " << done.err);
    return;
  }
  cluster c{{.workers = 1, .lease = "2s"}};
  auto& ahead = c.add_node();
  ahead.start(c.worker_args(2), {}, day_ahead);
  auto there = c.count(1, 2, 80, 40);
  auto back = c.count(1, 1, 200, 40);
  watcher viewer{ahead, there};
  BOOST_TEST_REQUIRE(viewer.pump_until([&] { return viewer.last() >= 20; }));
  // Both ways: to the early clock and from it.
  BOOST_TEST(viewer.pump_to_end());
  BOOST_TEST(claims_of(c.node(1), there).size() == 1U);
  auto moved =
    c.node(1).request("POST", daemon::path(back, "/takeover"),
                      R"({"node":"n2"})", "Content-Type: application/json\r\n");
  BOOST_TEST(moved.status == 200, moved.body);
  c.node(1).wait_for_entries(back, entries_at(c.node(1), back) + 10);
  ahead.kill9();
  c.node(1).wait_for_end(back);
  judge(c, there, 80, {&viewer});
  judge(c, back, 200);
  BOOST_TEST(claims_of(c.node(1), back).size() == 3U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
