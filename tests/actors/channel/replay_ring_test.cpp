// SPDX-License-Identifier: MIT
// Goal: the ring is a bounded, gap-free tail of the log.
// Method: fill it to its limits, then ask for every cursor.
#include "actors/channel/replay_ring.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::channel;

namespace {

shared_entry entry_at(std::uint64_t n, std::size_t bytes = 10) {
  entry e;
  e.seq = seq{n};
  e.data = std::string(bytes, 'x');
  return std::make_shared<const entry>(std::move(e));
}

std::vector<std::uint64_t> seqs_of(const shared_entries& xs) {
  std::vector<std::uint64_t> out;
  for (const auto& e : xs.items)
    out.push_back(e->seq.value);
  return out;
}

using seqs = std::vector<std::uint64_t>;

} // namespace

BOOST_AUTO_TEST_SUITE(channel_replay_ring)

BOOST_AUTO_TEST_CASE(an_empty_ring_covers_only_its_own_end) {
  replay_ring ring{seq{7}};

  BOOST_TEST(!ring.covers(seq{0}));
  BOOST_TEST(!ring.covers(seq{6}));
  BOOST_TEST(ring.covers(seq{7}));
  BOOST_TEST(ring.covers(seq{8}));
  BOOST_TEST(ring.behind(seq{7}, 10, 10).items.empty());
  BOOST_TEST(ring.behind(seq{99}, 10, 10).items.empty());
}

BOOST_AUTO_TEST_CASE(every_covered_cursor_gets_what_follows_it) {
  replay_ring ring{seq{7}};
  for (std::uint64_t n = 8; n <= 12; ++n)
    ring.push(entry_at(n));

  BOOST_TEST(!ring.covers(seq{6}));
  BOOST_TEST((seqs_of(ring.behind(seq{7}, 99, 999)) == seqs{8, 9, 10, 11, 12}));
  BOOST_TEST((seqs_of(ring.behind(seq{10}, 99, 999)) == seqs{11, 12}));
  BOOST_TEST(ring.behind(seq{12}, 99, 999).items.empty());
}

BOOST_AUTO_TEST_CASE(limits_cut_an_answer_but_never_below_one_entry) {
  replay_ring ring{seq{0}};
  for (std::uint64_t n = 1; n <= 5; ++n)
    ring.push(entry_at(n));

  BOOST_TEST((seqs_of(ring.behind(seq{0}, 2, 999)) == seqs{1, 2}));
  BOOST_TEST((seqs_of(ring.behind(seq{0}, 99, 29)) == seqs{1, 2}));
  BOOST_TEST((seqs_of(ring.behind(seq{0}, 99, 30)) == seqs{1, 2, 3}));
  BOOST_TEST((seqs_of(ring.behind(seq{2}, 0, 0)) == seqs{3}));
}

BOOST_AUTO_TEST_CASE(the_ring_stays_within_its_entries_and_bytes) {
  replay_ring ring{seq{0}};
  for (std::uint64_t n = 1; n <= 2 * replay_ring::entries_max; ++n)
    ring.push(entry_at(n, 1));

  BOOST_TEST(ring.covers(seq{replay_ring::entries_max}));
  BOOST_TEST(!ring.covers(seq{replay_ring::entries_max - 1}));

  auto last = ring.last().value;
  ring.push(entry_at(last + 1, replay_ring::bytes_max));
  BOOST_TEST(ring.bytes() <= replay_ring::bytes_max);
  ring.push(entry_at(last + 2, 2 * replay_ring::bytes_max));
  BOOST_TEST(!ring.covers(seq{last}));
  BOOST_TEST((seqs_of(ring.behind(seq{last + 1}, 9, 1)) == seqs{last + 2}));
  ring.push(entry_at(last + 3, 1));
  BOOST_TEST(ring.bytes() == 1);
}

BOOST_AUTO_TEST_CASE(clearing_frees_the_entries_and_keeps_the_place) {
  replay_ring ring{seq{0}};
  ring.push(entry_at(1));
  ring.clear();

  BOOST_TEST(ring.bytes() == 0);
  BOOST_TEST(!ring.covers(seq{0}));
  BOOST_TEST(ring.covers(seq{1}));
  ring.push(entry_at(2));
  BOOST_TEST((seqs_of(ring.behind(seq{1}, 9, 99)) == seqs{2}));
}

BOOST_AUTO_TEST_SUITE_END()
