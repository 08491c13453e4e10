// SPDX-License-Identifier: MIT
// Goal: a store never opens with fewer writes than it acknowledged, save for a
// damaged newest one, and always opens behind a crash (I4, I6). Method: files
// that RocksDB wrote, damaged in its logs, and opened as our store.
#include "storage/rocksdb_recovery.hpp"
#include "tests/storage/memory_database.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::storage;
using namespace baton::test;

namespace {

constexpr std::size_t writes = 50;

/// How many writes it opens with; nothing when it refuses, in one clear line.
std::optional<std::size_t> opened_with(const file_bytes& files) {
  memory_store_files store{files};
  auto db = store.open();
  if (!db) {
    const auto& why = db.error().message;
    BOOST_TEST((db.error().code == errc::storage_failed));
    BOOST_TEST(why.find('\n') == std::string::npos);
    BOOST_TEST(why.find("acknowledged writes") != std::string::npos, why);
    return std::nullopt;
  }
  std::size_t count = 0;
  while ((*db)->get(memory_database::key(count)).value())
    ++count;
  return count;
}

struct crashed {
  crashed() {
    memory_database db;
    for (std::size_t n = 0; n < writes; ++n) {
      auto so_far = db.files();
      before_last = log_in(so_far).size();
      record_starts.push_back(before_last);
      db.write(n, 600 + n * 7);
    }
    files = db.files();
  }

  static std::string& log_in(file_bytes& all) {
    return all.at(logs_of(all).back());
  }

  std::optional<std::size_t> opened_flipped(std::size_t at, int flip) {
    auto damaged = files;
    auto& byte = log_in(damaged).at(at);
    byte = static_cast<char>(byte ^ flip);
    return opened_with(damaged);
  }

  file_bytes files;
  std::vector<std::size_t> record_starts;
  std::size_t before_last = 0;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(rocksdb_recovery, crashed)

BOOST_AUTO_TEST_CASE(an_intact_store_opens_with_all) {
  BOOST_TEST((opened_with(files) == writes));
}

BOOST_AUTO_TEST_CASE(a_flipped_byte_before_the_last_write_is_refused) {
  auto size = log_in(files).size();
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < size; at += 97)
    places.push_back(at);
  for (std::size_t i = 0; i < record_starts.size(); i += 7)
    for (std::size_t byte = 4; byte < 7; ++byte)
      places.push_back(record_starts[i] + byte);
  for (auto at : places)
    for (auto flip : {0x04, 0x80}) {
      auto opened = opened_flipped(at, flip);
      if (at < before_last ? opened.has_value() : opened != writes - 1)
        BOOST_ERROR("byte " << at << " flipped: opens with "
                            << opened.value_or(0));
    }
}

BOOST_AUTO_TEST_CASE(the_message_says_where) {
  auto name = logs_of(files).back();
  log_in(files)[record_starts[3] + 50] ^= 1;
  memory_store_files store{files};

  auto why = store.open().error().message;

  BOOST_TEST(why.find(name + " at byte " + std::to_string(record_starts[3]))
               != std::string::npos,
             why);
  BOOST_TEST(why.find(name + " at byte " + std::to_string(record_starts[4]))
               != std::string::npos,
             why);
  // What the README says about going on without a copy.
  log_in(files).resize(record_starts[3]);
  BOOST_TEST((opened_with(files) == 3U));
}

BOOST_AUTO_TEST_CASE(a_torn_or_garbled_end_opens_with_what_is_whole) {
  auto& log = log_in(files);
  auto whole = log;
  for (auto size = whole.size(); size > before_last; size -= 61) {
    log = whole.substr(0, size);
    BOOST_TEST(
      (opened_with(files) == (size == whole.size() ? writes : writes - 1)));
    if (size - before_last < 61)
      break;
  }
  log = whole + std::string(40'000, '\0');
  BOOST_TEST((opened_with(files) == writes));
  log = whole + std::string(500, '\x5a');
  BOOST_TEST((opened_with(files) == writes));
}

BOOST_AUTO_TEST_CASE(a_hole_in_a_log_that_is_not_the_last_is_refused) {
  memory_database db{64 << 10};
  db.keep_logs();
  for (std::size_t n = 0; n < 200; ++n)
    db.write(n, 1000);
  auto all = db.files();
  auto logs = logs_of(all);
  BOOST_TEST_REQUIRE(logs.size() >= 3U);
  BOOST_TEST((opened_with(all) == 200U));

  auto damaged = all;
  damaged.erase(logs[1]);
  BOOST_TEST(!opened_with(damaged));
  for (std::size_t cut : {1U, 300U, 1100U, 20'000U}) {
    damaged = all;
    damaged.at(logs[0]).resize(all.at(logs[0]).size() - cut);
    BOOST_TEST(!opened_with(damaged), "cut by " << cut);
  }
  damaged = all;
  damaged.at(logs[0]).back() ^= 1;
  BOOST_TEST(!opened_with(damaged));
  damaged = all;
  damaged.at(logs.back()).back() ^= 1;
  BOOST_TEST((opened_with(damaged) == 199U));
}

BOOST_AUTO_TEST_CASE(logs_that_nothing_needs_any_more_are_no_loss) {
  memory_database db;
  db.write(0, 900);
  db.write(1, 900);
  auto old = db.files();
  auto name = logs_of(old).back();
  db.flush();
  db.write(2, 900);
  db.flush();
  db.write(3, 900);
  auto all = db.files();
  // Two kills between deletions: the oldest is still there, torn by a power
  // cut of its time, and the one behind it is gone.
  all[name] = old.at(name);
  BOOST_TEST((opened_with(all) == 4U));
  all[name].resize(all[name].size() - 10);
  BOOST_TEST((opened_with(all) == 4U));
}

BOOST_AUTO_TEST_CASE(a_store_opens_again_behind_a_torn_end) {
  log_in(files).resize(before_last + 20);
  memory_store_files store{files};
  for (auto life = 0; life < 3; ++life) {
    auto db = store.open();
    BOOST_TEST_REQUIRE(db.ok());
    BOOST_TEST(
      (*db)->get(memory_database::key(writes - 2)).value().has_value());
    rocksdb::WriteBatch batch;
    require_ok(batch.Put("z" + std::to_string(life), "z"));
    BOOST_TEST((*db)->write(batch).ok());
  }
}

BOOST_AUTO_TEST_CASE(damage_elsewhere_is_one_clear_line_too) {
  memory_database db;
  db.write(0, 900);
  db.flush();
  db.write(1, 900);
  auto all = db.files();
  auto damage = [](std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += 3)
      bytes[at] ^= 0x15;
  };
  for (const auto& [name, bytes] : all) {
    if (name.ends_with(".log") || name.rfind("OPTIONS", 0) == 0
        || name == "IDENTITY")
      continue;
    for (auto is_gone : {false, true}) {
      auto damaged = all;
      damage(damaged.at(name));
      if (is_gone)
        damaged.erase(name);
      memory_store_files store{damaged};
      auto opened = store.open();
      if (opened) {
        // A table is opened when it is first read.
        BOOST_TEST(!(*opened)->get(memory_database::key(0)).ok(), name);
        continue;
      }
      BOOST_TEST(opened.error().message.find('\n') == std::string::npos, name);
      BOOST_TEST(opened.error().message.find(memory_path) != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
