// SPDX-License-Identifier: MIT
// Goal: viewers get what follows their cursor, from ring or reader, and are
// counted; the end reaches all of them.
// Method: a channel between a coordinator and a reader that only take notes,
// under CAF's test coordinator.
#include "actors/channel/channel.hpp"
#include "tests/actors/simulation.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::test;

namespace {

using pages = std::vector<entry_page>;

struct world {
  world() {
    view.record.spec = std::make_shared<const run_spec>();
    view.record.state.last_seq = seq{10};
    coordinator = sim.own(sim.system.spawn([this](caf::event_based_actor*) {
      return caf::behavior{
        [this](const viewers_changed& x) { counts.push_back(x.viewers); }};
    }));
    reader = sim.own(sim.system.spawn([this](caf::event_based_actor*) {
      return caf::behavior{[this](const read_entries& x) {
        read_behind.push_back(x.after.value);
        return entry_page{};
      }};
    }));
  }

  caf::actor open() {
    return sim.own(
      sim.system.spawn(channel::channel_actor, coordinator, reader, view));
  }

  /// A viewer that asks when it is told to, and keeps the answers.
  caf::actor viewer(const caf::actor& channel, pages& got) {
    return sim.own(sim.system.spawn([=, &got](caf::event_based_actor* self) {
      return caf::behavior{
        [=, &got](std::uint64_t after) {
          next_entries x;
          x.after = seq{after};
          self->request(channel, std::chrono::seconds{9'999}, x)
            .then([&got](entry_page& page) { got.push_back(std::move(page)); },
                  [](const caf::error&) {});
        },
        [=](caf::ok_atom) { self->send(channel, leave_channel{}); },
        [=](caf::close_atom) { self->quit(); },
      };
    }));
  }

  template <class... Ts>
  void tell(const caf::actor& whom, Ts... xs) {
    caf::anon_send(whom, std::move(xs)...);
    settle();
  }

  void settle() {
    for (int i = 0; i < 100; ++i)
      if (!sim.run_one())
        return;
  }

  void grow(const caf::actor& channel, std::uint64_t from, std::uint64_t to) {
    shared_entries xs;
    for (auto n = from; n <= to; ++n) {
      entry e;
      e.seq = seq{n};
      e.data = "x\n";
      xs.items.push_back(std::make_shared<const entry>(std::move(e)));
    }
    view.record.state.last_seq = seq{to};
    tell(channel, log_grew{xs});
  }

  void end(const caf::actor& channel) {
    view.record.state.status = run_status::completed;
    tell(channel, record_changed{view});
  }

  simulation sim{1};
  run_view view;
  caf::actor coordinator;
  caf::actor reader;
  std::vector<std::uint32_t> counts;
  std::vector<std::uint64_t> read_behind;
};

std::vector<std::uint64_t> seqs_of(const pages& xs) {
  std::vector<std::uint64_t> out;
  for (const auto& page : xs)
    for (const auto& e : page.entries.items)
      out.push_back(e->seq.value);
  return out;
}

using seqs = std::vector<std::uint64_t>;

} // namespace

BOOST_AUTO_TEST_SUITE(channel_channel)

BOOST_AUTO_TEST_CASE(a_viewer_at_the_end_gets_growth_and_then_the_end) {
  world w;
  pages got;
  auto c = w.open();
  auto v = w.viewer(c, got);

  w.tell(v, std::uint64_t{10});
  BOOST_TEST(got.empty());
  w.grow(c, 11, 12);
  BOOST_TEST((seqs_of(got) == seqs{11, 12}));
  BOOST_TEST(!got.back().ended);
  w.tell(v, std::uint64_t{12});
  w.end(c);

  BOOST_REQUIRE(got.size() == 2);
  BOOST_TEST(got.back().ended);
  BOOST_TEST(got.back().view.size() == 1);
  BOOST_TEST(w.read_behind.empty());
}

BOOST_AUTO_TEST_CASE(two_viewers_that_wait_both_get_what_comes) {
  world w;
  pages a, b;
  auto c = w.open();
  auto first = w.viewer(c, a);
  auto second = w.viewer(c, b);
  w.tell(first, std::uint64_t{10});
  w.tell(second, std::uint64_t{10});

  w.grow(c, 11, 11);

  BOOST_TEST((seqs_of(a) == seqs{11}));
  BOOST_TEST((seqs_of(b) == seqs{11}));
}

BOOST_AUTO_TEST_CASE(a_viewer_far_behind_is_served_by_the_reader) {
  world w;
  pages got;
  auto c = w.open();
  auto v = w.viewer(c, got);

  w.tell(v, std::uint64_t{3});

  BOOST_TEST((w.read_behind == seqs{3}));
  BOOST_TEST(got.size() == 1);
}

BOOST_AUTO_TEST_CASE(a_cursor_beyond_the_end_waits_for_what_follows_it) {
  world w;
  pages got;
  auto c = w.open();
  auto v = w.viewer(c, got);

  w.tell(v, std::uint64_t{12});
  w.grow(c, 11, 12);
  BOOST_TEST(got.empty());
  w.grow(c, 13, 13);

  BOOST_TEST((seqs_of(got) == seqs{13}));
}

BOOST_AUTO_TEST_CASE(viewers_count_once_until_they_leave_or_die) {
  world w;
  pages got;
  auto c = w.open();
  auto a = w.viewer(c, got);
  auto b = w.viewer(c, got);

  w.tell(a, std::uint64_t{10});
  w.grow(c, 11, 11);
  w.tell(a, std::uint64_t{11});
  w.tell(b, std::uint64_t{11});
  w.tell(a, caf::ok_atom::value);
  w.tell(b, caf::close_atom::value);

  BOOST_TEST((w.counts == std::vector<std::uint32_t>{1, 2, 1, 0}));
  // Nobody is there: what grows now is not kept.
  w.grow(c, 12, 12);
  w.tell(a, std::uint64_t{11});
  BOOST_TEST((w.read_behind == seqs{11}));
}

BOOST_AUTO_TEST_CASE(a_second_request_answers_the_first_without_entries) {
  world w;
  pages got;
  auto c = w.open();
  auto v = w.viewer(c, got);

  w.tell(v, std::uint64_t{10});
  w.tell(v, std::uint64_t{10});

  BOOST_REQUIRE(got.size() == 1);
  BOOST_TEST(got[0].entries.items.empty());
  w.grow(c, 11, 11);
  BOOST_TEST((seqs_of(got) == seqs{11}));
}

BOOST_AUTO_TEST_CASE(a_channel_of_an_ended_run_ends_each_viewer_at_once) {
  world w;
  w.view.record.state.status = run_status::failed;
  pages got;
  auto c = w.open();
  auto v = w.viewer(c, got);

  w.tell(v, std::uint64_t{10});
  w.tell(v, std::uint64_t{99});

  BOOST_REQUIRE(got.size() == 2);
  BOOST_TEST(got[0].ended);
  BOOST_TEST(got[1].ended);
  BOOST_TEST(w.counts.empty());
}

BOOST_AUTO_TEST_CASE(a_channel_ends_with_its_coordinator_in_any_case) {
  for (bool has_ended : {false, true}) {
    for (bool before : {false, true}) {
      world w;
      pages got;
      if (has_ended && before)
        w.view.record.state.status = run_status::completed;
      auto c = w.open();
      bool is_down = false;
      w.sim.own(w.sim.system.spawn([&](caf::event_based_actor* self) {
        self->monitor(c);
        self->set_down_handler([&](const caf::down_msg&) { is_down = true; });
        return caf::behavior{[](caf::ok_atom) {}};
      }));
      // Its viewer has left before the end.
      auto v = w.viewer(c, got);
      if (!has_ended || !before) {
        w.tell(v, std::uint64_t{10});
        w.tell(v, caf::ok_atom::value);
      }
      if (has_ended && !before)
        w.end(c);
      w.settle();
      BOOST_TEST(!is_down);

      caf::anon_send_exit(w.coordinator, caf::exit_reason::user_shutdown);
      w.settle();
      BOOST_TEST(is_down);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
