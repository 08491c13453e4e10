// SPDX-License-Identifier: MIT
// Goal: damaged bytes are seen, named and kept, and hurt one run only. Method:
// damage each kind of key of one of three runs, in every way that matters.
#include "storage/rocksdb_store.hpp"
#include "storage/run_script.hpp"
#include "tests/storage/raw_database.hpp"
#include "tests/storage/temp_dir.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>

using namespace baton;
using namespace baton::storage;
using namespace baton::test;

namespace {

constexpr wall_time now{std::chrono::milliseconds{1'800'000'000'000}};

struct fixture {
  fixture() {
    auto s = open();
    for (auto* run : {&a, &b, &c}) {
      std::vector<commit> batch{run->create(), run->claim("n"),
                                run->append(5, 60)};
      auto got = s->commit_all(batch).value();
      BOOST_REQUIRE(got.front().code == errc::none);
      run->numbered(got.front().no);
    }
  }

  std::unique_ptr<store> open() {
    rocksdb_options options;
    options.path = path;
    auto s = rocksdb_store::open(options);
    BOOST_REQUIRE(s.ok());
    return *std::move(s);
  }

  /// Only `b` is corrupt, and quarantine cures the store of it.
  void check_only_b_is_hurt(std::uint64_t readable_entries) {
    auto s = open();
    BOOST_TEST((s->corrupt().value() == std::vector{b.id()}));
    BOOST_TEST(s->live().value().size() == 2U);
    BOOST_TEST(differences(*s, a).empty());
    BOOST_TEST(differences(*s, c).empty());

    BOOST_TEST(s->quarantine(b.id(), "why", now).ok());

    BOOST_TEST(s->corrupt().value().empty());
    auto ended = s->load(b.id());
    BOOST_REQUIRE(ended.ok());
    BOOST_TEST((ended->state.status == run_status::failed));
    BOOST_TEST((ended->state.error == run_error{errc::corrupt, "why"}));
    BOOST_TEST((ended->spec->thread == b.record().spec->thread));
    BOOST_TEST((ended->state.epoch == epoch{1}));
    BOOST_TEST(ended->state.last_seq.value == readable_entries);
    BOOST_TEST(log_violations(*s, *ended).empty());
    BOOST_TEST(s->list({}).value().size() == 3U);
    list_query thread;
    thread.thread = b.record().spec->thread;
    BOOST_TEST(s->list(thread).value().size() == 3U);
    BOOST_TEST(differences(*s, a).empty());
  }

  void flip(std::string_view key, std::size_t at) {
    raw_database raw{path};
    kept = raw.get(key);
    raw.flip(key, at);
    kept[at] = static_cast<char>(kept[at] ^ 0x40);
  }

  bool is_kept(std::string_view key) {
    raw_database raw{path};
    return raw.get(quarantine_key(no(), key)) == kept;
  }

  run_no no() const { return b.record().state.no; }

  temp_dir dir;
  std::string path = dir / "store";
  run_script a{"a"}, b{"b"}, c{"c"};
  std::string kept;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(damage, fixture)

BOOST_AUTO_TEST_CASE(a_flipped_byte_anywhere_in_a_state_is_seen) {
  std::size_t size = 0;
  {
    raw_database raw{path};
    size = raw.get(key_of(key_tag::state, no())).size();
  }
  for (std::size_t at = 0; at < size; ++at) {
    {
      raw_database raw{path};
      raw.flip(key_of(key_tag::state, no()), at);
    }
    {
      auto s = open();
      BOOST_TEST((s->load(b.id()).error().code == errc::corrupt));
    }
    raw_database raw{path};
    raw.flip(key_of(key_tag::state, no()), at);
  }
}

BOOST_AUTO_TEST_CASE(a_damaged_state_is_quarantined_with_its_bytes) {
  flip(key_of(key_tag::state, no()), 9);
  check_only_b_is_hurt(5);
  BOOST_TEST(is_kept(key_of(key_tag::state, no())));
}

BOOST_AUTO_TEST_CASE(a_damaged_spec_is_quarantined_with_its_bytes) {
  flip(key_of(key_tag::spec, no()), 20);
  check_only_b_is_hurt(5);
  BOOST_TEST(is_kept(key_of(key_tag::spec, no())));
}

BOOST_AUTO_TEST_CASE(a_damaged_id_index_is_quarantined_and_mended) {
  flip(key_of(b.id()), 6);
  check_only_b_is_hurt(5);
  BOOST_TEST(is_kept(key_of(b.id())));
}

BOOST_AUTO_TEST_CASE(a_damaged_live_index_loses_no_run) {
  flip(key_of(key_tag::live, no()), 4);
  auto s = open();
  BOOST_TEST(s->live().value().size() == 3U);
  BOOST_TEST(s->corrupt().value().empty());
}

BOOST_AUTO_TEST_CASE(a_missing_state_or_spec_is_corrupt) {
  {
    raw_database raw{path};
    raw.drop(key_of(key_tag::state, no()));
    raw.drop(key_of(key_tag::spec, no()));
  }
  check_only_b_is_hurt(5);
}

BOOST_AUTO_TEST_CASE(another_runs_state_under_its_key_is_corrupt) {
  {
    raw_database raw{path};
    raw.put(key_of(key_tag::state, no()),
            raw.get(key_of(key_tag::state, a.record().state.no)));
  }
  check_only_b_is_hurt(5);
}

BOOST_AUTO_TEST_CASE(reading_stops_before_a_damaged_entry_and_then_names_it) {
  {
    raw_database raw{path};
    raw.put(key_of(key_tag::entry, no(), 4), "\xff\xff");
  }
  auto s = open();
  auto run = s->load(b.id()).value();

  BOOST_TEST(s->read(run, {}).value().size() == 3U);
  auto at_damage = s->read(run, {seq{3}});

  BOOST_TEST((at_damage.error().code == errc::corrupt));
  BOOST_TEST(s->quarantine(b.id(), "why", now).ok());
  run = s->load(b.id()).value();
  BOOST_TEST(run.state.last_seq.value == 3U);
  BOOST_TEST(run.state.version == b.record().state.version + 1);
  BOOST_TEST(s->read(run, {seq{3}}).value().empty());
  BOOST_TEST(log_violations(*s, run).empty());
}

BOOST_AUTO_TEST_CASE(a_missing_entry_is_corrupt) {
  {
    raw_database raw{path};
    raw.drop(key_of(key_tag::entry, no(), 2));
    raw.drop(key_of(key_tag::entry, no(), 5));
  }
  auto s = open();
  auto run = s->load(b.id()).value();
  BOOST_TEST(s->read(run, {}).value().size() == 1U);
  BOOST_TEST((s->read(run, {seq{1}}).error().code == errc::corrupt));
  BOOST_TEST((s->read(run, {seq{4}}).error().code == errc::corrupt));
  BOOST_TEST(s->read(run, {seq{5}}).value().empty());
}

BOOST_AUTO_TEST_CASE(trimmed_entries_are_gone_from_the_disk) {
  BOOST_REQUIRE(open()->commit_all(std::vector{b.trim(3)}).ok());
  raw_database raw{path};
  std::size_t left = 0;
  for (const auto& key : raw.keys())
    left += key.starts_with(
      std::string_view{key_of(key_tag::entry, no(), 1)}.substr(0, 9));
  BOOST_TEST(left == 2U);
}

BOOST_AUTO_TEST_CASE(a_trimmed_run_is_quarantined_with_what_is_left) {
  BOOST_REQUIRE(open()->commit_all(std::vector{b.trim(2)}).ok());
  flip(key_of(key_tag::state, no()), 9);
  check_only_b_is_hurt(5);
  BOOST_TEST(open()->load(b.id()).value().state.trimmed.value == 2U);
}

BOOST_AUTO_TEST_CASE(damage_behind_the_cut_ends_a_trimmed_log) {
  BOOST_REQUIRE(open()->commit_all(std::vector{b.trim(2)}).ok());
  {
    raw_database raw{path};
    raw.put(key_of(key_tag::entry, no(), 5), "\xff\xff");
  }
  auto s = open();
  auto run = s->load(b.id()).value();
  BOOST_TEST(s->read(run, {seq{2}}).value().size() == 2U);
  BOOST_TEST((s->read(run, {seq{4}}).error().code == errc::corrupt));
  BOOST_TEST(s->quarantine(b.id(), "why", now).ok());
  run = s->load(b.id()).value();
  BOOST_TEST(run.state.trimmed.value == 2U);
  BOOST_TEST(run.state.last_seq.value == 4U);
  BOOST_TEST(log_violations(*s, run).empty());
}

BOOST_AUTO_TEST_CASE(a_trimmed_log_of_which_nothing_is_readable_is_empty) {
  BOOST_REQUIRE(open()->commit_all(std::vector{b.trim(2)}).ok());
  {
    raw_database raw{path};
    raw.put(key_of(key_tag::entry, no(), 3), "\xff\xff");
  }
  auto s = open();
  BOOST_TEST(s->quarantine(b.id(), "why", now).ok());
  auto run = s->load(b.id()).value();
  BOOST_TEST(run.state.trimmed.value == 2U);
  BOOST_TEST(run.state.last_seq.value == 2U);
  BOOST_TEST(log_violations(*s, run).empty());
}

BOOST_AUTO_TEST_CASE(a_missing_entry_behind_the_cut_is_corrupt) {
  BOOST_REQUIRE(open()->commit_all(std::vector{b.trim(2)}).ok());
  {
    raw_database raw{path};
    raw.drop(key_of(key_tag::entry, no(), 3));
  }
  auto s = open();
  BOOST_TEST((s->read(b.record(), {seq{2}}).error().code == errc::corrupt));
  BOOST_TEST((s->read(b.record(), {seq{1}}).error().code == errc::trimmed));
}

BOOST_AUTO_TEST_CASE(a_damaged_instance_hurts_no_other_and_can_be_replaced) {
  instance_record x;
  x.key = instance_key{"x"};
  x.provider = "local";
  auto y = x;
  y.key = instance_key{"y"};
  std::vector<instance_change> both{{x.key, x}, {y.key, y}};
  BOOST_REQUIRE(open()->change_instances(both).ok());
  flip(key_of(x.key), 6);
  {
    auto s = open();
    BOOST_TEST((s->instances().value() == std::vector{y}));
    BOOST_TEST((s->corrupt_instances().value() == std::vector{x.key}));
  }
  {
    // Bytes that belong under another key.
    raw_database raw{path};
    raw.put(key_of(x.key), raw.get(key_of(y.key)));
  }
  auto s = open();
  BOOST_TEST((s->corrupt_instances().value() == std::vector{x.key}));
  std::vector<instance_change> again{{x.key, x}};
  BOOST_TEST(s->change_instances(again).ok());
  BOOST_TEST((s->instances().value() == std::vector{x, y}));
  BOOST_TEST(s->corrupt_instances().value().empty());
}

BOOST_AUTO_TEST_CASE(a_damaged_claim_note_is_corrupt) {
  flip(key_of(key_tag::claim, no(), 1), 5);
  auto s = open();
  BOOST_TEST((s->claims(b.record()).error().code == errc::corrupt));
  BOOST_TEST(s->claims(a.record()).ok());
  BOOST_TEST(s->quarantine(b.id(), "why", now).ok());
  BOOST_TEST(s->claims(b.record()).value().empty());
}

BOOST_AUTO_TEST_CASE(a_removed_quarantined_run_leaves_nothing) {
  flip(key_of(key_tag::state, no()), 9);
  {
    auto s = open();
    BOOST_REQUIRE(s->quarantine(b.id(), "why", now).ok());
    auto version = s->load(b.id()).value().state.version;
    BOOST_REQUIRE(s->remove(b.id(), version).ok());
  }
  raw_database raw{path};
  auto number = encode_number(no().value);
  for (const auto& key : raw.keys())
    BOOST_TEST((key.substr(1, number.size()) != number
                && (key.front() != 't' || !key.ends_with(number))));
}

BOOST_AUTO_TEST_CASE(a_damaged_table_block_is_no_crash_and_stops_no_write) {
  {
    raw_database raw{path};
    raw.flush();
  }
  std::string table;
  for (const auto& x : std::filesystem::directory_iterator{path})
    if (x.path().extension() == ".sst")
      table = x.path().string();
  BOOST_REQUIRE(!table.empty());
  {
    std::fstream f{table, std::ios::in | std::ios::out | std::ios::binary};
    f.seekp(100);
    f.write("damaged!", 8);
  }
  rocksdb_options options;
  options.path = path;
  auto s = rocksdb_store::open(options);

  // The one block holds everything here, so nothing but a clear refusal or a
  // store without these runs can come of it.
  if (!s) {
    BOOST_TEST(s.error().message.find(path) != std::string::npos);
    return;
  }
  BOOST_TEST(!(*s)->load(b.id()).ok());
}

BOOST_AUTO_TEST_CASE(a_newer_format_and_a_strangers_database_are_refused) {
  {
    raw_database raw{path};
    auto key = meta_key("format");
    raw.put(key, seal(key, encode_number(2)));
  }
  rocksdb_options options;
  options.path = path;
  BOOST_TEST((rocksdb_store::open(options).error().code == errc::foreign_data));
  options.path = dir / "other";
  std::filesystem::create_directories(options.path);
  {
    rocksdb::DB* raw = nullptr;
    rocksdb::Options o;
    o.create_if_missing = true;
    BOOST_REQUIRE(rocksdb::DB::Open(o, options.path, &raw).ok());
    std::unique_ptr<rocksdb::DB> owner{raw};
    BOOST_REQUIRE(owner->Put({}, "key", "value").ok());
  }
  BOOST_TEST((rocksdb_store::open(options).error().code == errc::foreign_data));
}

BOOST_AUTO_TEST_SUITE_END()
