// SPDX-License-Identifier: MIT
// Goal: however much waits, one batch stays bounded, and nothing changes its
// order. Method: floods decided while a batch is under way.
#include "tests/actors/coordinator/table_harness.hpp"

using namespace baton;
using namespace baton::test;

BOOST_AUTO_TEST_SUITE(coordinator_claim_table_batches)

BOOST_AUTO_TEST_CASE(a_flood_is_written_in_bounded_batches_and_in_order) {
  table_harness t{rules};
  t.create("r", true);
  t.get<claim_granted>(claim_run{run_id{"r"}, "d"});
  const std::string mib(std::size_t{1} << 20, 'x');
  std::uint64_t next = 1;
  std::vector<token> asked;
  auto flood = [&] {
    for (int i = 0; i < 40; ++i)
      asked.push_back(
        t.ask(table_harness::append_of("r", 1, next++, {mib + "\n"})));
    asked.push_back(t.ask(
      table_harness::create_of("n" + std::to_string(asked.size()), true)));
  };
  flood();
  t.take_off();
  flood();
  auto late = t.ask(finish_of("r", 1));

  std::size_t batches = 1;
  for (t.land(); t.table->has_batch(); t.land(), ++batches) {
    auto before = t.store.load(run_id{"r"})->state.last_seq.value;
    t.take_off();
    t.write();
    auto written = t.store.load(run_id{"r"})->state.last_seq.value - before;
    BOOST_TEST(written <= 9U);
  }

  BOOST_TEST(batches >= 80U / 9);
  for (auto x : asked)
    BOOST_TEST(t.answered(x));
  BOOST_TEST(t.answered(late));
  BOOST_TEST(t.log("r").size() == 80U);
  BOOST_TEST(is_terminal(t.stored("r").status));
}

BOOST_AUTO_TEST_CASE(many_small_entries_fill_a_batch_too) {
  table_harness t{rules};
  t.create("r", true);
  t.get<claim_granted>(claim_run{run_id{"r"}, "d"});
  const std::vector<std::string> lines(1'024, "x\n");
  for (std::uint64_t i = 0; i < 40; ++i)
    t.ask(table_harness::append_of("r", 1, 1 + i * lines.size(), lines));

  t.take_off();
  t.land();

  BOOST_TEST(t.stored("r").last_seq.value <= batch_entries_full);
  t.flush();
  BOOST_TEST(t.stored("r").last_seq.value == 40'960U);
}

BOOST_AUTO_TEST_SUITE_END()
