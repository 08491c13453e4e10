// SPDX-License-Identifier: MIT
// Goal: whatever node dies, and whenever between create, set-up, launch, cancel
// and destroy, in the end every run has ended and nothing is left of it (I9,
// I10, I11, BR-039).
// Method: one cluster, seeded rounds of a run and a kill -9 each; at the end a
// look at processes, folders, lists and guards. BATON_RECLAIM_ROUNDS says how
// many; without it as many as fit into 45 s.
#include "tests/messages/seeded.hpp"
#include "tests/reclaim/traces.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <cstdlib>

namespace baton::test {
namespace {

using steady = std::chrono::steady_clock;

struct wish {
  json::object request;
  bool cancel = false;
  bool created = false;
  bool cancelled = false;
};

/// A run of each kind that can go wrong in its own way.
wish wish_of(std::uint64_t n, seeded& random) {
  wish out;
  auto& x = out.request;
  x["run_id"] = "round-" + std::to_string(n);
  switch (random.below(7)) {
  case 0:
    x["command"] = "echo quick";
    break;
  case 1:
    x["command"] = "echo on; exec sleep 1000";
    out.cancel = true;
    break;
  case 2:
    x["command"] = json::array{"/nonexistent/agent"};
    break;
  case 3:
    x["command"] = "setsid sleep 1000 & setsid sh -c 'trap \"\" TERM; while :; "
                   "do sleep 1; done' & echo left";
    break;
  case 4:
    x["command"] = "pwd; sleep 0.2";
    x["thread_id"] = "shared-" + std::to_string(n % 3);
    x["sandbox"] = {{"reuse", true},
                    {"destroy_on_complete", true},
                    {"workspace", {{"setup", {{"sleep 0.05"}}}}}};
    break;
  case 5:
    x["command"] = "echo never";
    x["sandbox"] = {{"workspace", {{"setup", {{"sleep 0.1; exit 1"}}}}}};
    break;
  default:
    x["command"] = "exec sleep 1000";
    x["sandbox"] = {{"workspace", {{"setup", {{"sleep 1000"}}}}}};
    out.cancel = true;
  }
  return out;
}

std::string id_of(const wish& x) {
  return json::value_to<std::string>(x.request.at("run_id"));
}

/// Once; a node that is down answers nothing.
void try_on(const daemon& d, wish& x) {
  if (!x.created) {
    auto got = d.create_raw(x.request).status;
    x.created = got == 200 || got == 201;
  }
  if (x.created && x.cancel && !x.cancelled) {
    auto got = d.request("POST", daemon::path(id_of(x), "/cancel")).status;
    x.cancelled = got == 202 || got == 409;
  }
}

bool is_over(const daemon& d, const wish& x) {
  auto got = try_record(d, id_of(x));
  return got && got->contains("finished_at");
}

} // namespace

BOOST_AUTO_TEST_SUITE(reclaim_rounds)

BOOST_AUTO_TEST_CASE(deaths_between_create_and_destroy_leave_nothing) {
  const char* told = std::getenv("BATON_RECLAIM_ROUNDS");
  auto rounds = told == nullptr ? 500UL : std::stoul(told);
  auto until = steady::now() + (told == nullptr ? 45s : 24h);
  cluster c{{.workers = 2,
             .lease = "1s",
             .more = {"--grace", "200ms", "--sweep-interval", "1s"}}};
  std::vector<wish> all;
  for (std::uint64_t n = 0; n < rounds && steady::now() < until; ++n) {
    seeded random{n + 1};
    all.push_back(wish_of(n, random));
    auto& it = all.back();
    auto& through = c.node(random.below(c.size()));
    try_on(through, it);
    pause(millis{random.below(120)});
    auto& victim = c.node(random.below(c.size()));
    victim.kill9();
    if (random.below(2) == 0)
      pause(millis{random.below(120)});
    victim.restart();
    try_on(through, it);
  }
  BOOST_TEST_MESSAGE(all.size() << " rounds");
  BOOST_TEST(all.size() >= 10U);

  for (auto& x : all) {
    BOOST_TEST(wait_until(
      [&] {
        try_on(c.coordinator(), x);
        return x.created && (!x.cancel || x.cancelled);
      },
      60s));
    BOOST_TEST(wait_until([&] { return is_over(c.coordinator(), x); }, 60s),
               id_of(x) << " goes on");
    auto record = c.coordinator().record(id_of(x));
    if (x.cancel && record.at("status").as_string() != "failed")
      BOOST_TEST(record.at("status").as_string() == "aborted", id_of(x));
  }
  BOOST_TEST(wait_until([&] { return left_behind(c).empty(); }, 60s),
             left_behind(c));
  // Guards go with the next life of their node, when no launch can come late.
  for (std::size_t i = 0; i < c.size(); ++i) {
    c.node(i).kill9();
    c.node(i).restart();
    BOOST_TEST(wait_until([&] { return guards_on(c.node(i)).empty(); }, 30s));
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
