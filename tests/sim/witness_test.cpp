// SPDX-License-Identifier: MIT
// Goal: the judge catches each kind of broken history. Method: histories are
// planted commit by commit, a sound one and one for each invariant.
#include "actors/sim/witness.hpp"
#include "messages/exit_marker.hpp"
#include "storage/memory_store.hpp"
#include "storage/run_script.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::sim;

namespace {

struct planted {
  planted() { judge.nodes = {"n1", "n2"}; }

  storage::commit next(std::uint64_t epoch) {
    storage::commit c;
    c.expected_version = state.version;
    state.version += 1;
    state.epoch.value = epoch;
    c.record.spec = spec;
    c.record.state = state;
    return c;
  }

  void show(const storage::commit& c) {
    state = c.record.state;
    judge.on_commit(c, {errc::none, state.version, run_no{1}});
  }

  void create() { show(next(0)); }

  void claim(std::uint64_t epoch, const std::string& holder = "d1",
             const std::string& cause = "external") {
    state.holder = holder;
    auto c = next(epoch);
    c.claim = claim_note{
      baton::epoch{epoch}, holder, cause, seq{state.last_seq.value + 1}, {}};
    show(c);
  }

  entry line(std::uint64_t epoch, const std::string& data) const {
    entry e;
    e.seq.value = state.last_seq.value + 1;
    e.epoch.value = epoch;
    e.begin = state.end;
    e.end.value = state.end.value + data.size();
    e.data = data;
    return e;
  }

  void append(entry e, std::uint64_t epoch) {
    state.last_seq = e.seq;
    state.end = e.end;
    auto c = next(epoch);
    c.entries = {std::move(e)};
    show(c);
  }

  void append(std::uint64_t epoch) {
    append(line(epoch, driver_line("d1", baton::epoch{epoch},
                                   seq{state.last_seq.value + 1})),
           epoch);
  }

  void end(std::uint64_t epoch, run_status how = run_status::completed) {
    state.status = how;
    show(next(epoch));
  }

  void expire() {
    state.cancel_requested_at = wall_time{};
    state.cancel_cause = errc::expired;
    show(next(0));
  }

  /// Its last viewer left so long before.
  void expire_after(world_time alone) {
    judge.detached_ttl = std::chrono::seconds{60};
    create();
    state.detached_since = wall_time{};
    show(next(0));
    when.in(alone, [] {});
    when.pass_to(alone);
    when.run_next();
    expire();
  }

  /// The sandbox r-1 stands on the store's list.
  void list(instance_state how) {
    instance_record there;
    there.key = instance_key{"run r"};
    there.provider = "local";
    there.id = "r-1";
    there.run = run_id{"r"};
    there.state = how;
    std::vector<storage::instance_change> all{{there.key, there}};
    BOOST_REQUIRE(store.change_instances(all).ok());
  }

  std::string broken() const {
    return judge.broken() ? judge.broken()->invariant : "";
  }

  static std::shared_ptr<const run_spec> make_spec(bool external) {
    run_spec x;
    x.id = run_id{"r"};
    x.external = external;
    return std::make_shared<const run_spec>(std::move(x));
  }

  agenda when;
  agent_world agents{when, seeded{1}};
  trace story;
  witness judge{story, agents, [this] { return when.now(); }};
  std::shared_ptr<const run_spec> spec = make_spec(true);
  run_state state;
  storage::memory_store store;
};

entry_page page_of(std::vector<entry> entries, bool ended = false) {
  entry_page out;
  for (auto& e : entries)
    out.entries.items.push_back(std::make_shared<const entry>(std::move(e)));
  out.ended = ended;
  return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(sim_witness)

BOOST_AUTO_TEST_CASE(of_wrong_bytes_it_says_what_they_should_have_been) {
  auto told = [](const std::string& source, const std::string& found) {
    planted x;
    x.judge.expect(run_id{"r"}, source);
    x.create();
    x.claim(1);
    x.append(x.line(1, found), 1);
    BOOST_REQUIRE(x.broken() == "I3");
    const auto& text = x.judge.broken()->text;
    return text.substr(text.find("expected"));
  };
  BOOST_TEST(told("line 74\nline 75\n", "line 73\n")
             == R"(expected "line 74", found "line 73")");
  BOOST_TEST(told("", "more\n") == R"(expected nothing more, found "more\n")");
  BOOST_TEST(told("a \"b\"\n", "a \x1B\\\n")
             == R"(expected "a \"b\"", found "a \x1b\\")");
  std::string same(100, 'x');
  BOOST_TEST(told(same + "1\n", same + "2\n")
             == R"(expected "...xxxxxxxxxx1", found "...xxxxxxxxxx2")");
  BOOST_TEST(told(same, 'y' + same)
             == "expected \"" + same.substr(0, 40) + "...\", found \"y"
                  + same.substr(0, 39) + "...\"");
}

BOOST_AUTO_TEST_CASE(a_sound_history_breaks_nothing) {
  planted x;
  x.create();
  x.claim(1);
  x.append(1);
  x.claim(2, "n2");
  x.append(2);
  x.end(2);
  x.judge.on_settled(x.store);
  BOOST_TEST(x.broken() == "");
}

BOOST_AUTO_TEST_CASE(a_write_under_an_older_epoch_breaks_i1) {
  planted x;
  x.create();
  x.claim(1);
  x.claim(2);
  x.append(1);
  BOOST_TEST(x.broken() == "I1");
}

BOOST_AUTO_TEST_CASE(an_entry_of_another_epoch_than_its_claim_breaks_i1) {
  planted x;
  x.create();
  x.claim(1);
  x.claim(2);
  x.append(x.line(1, "{}\n"), 2);
  BOOST_TEST(x.broken() == "I1");
}

BOOST_AUTO_TEST_CASE(a_line_that_was_written_under_another_epoch_breaks_i1) {
  planted x;
  x.create();
  x.claim(1);
  x.claim(2);
  x.append(x.line(2, driver_line("d1", epoch{1}, seq{1})), 2);
  BOOST_TEST(x.broken() == "I1");
}

BOOST_AUTO_TEST_CASE(a_skipped_seq_breaks_i2) {
  planted x;
  x.create();
  x.claim(1);
  auto e = x.line(1, "{}\n");
  e.seq.value = 2;
  x.append(e, 1);
  BOOST_TEST(x.broken() == "I2");
}

BOOST_AUTO_TEST_CASE(a_gap_between_entries_breaks_i3) {
  planted x;
  x.create();
  x.claim(1);
  auto e = x.line(1, "{}\n");
  e.begin.value += 1;
  e.end.value += 1;
  x.append(e, 1);
  BOOST_TEST(x.broken() == "I3");
}

BOOST_AUTO_TEST_CASE(other_bytes_than_the_source_has_break_i3) {
  planted x;
  x.judge.expect(run_id{"r"}, "one\ntwo\n");
  x.create();
  x.claim(1);
  x.append(x.line(1, "one\n"), 1);
  BOOST_TEST(x.broken() == "");
  x.append(x.line(1, "one\n"), 1);
  BOOST_TEST(x.broken() == "I3");
}

BOOST_AUTO_TEST_CASE(an_acknowledgement_ahead_of_the_disk_breaks_i4) {
  planted x;
  x.create();
  x.claim(1);
  append_done done;
  done.run = run_id{"r"};
  done.last_seq.value = 1;
  x.judge.on_told(caf::make_message(done), "n2");
  BOOST_TEST(x.broken() == "I4");
}

BOOST_AUTO_TEST_CASE(an_order_that_names_a_claim_ahead_of_the_disk_breaks_i4) {
  planted x;
  x.create();
  drive_run order;
  order.record.spec = x.spec;
  order.record.state.version = 2;
  x.judge.on_told(caf::make_message(order), "n2");
  BOOST_TEST(x.broken() == "I4");
}

BOOST_AUTO_TEST_CASE(an_answer_may_tell_of_a_run_that_was_just_removed) {
  planted x;
  x.create();
  x.claim(1);
  x.end(1);
  run_view told{{x.spec, x.state}, 0};
  told.record.state.no = run_no{1};
  x.judge.on_remove(run_id{"r"});
  x.judge.on_told(caf::make_message(told), "n1");
  BOOST_TEST(x.broken() == "");
  told.record.state.version += 1;
  x.judge.on_told(caf::make_message(told), "n1");
  BOOST_TEST(x.broken() == "I4");
}

BOOST_AUTO_TEST_CASE(a_write_behind_the_end_breaks_i5) {
  planted x;
  x.create();
  x.claim(1);
  x.end(1);
  x.append(1);
  BOOST_TEST(x.broken() == "I5");
}

BOOST_AUTO_TEST_CASE(a_claim_that_does_not_raise_the_epoch_breaks_i6) {
  planted x;
  x.create();
  x.claim(1);
  x.claim(1);
  BOOST_TEST(x.broken() == "I6");
}

BOOST_AUTO_TEST_CASE(an_id_that_sees_an_epoch_again_breaks_i6) {
  planted x;
  x.create();
  x.claim(3);
  x.end(3);
  x.judge.on_remove(run_id{"r"});
  x.state = {};
  x.state.epoch.value = 3;
  x.show(x.next(3));
  BOOST_TEST(x.broken() == "");
  x.claim(3);
  BOOST_TEST(x.broken() == "I6");
}

BOOST_AUTO_TEST_CASE(a_second_launch_breaks_i7) {
  planted x;
  x.create();
  x.state.nonce_hashes = {hash_of_nonce("aa")};
  x.claim(1);
  agent a;
  a.run = run_id{"r"};
  a.nonce = "aa";
  x.judge.on_launch(a);
  BOOST_TEST(x.broken() == "");
  x.judge.on_launch(a);
  BOOST_TEST(x.broken() == "I7");
}

BOOST_AUTO_TEST_CASE(a_launch_that_no_record_allows_breaks_i7) {
  planted x;
  x.create();
  agent a;
  a.run = run_id{"r"};
  a.nonce = "aa";
  x.judge.on_launch(a);
  BOOST_TEST(x.broken() == "I7");
}

BOOST_AUTO_TEST_CASE(a_launch_behind_the_end_breaks_i7) {
  planted x;
  x.create();
  x.state.nonce_hashes = {hash_of_nonce("aa")};
  x.claim(1);
  x.end(1, run_status::failed);
  agent a;
  a.run = run_id{"r"};
  a.nonce = "aa";
  x.judge.on_launch(a);
  BOOST_TEST(x.broken() == "I7");
}

BOOST_AUTO_TEST_CASE(a_viewer_that_misses_an_entry_breaks_i8) {
  planted x;
  x.create();
  x.claim(1);
  auto first = x.line(1, "1\n");
  x.append(first, 1);
  auto second = x.line(1, "2\n");
  x.append(second, 1);
  x.judge.on_page("v", run_id{"r"}, seq{0}, page_of({first}));
  BOOST_TEST(x.broken() == "");
  x.judge.on_page("v", run_id{"r"}, seq{0}, page_of({second}));
  BOOST_TEST(x.broken() == "I8");
}

BOOST_AUTO_TEST_CASE(a_viewer_that_is_ahead_of_the_disk_breaks_i4) {
  planted x;
  x.create();
  x.claim(1);
  x.judge.on_page("v", run_id{"r"}, seq{0}, page_of({x.line(1, "1\n")}));
  BOOST_TEST(x.broken() == "I4");
}

BOOST_AUTO_TEST_CASE(an_end_that_is_told_too_early_breaks_i8) {
  planted x;
  x.create();
  x.claim(1);
  x.append(1);
  x.end(1);
  x.judge.on_page("v", run_id{"r"}, seq{0}, page_of({}, true));
  BOOST_TEST(x.broken() == "I8");
}

BOOST_AUTO_TEST_CASE(a_run_that_never_ends_breaks_i9) {
  planted x;
  x.create();
  x.judge.on_settled(x.store);
  BOOST_TEST(x.broken() == "I9");
}

BOOST_AUTO_TEST_CASE(a_run_that_is_taken_from_a_node_within_reach_breaks_i9) {
  auto taken = [](world_time stay_from, const std::string& cause) {
    planted x;
    x.spec = planted::make_spec(false);
    x.judge.nodes_stay_from = stay_from;
    x.create();
    x.claim(1, "n1", "placement");
    x.claim(2, "n2", cause);
    return x.broken();
  };

  BOOST_TEST(taken({}, "lease_lapsed") == "I9");
  BOOST_TEST(taken({}, "node_lost") == "I9");
  BOOST_TEST(taken({}, "handover") == "");
  BOOST_TEST(taken(std::chrono::seconds{1}, "lease_lapsed") == "");
}

BOOST_AUTO_TEST_CASE(a_sandbox_that_goes_before_the_end_is_durable_breaks_i10) {
  planted x;
  x.create();
  x.state.sandbox.id = "r-1";
  x.claim(1);
  agent a;
  a.run = run_id{"r"};
  a.id = "r-1";
  x.judge.on_destroy(a);
  BOOST_TEST(x.broken() == "I10");
}

BOOST_AUTO_TEST_CASE(a_sandbox_that_stays_behind_the_end_breaks_i10) {
  using enum instance_state;
  for (auto left : {ready, must_destroy, kept})
    BOOST_TEST_CONTEXT(to_string(left)) {
      planted x;
      x.create();
      x.state.sandbox.id = "r-1";
      x.claim(1);
      x.end(1);
      x.list(left);
      x.judge.on_settled(x.store);
      BOOST_TEST(x.broken() == "I10");
    }
}

BOOST_AUTO_TEST_CASE(what_nobody_saw_end_may_be_kept) {
  planted x;
  x.create();
  x.state.sandbox.id = "r-1";
  x.claim(1);
  x.state.error = run_error{errc::io_failed, "the journal is gone"};
  x.end(1, run_status::failed);
  x.list(instance_state::kept);
  x.judge.on_settled(x.store);
  BOOST_TEST(x.broken() == "");
}

BOOST_AUTO_TEST_CASE(a_sandbox_of_no_run_breaks_i10) {
  planted x;
  x.list(instance_state::kept);
  x.judge.on_settled(x.store);
  BOOST_TEST(x.broken() == "I10");
}

BOOST_AUTO_TEST_CASE(a_cancel_that_is_forgotten_breaks_i11) {
  planted x;
  x.create();
  x.judge.on_cancel_asked(run_id{"r"});
  x.judge.on_cancel_acknowledged(run_id{"r"}, 0);
  BOOST_TEST(x.broken() == "I11");
}

BOOST_AUTO_TEST_CASE(an_abort_beside_a_living_agent_breaks_i11) {
  planted x;
  x.spec = planted::make_spec(false);
  x.create();
  x.claim(1, "n1", "placement");
  agent_provider local{{std::shared_ptr<void>{}, &x.agents}};
  sandbox::launch_order order;
  order.where.id = "r-1";
  order.command.argv = {"r"};
  BOOST_REQUIRE(local.launch(order).ok());
  x.end(1, run_status::aborted);
  BOOST_TEST(x.broken() == "I11");
}

BOOST_AUTO_TEST_CASE(an_abort_that_nobody_asked_for_breaks_i12) {
  planted x;
  x.create();
  x.claim(1);
  x.end(1, run_status::aborted);
  x.judge.on_settled(x.store);
  BOOST_TEST(x.broken() == "I12");
}

BOOST_AUTO_TEST_CASE(a_run_expires_when_nobody_watched_it_for_long) {
  planted x;
  x.expire_after(std::chrono::seconds{60});
  BOOST_TEST(x.broken() == "");
}

BOOST_AUTO_TEST_CASE(a_run_that_expires_too_early_breaks_i12) {
  planted x;
  x.expire_after(std::chrono::seconds{10});
  BOOST_TEST(x.broken() == "I12");
}

BOOST_AUTO_TEST_CASE(a_watched_run_that_expires_breaks_i12) {
  planted x;
  x.create();
  x.expire();
  BOOST_TEST(x.broken() == "I12");
}

BOOST_AUTO_TEST_CASE(only_the_first_violation_is_told) {
  planted x;
  x.create();
  x.judge.accuse("I9", "r", "one");
  x.judge.accuse("I1", "r", "two");
  BOOST_TEST(x.broken() == "I9");
}

BOOST_AUTO_TEST_SUITE_END()
