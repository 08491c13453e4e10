// SPDX-License-Identifier: MIT
// Goal: damage that hides acknowledged writes is never taken for a torn end,
// and a torn end never for such damage. Method: logs that RocksDB wrote, every
// byte damaged in every way that its own reader overlooks; random bytes.
#include "storage/rocksdb_log_scan.hpp"
#include "tests/storage/memory_database.hpp"

#include <boost/test/unit_test.hpp>

#include <random>

using namespace baton;
using namespace baton::storage;
using namespace baton::test;

namespace {

void feed(log_scan& scan, const std::string& name, std::string_view bytes) {
  scan.begin(name);
  for (; bytes.size() >= log_scan::block_bytes;
       bytes.remove_prefix(log_scan::block_bytes))
    scan.block(bytes.substr(0, log_scan::block_bytes));
  scan.block(bytes);
  scan.end();
}

log_scan scan_of(const std::vector<std::string>& logs) {
  log_scan scan;
  for (std::size_t i = 0; i < logs.size(); ++i)
    feed(scan, std::to_string(i), logs[i]);
  return scan;
}

log_verdict verdict_of(const std::vector<std::string>& logs) {
  return scan_of(logs).verdict();
}

/// Two blocks, with a record across their border.
struct one_log {
  one_log() {
    memory_database db;
    for (std::size_t n = 0; n < 40; ++n) {
      before_last = log_in(db).size();
      db.write(n, 700 + n * 13);
    }
    log = log_in(db);
  }

  static std::string log_in(const memory_database& db) {
    auto files = db.files();
    return files.at(logs_of(files).back());
  }

  std::string log;
  std::size_t before_last = 0;
};

std::string random_bytes(std::mt19937& random, std::size_t size) {
  std::string out(size, '\0');
  for (auto& x : out)
    x = static_cast<char>(random());
  return out;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(rocksdb_log_scan, one_log)

BOOST_AUTO_TEST_CASE(what_rocksdb_wrote_is_intact) {
  BOOST_TEST_REQUIRE(log.size() > log_scan::block_bytes);
  auto scan = scan_of({log});
  BOOST_TEST((scan.verdict() == log_verdict::intact));
  // The format number is the first write.
  BOOST_TEST((scan.next_sequence() == 42U));
  BOOST_TEST((verdict_of({}) == log_verdict::intact));
  BOOST_TEST((verdict_of({""}) == log_verdict::intact));
}

BOOST_AUTO_TEST_CASE(a_flipped_byte_before_the_last_record_is_a_loss) {
  for (std::size_t at = 0; at < log.size(); ++at) {
    auto damaged = log;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    auto found = verdict_of({damaged});
    auto expected = at < before_last ? log_verdict::lost : log_verdict::torn;
    if (found != expected)
      BOOST_ERROR("byte " << at << ": verdict " << static_cast<int>(found));
  }
}

BOOST_AUTO_TEST_CASE(a_zeroed_sector_before_the_last_record_is_a_loss) {
  for (std::size_t at = 0; at + 512 <= before_last; at += 256) {
    auto damaged = log;
    damaged.replace(at, 512, 512, '\0');
    BOOST_TEST((verdict_of({damaged}) == log_verdict::lost), "at " << at);
  }
}

BOOST_AUTO_TEST_CASE(a_log_cut_anywhere_has_no_loss) {
  for (std::size_t size = 0; size < log.size(); ++size)
    if (verdict_of({log.substr(0, size)}) == log_verdict::lost)
      BOOST_ERROR("cut to " << size);
}

BOOST_AUTO_TEST_CASE(zeros_or_garbage_behind_the_end_are_torn) {
  std::mt19937 random{7};
  for (std::size_t size : {1U, 6U, 7U, 4096U, 70000U}) {
    BOOST_TEST(
      (verdict_of({log + std::string(size, '\0')}) == log_verdict::torn));
    BOOST_TEST(
      (verdict_of({log + random_bytes(random, size)}) == log_verdict::torn));
  }
}

BOOST_AUTO_TEST_CASE(holes_in_one_long_last_record_are_torn) {
  memory_database db;
  db.write(1, 500);
  auto start = log_in(db).size();
  db.write(2, 150'000);
  auto whole = log_in(db);
  for (auto at = start; at < whole.size(); at += 4096) {
    auto damaged = whole;
    auto size = std::min<std::size_t>(4096, damaged.size() - at);
    damaged.replace(at, size, size, '\0');
    BOOST_TEST((verdict_of({damaged}) == log_verdict::torn), "at " << at);
  }
}

BOOST_AUTO_TEST_CASE(the_next_log_proves_a_loss_in_the_one_before) {
  memory_database db{64 << 10};
  db.keep_logs();
  for (std::size_t n = 0; n < 150; ++n)
    db.write(n, 1000);
  auto files = db.files();
  std::vector<std::string> logs;
  for (const auto& name : logs_of(files))
    logs.push_back(files.at(name));
  BOOST_TEST_REQUIRE(logs.size() >= 3U);
  BOOST_TEST((verdict_of(logs) == log_verdict::intact));

  auto cut = logs;
  for (auto size = logs[0].size(); size-- > logs[0].size() - 3000;) {
    cut[0].resize(size);
    BOOST_TEST((verdict_of(cut) == log_verdict::lost), "cut to " << size);
  }
  BOOST_TEST((verdict_of({logs[0], logs[2]}) == log_verdict::lost));
  auto gap = scan_of({logs[0], logs[2]});
  BOOST_TEST((gap.damage() == log_place{"0", logs[0].size()}));
  BOOST_TEST((gap.proof() == log_place{"1", 0}));
}

BOOST_AUTO_TEST_CASE(a_log_that_goes_on_behind_a_torn_one_is_no_loss) {
  auto files = [&] {
    file_bytes all;
    memory_database db;
    db.write(1, 100);
    db.write(2, 100);
    return db.files();
  }();
  auto torn = files.at(logs_of(files).back());
  // Recovery found two writes of three and went on with the third's number.
  memory_database next;
  next.write(1, 100);
  next.flush();
  next.write(3, 100);
  files = next.files();
  auto behind = files.at(logs_of(files).back());
  torn.resize(torn.size() - 1);

  BOOST_TEST((verdict_of({torn, behind}) == log_verdict::torn));
}

BOOST_AUTO_TEST_CASE(random_bytes_are_no_loss_and_no_crash) {
  std::mt19937 random{11};
  for (auto round = 0; round < 300; ++round) {
    auto bytes = random_bytes(random, random() % 3000);
    BOOST_TEST((verdict_of({bytes}) != log_verdict::lost));
    auto mixed = log;
    for (auto i = random() % 20; i-- > 0;)
      mixed[random() % mixed.size()] = static_cast<char>(random());
    mixed.resize(random() % mixed.size());
    auto scan = scan_of({mixed, bytes, mixed});
    BOOST_TEST((scan.verdict() != log_verdict::lost || scan.proof()));
  }
}

BOOST_AUTO_TEST_SUITE_END()
