// SPDX-License-Identifier: MIT
// Goal: a reader of a journal that is not there is told why, or waits in bounds
// (B11). Method: every kind of record against the pure decision, then requests
// to a gateway whose coordinator is played.
#include "actors/gateway/attach_preflight.hpp"

#include "tests/actors/gateway/node_fixture.hpp"
#include "tests/actors/gateway/pure_fixture.hpp"

#include "messages/caf_types.hpp"

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>

using namespace baton;
using namespace baton::http;
using namespace baton::http::test;
using namespace std::chrono_literals;

namespace {

constexpr mono_time start{1h};

enum class had : std::uint8_t { nothing, launch, bytes, outside };
constexpr std::array all_had{had::nothing, had::launch, had::bytes,
                             had::outside};
constexpr std::array all_status{run_status::running, run_status::interrupted,
                                run_status::completed, run_status::failed,
                                run_status::aborted};

run_view view_of(run_status s, had what, bool detached = false) {
  auto out = make_view("r");
  auto& state = out.record.state;
  state.status = s;
  if (detached)
    state.detached_since = wall_time{1s};
  if (what == had::launch)
    state.sandbox.id = "box";
  if (what == had::bytes)
    state.last_seq = seq{1};
  if (what == had::outside) {
    auto spec = *out.record.spec;
    spec.external = true;
    out.record.spec = std::make_shared<const run_spec>(std::move(spec));
  }
  return out;
}

result<run_view> no(errc code) {
  return make_status(code, "played");
}

} // namespace

BOOST_AUTO_TEST_SUITE(gateway_attach_preflight)

BOOST_AUTO_TEST_CASE(every_record_at_first_sight) {
  for (auto s : all_status)
    for (auto what : all_had)
      BOOST_TEST_CONTEXT(to_string(s) << ' ' << static_cast<int>(what)) {
        attach_preflight preflight{start};
        auto got = preflight.look(view_of(s, what), start);
        auto wanted = what != had::nothing ? attach_verdict::attach
                      : is_terminal(s)     ? attach_verdict::refuse
                                           : attach_verdict::wait;
        BOOST_TEST((got == wanted));
        if (got != attach_verdict::refuse)
          continue;
        BOOST_TEST((preflight.why().code == errc::terminal));
        BOOST_TEST(preflight.http_status() == 410);
        BOOST_TEST(!preflight.detached().has_value());
      }
}

BOOST_AUTO_TEST_CASE(an_end_without_a_launch_says_what_happened) {
  auto ended = view_of(run_status::aborted, had::nothing);
  ended.record.state.error = {errc::cancelled, "somebody cancelled it"};
  attach_preflight preflight{start};
  BOOST_TEST((preflight.look(ended, start) == attach_verdict::refuse));
  auto& text = preflight.why().message;
  BOOST_TEST(text.find("aborted") != text.npos);
  BOOST_TEST(text.find("somebody cancelled it (cancelled)") != text.npos);
}

BOOST_AUTO_TEST_CASE(the_wait_ends_at_10_s_and_tells_whether_it_was_detached) {
  for (auto s : {run_status::running, run_status::interrupted})
    for (bool detached : {false, true}) {
      attach_preflight preflight{start};
      auto first = view_of(s, had::nothing, detached);
      BOOST_TEST((preflight.look(first, start) == attach_verdict::wait));
      // Who waits may count as a viewer meanwhile.
      auto now = view_of(s, had::nothing, false);
      BOOST_TEST((preflight.look(now, start + attach_wait_max - 1ms)
                  == attach_verdict::wait));
      BOOST_TEST((preflight.look(now, start + attach_wait_max)
                  == attach_verdict::refuse));
      BOOST_TEST((preflight.why().code == errc::journal_timeout));
      BOOST_TEST(preflight.http_status() == 0);
      BOOST_TEST(preflight.detached().value() == detached);
    }
}

BOOST_AUTO_TEST_CASE(a_launch_or_an_end_in_between_decides_even_when_late) {
  for (auto at : {100ms, 9'999ms, 60'000ms}) {
    attach_preflight preflight{start};
    auto waits = view_of(run_status::running, had::nothing);
    BOOST_TEST((preflight.look(waits, start) == attach_verdict::wait));
    auto launched = view_of(run_status::running, had::launch);
    BOOST_TEST(
      (preflight.look(launched, start + at) == attach_verdict::attach));

    attach_preflight other{start};
    BOOST_TEST((other.look(waits, start) == attach_verdict::wait));
    auto ended = view_of(run_status::aborted, had::nothing);
    BOOST_TEST((other.look(ended, start + at) == attach_verdict::refuse));
    BOOST_TEST((other.why().code == errc::terminal));
  }
}

BOOST_AUTO_TEST_CASE(a_record_that_cannot_be_asked_is_waited_for) {
  attach_preflight first{start};
  BOOST_TEST(
    (first.look(no(errc::unavailable), start) == attach_verdict::refuse));
  BOOST_TEST((first.why().code == errc::unavailable));

  auto waits = view_of(run_status::running, had::nothing, true);
  for (auto code : {errc::unavailable, errc::timed_out}) {
    attach_preflight preflight{start};
    BOOST_TEST((preflight.look(waits, start) == attach_verdict::wait));
    BOOST_TEST((preflight.look(no(code), start + 1s) == attach_verdict::wait));
    BOOST_TEST(
      (preflight.look(no(code), start + 10s) == attach_verdict::refuse));
    BOOST_TEST((preflight.why().code == errc::journal_timeout));
    BOOST_TEST(preflight.detached().value());
  }

  attach_preflight removed{start};
  BOOST_TEST((removed.look(waits, start) == attach_verdict::wait));
  BOOST_TEST((removed.look(no(errc::unknown_run), start + 1s)
              == attach_verdict::refuse));
  BOOST_TEST((removed.why().code == errc::unknown_run));
}

// -- over HTTP ----------------------------------------------------------------

namespace {

/// Launches the run at the fourth look at it, but for what is named otherwise.
caf::behavior played(caf::event_based_actor*,
                     std::shared_ptr<std::atomic<int>> looks) {
  return {
    [=](const get_run& x) -> caf::result<run_view> {
      auto n = ++*looks;
      if (x.run.str() == "unknown")
        return to_caf_error(make_status(errc::unknown_run, "played"));
      if (x.run.str() == "ended")
        return view_of(run_status::failed, had::nothing);
      return view_of(run_status::running, n < 4 ? had::nothing : had::launch);
    },
    [=](const read_entries&) {
      entry_page page;
      page.view.push_back(view_of(run_status::running, had::launch));
      return page;
    },
  };
}

} // namespace

BOOST_AUTO_TEST_CASE(a_request_waits_for_the_launch_or_is_refused_at_once) {
  system_fixture actors;
  auto looks = std::make_shared<std::atomic<int>>(0);
  auto coordinator = actors.system().spawn(played, looks);
  auto server = gateway::start(actors.system(), {}, coordinator, coordinator,
                               [] { return status{}; });
  BOOST_REQUIRE(server.ok());
  auto ask = [&](const std::string& target) {
    client c{(*server)->port()};
    c.send(request("GET", target));
    return c.read();
  };

  BOOST_TEST(ask("/v1/runs/unknown/journal").status == 404);
  BOOST_TEST(looks->load() == 1);
  auto gone = ask("/v1/runs/ended/journal");
  BOOST_TEST(gone.status == 410);
  BOOST_TEST(gone.body.find(R"("code":"terminal")") != std::string::npos);
  BOOST_TEST(looks->exchange(0) == 2);
  auto served = ask("/v1/runs/r/journal");
  BOOST_TEST(served.status == 200);
  BOOST_TEST(served.whole);
  BOOST_TEST(served.body.empty());
  BOOST_TEST(looks->load() == 4);

  (*server)->stop();
  caf::anon_send_exit(coordinator, caf::exit_reason::user_shutdown);
}

BOOST_AUTO_TEST_SUITE_END()
