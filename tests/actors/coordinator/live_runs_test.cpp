// SPDX-License-Identifier: MIT
// Goal: the active run of a thread (A5) and pages of live runs are the right
// ones. Method: small lists.
#include "actors/coordinator/live_runs.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::coordinator;
using namespace std::chrono_literals;

namespace {

run_view run_of(std::uint64_t no, const std::string& thread, run_status s,
                std::chrono::milliseconds started = 0ms) {
  run_spec spec;
  spec.id = run_id{"r" + std::to_string(no)};
  spec.thread = thread_id{thread};
  spec.started_at = wall_time{started};
  run_view out;
  out.record.spec = std::make_shared<const run_spec>(std::move(spec));
  out.record.state.no = run_no{no};
  out.record.state.status = s;
  return out;
}

std::vector<std::uint64_t> numbers(const run_page& page) {
  std::vector<std::uint64_t> out;
  for (const auto& x : page.runs)
    out.push_back(x.record.state.no.value);
  return out;
}

using list = std::vector<std::uint64_t>;

} // namespace

BOOST_AUTO_TEST_SUITE(coordinator_live_runs)

BOOST_AUTO_TEST_CASE(the_active_run_is_the_running_one_that_started_last) {
  auto running = run_status::running;
  std::vector<run_view> live{run_of(1, "t", running, 5ms),
                             run_of(2, "t", running, 9ms),
                             run_of(3, "t", running, 9ms),
                             run_of(4, "t", running, 7ms),
                             run_of(5, "t", run_status::interrupted, 11ms),
                             run_of(6, "u", running, 12ms)};
  auto got = active_run(live, thread_id{"t"});
  BOOST_REQUIRE(got.has_value());
  BOOST_TEST(got->record.state.no.value == 3U);
  BOOST_TEST(!active_run(live, thread_id{"v"}).has_value());
}

BOOST_AUTO_TEST_CASE(pages_go_on_where_the_last_one_stopped) {
  auto running = run_status::running;
  std::vector<run_view> live{run_of(1, "t", running), run_of(2, "u", running),
                             run_of(4, "t", run_status::interrupted),
                             run_of(7, "t", running)};
  list_runs ask;
  ask.limit = 2;
  auto page = live_page(live, ask);
  BOOST_TEST(numbers(page) == (list{1, 2}), boost::test_tools::per_element());
  BOOST_TEST(page.next.value == 2U);
  ask.after = page.next;
  page = live_page(live, ask);
  BOOST_TEST(numbers(page) == (list{4, 7}), boost::test_tools::per_element());
  BOOST_TEST(page.next.value == 0U);
  ask.after = {};
  ask.thread = thread_id{"t"};
  ask.status = static_cast<std::uint8_t>(running);
  page = live_page(live, ask);
  BOOST_TEST(numbers(page) == (list{1, 7}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
