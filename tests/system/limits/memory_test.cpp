// SPDX-License-Identifier: MIT
// Goal: what the daemon needs is bounded (R5; field case BR-037): idle, for
// each idle run, for viewers that never read, and for connections that come and
// go. Method: resident memory and descriptors of a real daemon.
#include "tests/support/agents.hpp"
#include "tests/support/run_log.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

namespace baton::test {
namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

void start_idle_runs(const daemon& d, int count,
                     std::vector<std::string>& ids) {
  for (int i = 0; i < count; ++i)
    ids.push_back(d.create("echo up; exec sleep 600"));
  for (const auto& id : ids)
    d.wait_for_entries(id, 1);
}

} // namespace

BOOST_AUTO_TEST_SUITE(system_memory)

BOOST_AUTO_TEST_CASE(an_idle_run_costs_at_most_16_KiB) {
  daemon d;
  d.start();
  BOOST_TEST(d.resident() < memory_bound(64 * mib));
  std::vector<std::string> ids;
  // Pools and arenas grow in steps: compare when they have been used.
  start_idle_runs(d, 100, ids);
  auto before = d.resident();
  start_idle_runs(d, 200, ids);
  auto after = d.resident();
  BOOST_TEST(after <= before + memory_bound(200 * 16 * kib));
}

// BR-037.
BOOST_AUTO_TEST_CASE(viewers_that_never_read_cost_no_memory_and_slow_nobody) {
  daemon d;
  d.start();
  auto at_start = d.resident();
  auto run = d.create(
    wait_for_file(d.file("go"))
    + "exec perl -e '$x=\"x\"x990; for $n (1..500000) { printf "
      "\"{\\\"n\\\":%07d,\\\"x\\\":\\\"%s\\\"}\\n\", $n, substr($x,0,980) }'");
  std::vector<event_stream> stuck;
  for (int i = 0; i < 50; ++i)
    stuck.push_back(
      event_stream{d.port(), daemon::path(run, "/events"), {}, 4096});
  auto good = d.view(run);
  good.pump_until([&] { return good.status() == 200; });
  write_file(d.file("go"), "");
  BOOST_TEST(good.pump_to_end(240s));
  BOOST_TEST(good.events().size() == 500'001u);
  BOOST_TEST(peak_resident_bytes(d.pid()) < at_start + memory_bound(64 * mib));
}

// BR-037.
BOOST_AUTO_TEST_CASE(
  descriptors_return_after_connections_that_only_come_and_go) {
  daemon d;
  d.start();
  auto run = d.create("for n in 1 2 3; do echo $n; done; exec sleep 600");
  d.wait_for_entries(run, 3);
  auto before = open_files(d.pid());
  for (int i = 0; i < 1000; ++i)
    d.view(run);
  BOOST_TEST(wait_until([&] { return open_files(d.pid()) <= before; }));
  BOOST_TEST(
    wait_until([&] { return d.record(run).at("viewers").as_int64() == 0; }));
  auto viewer = d.view(run, "?from=1");
  BOOST_TEST(viewer.pump_until([&] { return viewer.events().size() == 2; }));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
